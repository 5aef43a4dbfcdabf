"""Attacks: small files that specify large images, wrong sizes, and much work for few bytes.

Attacks on prefix codes are in vectors_vp8l.py.
"""

import vp8l
from collection import noise, random_for
from container import ALPHA, ANIMATION, anim, anmf, chunk, riff, vp8x
from vp8 import Frame, Macroblock
from vp8l import Copy, Literal, MetaCodes, Normal, Simple, put_image, stream

BROKEN, SHORT, ANIMATED = "bitstream-error", "not-enough-data", "unsupported-feature"
FLAT = [Simple(1), Simple(2), Simple(3), Simple(255), Simple(0)]


def flat(width, height, transforms=lambda out: None):
    """Returns a VP8L chunk in which the code of each pixel has no bits."""
    out = vp8l.header(width, height)
    transforms(out)
    out.put(0, 3)
    for code in FLAT:
        code.define(out, 256)
    return chunk("VP8L", out.bytes())


def noisy_image(out, width, height, values):
    """Writes a row of noise and copies of it: an image of any size in a few bytes."""
    count = width + 3
    operations, at = [Literal(values(index)) for index in range(min(count, width * height))], count
    while at < width * height:
        length = min(4096, width * height - at)
        operations.append(Copy(length, count + 120))
        at += length
    put_image(out, operations, width)


def add_vectors(collection):
    def add(name, data, shows, expect="ok"):
        collection.add("attack-" + name, data, shows, expect)

    # --- Large sizes in small files ---
    add("lossless-134-megapixels", riff(flat(16384, 8192)), "as many pixels as the limit allows, in a few bytes", "limit")
    add("lossless-68-megapixels", riff(flat(8200, 8192)),
        "more pixels than the limit for this number of bytes", "limit")  # fmt: skip
    add("lossless-bare-28-bytes", flat(16384, 16384)[8:].ljust(28, b"\0"), "2^28 pixels in 28 bytes", "limit")
    lossy = Frame(32, 32, [Macroblock() for _ in range(4)]).write()
    claim = lossy[:6] + b"\xff\x3f\xff\x3f" + lossy[10:]
    add("lossy-268-megapixels", riff(chunk("VP8 ", claim)), "2^28 pixels in a small frame", "limit")
    claim = lossy[:6] + b"\x00\x04\x00\x04" + lossy[10:]
    add("lossy-1024x1024", riff(chunk("VP8 ", claim)), "a megapixel in a frame of four macroblocks", SHORT)

    # --- Much work for few bytes ---
    def transforms(out):
        random = random_for("attack-transforms")
        pixels = noise(random, 300)
        out.put(0b00_1, 3)
        out.put(0, 3)
        noisy_image(out, 256, 256, lambda index: 0xFF000000 | (index * 7 % 14) << 8)
        out.put(0b01_1, 3)
        out.put(0, 3)
        noisy_image(out, 256, 256, lambda index: pixels[index])
        out.put(0b10_1, 3)

    add("transforms", riff(flat(1024, 1024, transforms)), "transforms that change with every fourth pixel")
    for name, cache_bits in (("copies", 0), ("copies-cache", 11)):
        # The first row of blocks has a group with literals. The other rows have a group in which each symbol is a
        # backward reference to one pixel, whose code has no bits.
        out = vp8l.header(1024, 1024)
        out.put(0, 1)
        alphabet = 280 + (1 << cache_bits if cache_bits else 0)
        out.put(cache_bits > 0, 1)
        if cache_bits:
            out.put(cache_bits, 4)
        out.put(1, 1)
        out.put(0, 3)
        groups = [0xFF000000] * 256 + [0xFF000100] * 256
        blocks = [Literal(pixel) for pixel in groups] + [Copy(4096, 256 + 120)] * 15 + [Copy(256 * 254 - 4096 * 15, 376)]
        put_image(out, blocks, 256)
        for code in [Simple(5, 200), Simple(7, 8), Simple(3), Simple(255), Simple(0)]:
            code.define(out, alphabet)
        for code in [Normal([0] * 256 + [1]), Simple(0), Simple(0), Simple(0), Simple(3)]:
            code.define(out, alphabet)
        random = random_for(name)
        for _ in range(1024 * 4 * 2):
            out.put(random.below(2), 1)
        add(name, riff(chunk("VP8L", out.bytes())), "a megapixel of copies, each of one pixel and without bits")
    random = random_for("attack-groups")
    codes = {group: [Simple(group), Simple(1), Simple(2), Simple(255), Simple(0)] for group in range(256)}
    groups = [random.below(256) for _ in range(64 * 64)]
    meta = MetaCodes(2, groups, codes, count=256)
    pixels = [Literal(0xFF010002 | groups[y // 4 * 64 + x // 4] << 8) for y in range(256) for x in range(256)]
    add("groups", riff(chunk("VP8L", stream(256, 256, pixels, meta=meta))), "a different group for every fourth pixel")

    # --- Overlapping chunks ---
    image = chunk("VP8 ", Frame(10, 10, [Macroblock()]).write())
    raw = bytes(100)
    add("alpha-covers-image", riff(vp8x(10, 10, ALPHA), chunk("ALPH", b"\0" + raw, size=102 + len(image), pad=False), b"\0", image),
        "an ALPH chunk whose size includes the image", SHORT)  # fmt: skip
    for size, expect in ((0xFFFFFFF6, SHORT), (0xFFFFFFF7, BROKEN), (0x7FFFFFFF, BROKEN), (1 << 20, BROKEN)):
        add(f"alpha-size-{size:x}", riff(vp8x(10, 10, ALPHA), chunk("ALPH", b"\0" + raw, size=size), image),
            "an ALPH chunk larger than the file", expect)  # fmt: skip
    add("alpha-size-3", riff(vp8x(10, 10, ALPHA), chunk("ALPH", b"\0" + raw, size=3), image),
        "an ALPH chunk whose size is too small", BROKEN)  # fmt: skip
    inner = riff(image)
    add("riff-in-riff", riff(vp8x(10, 10), inner, image), "a complete file as a chunk before the image")
    add("vp8x-in-vp8x", riff(vp8x(10, 10), vp8x(10, 10), image), "a second VP8X chunk before the image")

    # --- Animations ---
    def add_animation(name, shows, *chunks, canvas=(20, 20), expect=ANIMATED):
        data = riff(vp8x(*canvas, ANIMATION | ALPHA), anim(), *chunks)
        collection.add("animation-attack-" + name, data, shows, expect)

    frame = anmf(0, 0, 20, 20, 40, flat(20, 20))
    whole = anmf(0, 0, 2000, 2000, 40, flat(2000, 2000))
    add_animation("bomb", "a hundred megapixels in forty frames of a few bytes", *[whole] * 40, canvas=(2000, 2000),
                  expect="limit")  # fmt: skip
    add_animation("frame-claims-more", "a frame that claims to be larger than its image, and than the canvas",
                  anmf(0, 0, 1 << 10, 1 << 10, 40, flat(20, 20)), frame)  # fmt: skip
    add_animation("picture-beyond-canvas", "an image of 2^28 pixels in a frame of one",
                  frame, anmf(0, 0, 1, 1, 40, flat(16384, 16384)))  # fmt: skip
    add_animation("frame-in-frame", "a frame within a frame", anmf(0, 0, 20, 20, 40, frame), frame)
    longer = bytearray(frame)
    longer[4:8] = (len(frame) - 8 + len(frame)).to_bytes(4, "little")
    add_animation("frame-covers-next", "a frame whose size includes the next frame", longer, frame, frame)
    for difference in (-12, -2, 2):
        other = bytearray(frame)
        other[4:8] = (len(frame) - 8 + difference).to_bytes(4, "little")
        # libwebp accepts a frame that extends past its image.
        add_animation(f"frame-size-{difference:+}", "a frame whose size is wrong", frame, other, frame,
                      expect=ANIMATED if difference > 0 else BROKEN)  # fmt: skip
    add_animation("duration", "a frame with a duration of hours, in an endless loop",
                  *[anmf(0, 0, 20, 20, (1 << 24) - 1, flat(20, 20))] * 8)  # fmt: skip
