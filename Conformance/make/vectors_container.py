"""Vectors of the RIFF container (RFC 9649, section 2): orders, sizes, truncation, and bare streams."""

from collection import noise, random_for, waves
from container import ALPHA, ANIMATION, EXIF, ICC, XMP, alph, anim, anmf, chunk, riff, u32, vp8x
from vectors_vp8 import picture
from vp8l import stream

BROKEN, SHORT, ANIMATED = "bitstream-error", "not-enough-data", "unsupported-feature"


def add_vectors(collection):
    add = collection.add
    frame = picture("container", 12, 10, amount=3).write()
    if len(frame) % 2:
        frame += b"\0"
    lossless_stream = stream(12, 10, waves(12, 10, alpha=True))
    lossless_stream += b"\0" * (len(lossless_stream) % 2)
    lossy, lossless = chunk("VP8 ", frame), chunk("VP8L", lossless_stream)
    odd_lossy, odd_lossless = frame + b"\0", lossless_stream + b"\0"
    alpha = alph(random_for("container-alpha").bytes(120))
    icc, exif, xmp = chunk("ICCP", b"a profile"), chunk("EXIF", b"MM\0*\0\0\0\x08"), chunk("XMP ", b"<x:xmpmeta/>")
    unknown = chunk("ABCD", b"what is this")

    # --- Valid files ---
    add("riff-lossy", riff(lossy), "the simple lossy layout")
    add("riff-lossless", riff(lossless), "the simple lossless layout")
    add("riff-extended-lossy", riff(vp8x(12, 10), lossy), "VP8X without any feature")
    add("riff-extended-lossless", riff(vp8x(12, 10), lossless), "VP8X without any feature")
    add("riff-extended-alpha", riff(vp8x(12, 10, ALPHA), alpha, lossy), "VP8X, ALPH, VP8")
    add("riff-metadata", riff(vp8x(12, 10, ICC | EXIF | XMP), icc, lossy, exif, xmp), "ICC, Exif and XMP")
    everything = [vp8x(12, 10, ICC | EXIF | XMP | ALPHA), icc, unknown, alpha, unknown, lossy, exif, unknown, xmp, unknown]
    add("riff-everything", riff(*everything), "all chunks of a still image, with unknown ones between")

    # --- Orders ---
    add("riff-metadata-first", riff(vp8x(12, 10, ICC | EXIF | XMP), xmp, exif, icc, lossless), "metadata before the image")
    add("riff-metadata-last", riff(vp8x(12, 10, ICC), lossless, xmp, exif, icc), "an ICC profile after the image")
    add("riff-metadata-twice", riff(vp8x(12, 10, ICC), icc, chunk("ICCP", b"two"), lossy, exif, exif), "two chunks of each kind of metadata")
    add("riff-metadata-empty", riff(vp8x(12, 10, ICC), chunk("ICCP", b""), lossy, chunk("EXIF", b"")), "empty metadata")
    add("riff-metadata-flags-wrong", riff(vp8x(12, 10, ICC | XMP), lossy, exif), "flags that do not match the chunks")
    add("riff-metadata-without-vp8x", riff(lossy, icc, exif), "metadata after a simple image")
    add("riff-metadata-before-simple", riff(icc, lossy), "metadata before a simple image", BROKEN)
    for count in range(1, 4):
        add(f"riff-unknown-{count}", riff(vp8x(12, 10), *[unknown] * count, lossy), "unknown chunks before the image")
    add("riff-unknown-odd", riff(vp8x(12, 10), chunk("odd ", b"abc"), lossy), "an unknown chunk of odd size")
    add("riff-unknown-empty", riff(vp8x(12, 10), chunk("none", b""), lossy), "an unknown chunk of no size")
    add("riff-unknown-tag-bytes", riff(vp8x(12, 10), chunk("\0\xff\x01\n", b"??"), lossy),
        "a chunk type that is not text")  # fmt: skip
    add("riff-unknown-after", riff(lossy, unknown), "an unknown chunk after a simple image")
    add("riff-unknown-first", riff(unknown, vp8x(12, 10), lossy), "an unknown chunk before VP8X", BROKEN)
    add("riff-unknown-before-simple", riff(unknown, lossy), "an unknown chunk before a simple image", BROKEN)
    add("riff-two-images", riff(lossy, chunk("VP8 ", picture("other", 12, 10).write())), "the first image counts")
    add("riff-two-kinds", riff(vp8x(12, 10), lossless, lossy), "the first image counts, whatever its kind")
    add("riff-two-kinds-reversed", riff(vp8x(12, 10), lossy, lossless), "the first image counts, whatever its kind")
    add("riff-vp8x-twice", riff(vp8x(12, 10), vp8x(99, 99), lossy), "the first VP8X counts")
    add("riff-vp8x-after", riff(lossy, vp8x(12, 10)), "a VP8X chunk after the image")
    add("riff-vp8x-alone", riff(vp8x(12, 10)), "no image", SHORT)
    add("riff-vp8x-no-image", riff(vp8x(12, 10), icc, exif), "no image", SHORT)
    add("riff-empty", riff(), "no chunk", BROKEN)

    # --- VP8X ---
    add("riff-vp8x-reserved-bits", riff(vp8x(12, 10, 0xFFFFFF01), lossy), "reserved bits set")
    add("riff-vp8x-long", riff(vp8x(12, 10, 0, b"more"), lossy), "a VP8X chunk that is too long", BROKEN)
    add("riff-vp8x-short", riff(chunk("VP8X", bytes(8)), lossy), "a VP8X chunk that is too short", BROKEN)
    for label, width, height in (("width", 13, 10), ("height", 12, 9), ("swapped", 10, 12), ("huge", 1 << 24, 256)):
        expect = BROKEN
        add(f"riff-canvas-{label}", riff(vp8x(width, height), lossy), "a canvas other than the image", expect)
        add(f"riff-canvas-{label}-lossless", riff(vp8x(width, height), lossless), "a canvas other than the image", expect)
    add("riff-canvas-too-large", riff(vp8x(1 << 24, 1 << 24), lossy), "a canvas of 2^48 pixels", BROKEN)

    # --- Sizes, padding and ends ---
    for label, payload, tag in (("lossy", odd_lossy, "VP8 "), ("lossless", odd_lossless, "VP8L")):
        for pad in (True, False):
            where = "padded" if pad else "unpadded"
            odd = chunk(tag, payload, pad=pad)
            add(f"riff-odd-{label}-{where}", riff(odd), "an image of odd size")
            add(f"riff-odd-{label}-{where}-extended", riff(vp8x(12, 10), odd), "an image of odd size after VP8X",
                "ok" if pad else BROKEN)  # fmt: skip
            body = b"WEBP" + vp8x(12, 10) + odd
            data = b"RIFF" + u32(len(body) - pad) + body
            add(f"riff-odd-{label}-{where}-uncounted", data, "a pad byte that the RIFF size does not count",
                BROKEN)  # fmt: skip
        add(f"riff-odd-{label}-before-more", riff(vp8x(12, 10), chunk(tag, payload), exif),
            "an image of odd size, followed by another chunk")  # fmt: skip
    for image, label, payload, tag in ((lossy, "lossy", frame, "VP8 "), (lossless, "lossless", lossless_stream, "VP8L")):
        whole = riff(image)
        add(f"riff-trailing-{label}", whole + b"behind the end", "bytes after the RIFF size")
        add(f"riff-trailing-odd-{label}", whole + b"!", "a byte after the RIFF size")
        for difference in (-2, -1, 1, 2):
            data = riff(image, size=len(image) + 4 + difference)
            expect = SHORT if difference > 0 else BROKEN
            add(f"riff-size-{difference:+}-{label}", data, "a RIFF size that does not match", expect)
        add(f"riff-size-0-{label}", riff(image, size=0), "a RIFF size of 0", BROKEN)
        add(f"riff-size-11-{label}", riff(image, size=11), "a RIFF size too small for any chunk", BROKEN)
        add(f"riff-size-12-{label}", riff(image, size=12), "a RIFF size without room for the image", BROKEN)
        for size in (0xFFFFFFF6, 0xFFFFFFF7, 0xFFFFFFFF, 0x80000000):
            expect = SHORT if size <= 0xFFFFFFF6 else BROKEN
            add(f"riff-size-{size:x}-{label}", riff(image, size=size), "a RIFF size far too large", expect)
        for difference in (-8, -1, 1, 2, 1000):
            data = riff(chunk(tag, payload, size=len(payload) + difference))
            expect = "ok" if difference < 0 else BROKEN
            add(f"riff-image-size-{difference:+}-{label}", data, "an image chunk whose size does not match", expect)
            data = riff(vp8x(12, 10), chunk(tag, payload, size=len(payload) + difference))
            add(f"riff-image-size-{difference:+}-{label}-extended", data,
                "the size of an image chunk after VP8X does not match", expect)  # fmt: skip
        for size in (0, 5, 10, 14, 20):
            # The only check of the size: the first partition of VP8 must be smaller than the chunk.
            expect = BROKEN if tag == "VP8 " and size < 10 else "ok"
            data = riff(chunk(tag, payload, size=size))
            add(f"riff-image-size-{size}-{label}", data, "an image chunk that claims to be tiny", expect)
        for size in (0xFFFFFFF6, 0xFFFFFFF7, 0xFFFFFFFF):
            add(f"riff-image-size-{size:x}-{label}", riff(chunk(tag, payload, size=size)), "a huge image chunk", BROKEN)
        data = riff(chunk(tag, payload[:-20], size=len(payload) - 20), chunk("more", payload[-28:]))
        add(f"riff-image-reads-on-{label}", data,
            "a stream that is longer than its chunk, and continues in the next chunk")  # fmt: skip
        for cut in (1, 2, len(payload) // 2, len(payload) - 1, len(payload), len(payload) + 3):
            headless = cut > len(payload) // 2
            expect = BROKEN if headless else SHORT
            add(f"riff-cut-{cut}-{label}", whole[:-cut], "the end of the file is missing", expect)
            shorter = riff(chunk(tag, payload[:-cut])) if cut < len(payload) else riff(chunk(tag, b""))
            # The last byte of both streams is padding.
            expect = "ok" if cut == 1 else SHORT if tag == "VP8 " and not headless else BROKEN
            add(f"riff-mended-cut-{cut}-{label}", shorter, "the end is missing, and the sizes are adapted", expect)
    # libwebp compares a 32-bit sum of sizes with the RIFF size. The largest sizes overflow it.
    for size, expect in (
        (0x7FFFFFFE, BROKEN), (0xFFFFFFDF, BROKEN), (0xFFFFFFE8, SHORT), (0xFFFFFFF5, SHORT), (0xFFFFFFF6, SHORT),
        (0xFFFFFFF7, BROKEN), (0xFFFFFFFF, BROKEN),
    ):  # fmt: skip
        data = riff(vp8x(12, 10), chunk("what", b"1234", size=size), lossy)
        add(f"riff-unknown-size-{size:x}", data, "an unknown chunk that claims to be huge", expect)
    data = riff(vp8x(12, 10), chunk("what", b"1234", size=40), lossy)
    add("riff-unknown-too-large", data, "an unknown chunk that contains the header of the image", BROKEN)
    data = riff(vp8x(12, 10, EXIF), lossy, chunk("EXIF", b"1234", size=400))
    add("riff-metadata-cut", data, "metadata after the image that is longer than the file")
    add("riff-metadata-header-cut", riff(vp8x(12, 10, EXIF), lossy, b"EXI"), "half a chunk header after the image")
    add("riff-stray-byte", riff(lossy, b"?"), "a stray byte after the image")

    # --- Tags ---
    add("riff-form-type", riff(lossy, form=b"WEBQ"), "RIFF, but not WEBP", BROKEN)
    add("riff-tag", riff(lossy, tag=b"RIFX"), "not RIFF", BROKEN)
    add("riff-tag-lower-case", riff(lossy, tag=b"riff"), "not RIFF", BROKEN)
    add("riff-image-tag", riff(chunk("VP8M", frame)), "an image tag that is unknown", BROKEN)
    add("riff-image-tag-vp8", riff(chunk("VP8\0", frame)), "an image tag that is unknown", BROKEN)
    add("riff-image-tag-swapped", riff(chunk("VP8L", frame)), "VP8 in a VP8L chunk", BROKEN)
    add("riff-image-tag-swapped-lossless", riff(chunk("VP8 ", lossless_stream)), "VP8L in a VP8 chunk", BROKEN)
    for length in (0, 1, 4, 8, 11, 12, 13, 16, 19, 20, 21):
        add(f"riff-first-{length}-bytes", riff(lossy)[:length], "a file of a few bytes", BROKEN)
    add("riff-text", b"This is not a picture at all.", "some text", BROKEN)
    add("riff-png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1", "another format", BROKEN)

    # --- Streams without RIFF ---
    add("bare-vp8", frame, "a VP8 frame without any header")
    add("bare-vp8l", lossless_stream, "a VP8L stream without any header")
    add("bare-chunk-vp8", lossy, "a VP8 chunk")
    add("bare-chunk-vp8l", lossless, "a VP8L chunk")
    add("bare-chunk-alpha", alpha + lossy, "ALPH and VP8 chunks, as in a frame of an animation")
    add("bare-chunk-alpha-unknown", alpha + unknown + lossy, "with an unknown chunk between")
    add("bare-chunk-alpha-twice", alpha + alph(bytes(120)) + lossy, "with two ALPH chunks")
    add("bare-chunk-alpha-lossless", alpha + lossless, "ALPH and VP8L chunks")
    add("bare-chunk-unknown", unknown + lossy, "an unknown chunk, then VP8", BROKEN)
    add("bare-chunk-vp8x", vp8x(12, 10) + lossy, "VP8X without RIFF", BROKEN)
    add("bare-chunk-trailing", lossy + b"more", "bytes after a VP8 chunk")
    add("bare-chunk-size+1", chunk("VP8 ", frame, size=len(frame) + 1), "a chunk longer than the file", SHORT)
    add("bare-riff-raw", riff(frame), "a VP8 frame right after the RIFF header")
    add("bare-riff-raw-lossless", riff(lossless_stream), "a VP8L stream right after the RIFF header")
    add("bare-riff-extended-raw", riff(vp8x(12, 10), frame), "a VP8 frame right after VP8X", BROKEN)

    # --- Animations, whose first frame is decoded as a still image ---
    def image(name, width, height, alpha=True):
        return chunk("VP8L", stream(width, height, noise(random_for(name), width * height, alpha)))

    def animated(name, shows, *chunks, flags=ANIMATION | ALPHA, canvas=(20, 16), expect=ANIMATED):
        add(name, riff(vp8x(*canvas, flags), *chunks), shows, expect)

    full = anmf(0, 0, 20, 16, 100, image("full", 20, 16))
    part = anmf(4, 6, 9, 7, 50, image("part", 9, 7))
    animated("animation-full-frames", "frames of the canvas' size", anim(), full, anmf(0, 0, 20, 16, 9, image("b", 20, 16)))
    animated("animation-first-frame-part", "a first frame that is smaller than the canvas", anim(), part, full)
    animated("animation-one-frame", "an animation of one frame", anim(0x80123456, 3), part)
    animated("animation-lossy", "frames of VP8", anim(), anmf(2, 2, 12, 10, 9, lossy), part)
    animated("animation-lossy-alpha", "frames of VP8 with ALPH", anim(), anmf(2, 4, 12, 10, 9, alpha, lossy), part)
    animated("animation-opaque-background", "no alpha anywhere", anim(0xFF0000FF), anmf(2, 2, 12, 10, 9, lossy),
             flags=ANIMATION)  # fmt: skip
    animated("animation-no-frames", "no frame", anim())
    animated("animation-nothing", "VP8X alone")
    animated("animation-frame-empty", "a frame without an image", anim(), anmf(0, 0, 20, 16, 9), full)
    animated("animation-frame-off-canvas", "a frame that extends beyond the canvas", anim(), anmf(10, 0, 20, 16, 9,
             image("full", 20, 16)))  # fmt: skip
    animated("animation-frame-broken",
             "a first frame that is corrupt", anim(), anmf(0, 0, 20, 16, 9, chunk("VP8L", b"\x2f")))  # fmt: skip
    animated("animation-and-image", "an image in addition to the frames", anim(), full, image("i", 20, 16))
    animated("animation-image-first", "an image before the frames", image("i", 20, 16), anim(), full)
    animated("animation-flag-missing", "frames, but no animation flag", anim(), full, flags=ALPHA, expect=SHORT)
    animated("animation-unknown-chunks", "unknown chunks between the frames", unknown, anim(), unknown, part, unknown, full)
    animated("animation-canvas-huge", "a canvas of 2^28 pixels", anim(), full, canvas=(1 << 14, 1 << 14))
