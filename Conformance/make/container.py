"""Writes the RIFF container of WebP (RFC 9649, section 2), valid and invalid."""


def u24(value):
    return value.to_bytes(3, "little")


def u32(value):
    return value.to_bytes(4, "little")


def chunk(tag, payload, size=None, pad=True):
    """Returns a chunk (section 2.3). `size` is the value of the size field; by default, the payload's size."""
    out = tag.encode("latin-1") + u32(len(payload) if size is None else size) + payload
    return out + b"\0" * (pad and len(payload) % 2)


def riff(*chunks, size=None, form=b"WEBP", tag=b"RIFF"):
    """Returns a file (section 2.4)."""
    body = form + b"".join(chunks)
    return tag + u32(len(body) if size is None else size) + body


ANIMATION, XMP, EXIF, ALPHA, ICC = 2, 4, 8, 16, 32


def vp8x(width, height, flags=0, extra=b""):
    """Returns a VP8X chunk (section 2.7): features and canvas."""
    return chunk("VP8X", u32(flags) + u24(width - 1) + u24(height - 1) + extra)


def alph(payload, compression=0, filtering=0, preprocessing=0, reserved=0):
    """Returns an ALPH chunk (section 2.7.1.2)."""
    return chunk("ALPH", bytes([compression | filtering << 2 | preprocessing << 4 | reserved << 6]) + payload)


def anim(background=0xFFFFFFFF, loops=0):
    """Returns an ANIM chunk (section 2.7.1.1)."""
    return chunk("ANIM", u32(background) + loops.to_bytes(2, "little"))


def anmf(x, y, width, height, duration, *chunks, dispose=0, no_blend=0):
    """Returns an ANMF chunk (section 2.7.1.1). x and y are even."""
    head = u24(x // 2) + u24(y // 2) + u24(width - 1) + u24(height - 1) + u24(duration)
    return chunk("ANMF", head + bytes([dispose | no_blend << 1]) + b"".join(chunks))
