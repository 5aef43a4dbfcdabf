"""Vectors of the ALPH chunk (RFC 9649, section 2.7.1.2) of a VP8 frame."""

import vp8l
from bits import BitWriter
from collection import random_for
from container import ALPHA, alph, chunk, riff, vp8x
from vectors_vp8 import picture
from vp8l import MetaCodes, stream

FILTERS = ["none", "horizontal", "vertical", "gradient"]


def add_vectors(collection):
    def lossy(width, height):
        return chunk("VP8 ", picture("alpha", width, height, filter_level=10, amount=3).write())

    def add(name, width, height, alpha, shows, expect="ok", flags=ALPHA):
        collection.add(name, riff(vp8x(width, height, flags), alpha, lossy(width, height)), shows, expect)

    def greens(values):
        return [0xFF000000 | value << 8 for value in values]

    def residuals(random, count):
        return [random.choice([0, 0, 0, 0, 1, 255, 2, 250, random.below(256)]) for _ in range(count)]

    # --- Compression, filter, pre-processing ---
    for filtering, label in enumerate(FILTERS):
        for preprocessing in (0, 1):
            for compression, kind in ((0, "raw"), (1, "lossless")):
                name = f"alpha-{kind}-{label}" + "-levels-reduced" * preprocessing
                values = residuals(random_for(name), 21 * 13)
                payload = bytes(values) if compression == 0 else stream(21, 13, greens(values), headless=True)
                add(name, 21, 13, alph(payload, compression, filtering, preprocessing), "a method to store alpha")
        for width, height in ((1, 1), (1, 19), (19, 1), (16, 16), (70, 40)):
            name = f"alpha-{label}-{width}x{height}"
            values = residuals(random_for(name), width * height)
            add(name, width, height, alph(bytes(values), filtering=filtering), "a filter at the borders")
        name = f"alpha-{label}-noise"
        payload = random_for(name).bytes(23 * 17)
        add(name, 23, 17, alph(payload, filtering=filtering), "sums that wrap, or that the gradient clamps")

    # --- Bitstreams of compressed alpha ---
    def compressed(name, width, height, shows, pixels=None, transforms=(), filtering=1, cut=0, expect="ok", **options):
        random = random_for(name)
        pixels = pixels or greens(residuals(random, width * height))
        payload = stream(width, height, pixels, transforms, headless=True, **options)
        add(name, width, height, alph(payload[: len(payload) - cut], 1, filtering), shows, expect)

    size = (26, 18)
    for colors in (1, 2, 3, 4, 7, 16, 40, 256):
        random = random_for(f"alpha-palette-{colors}")
        palette = greens(random.below(256) for _ in range(colors))
        indices = [random.below(colors) for _ in range(26 * 18)]
        pixels = vp8l.bundled(indices, *size, colors)
        for filtering, label in enumerate(FILTERS):
            if colors in (4, 40) or filtering == 0:
                compressed(f"alpha-palette-{colors}-{label}", *size,
                           "a palette as the only transform, which decoders can store in bytes",
                           pixels, [vp8l.color_indexing(palette)], filtering)  # fmt: skip
    random = random_for("alpha-palette-odd")
    palette = greens(random.below(256) for _ in range(5))
    indices = [random.below(16) for _ in range(26 * 18)]
    pixels = vp8l.bundled(indices, *size, 5)
    transform = [vp8l.color_indexing(palette)]
    compressed("alpha-palette-out-of-range", *size, "indices beyond the palette are 0", pixels, transform)
    compressed("alpha-palette-with-cache", *size, "a palette and a color cache", pixels, transform, cache_bits=3)
    other = [pixel | random.below(4) << 16 for pixel in pixels]
    compressed("alpha-palette-with-red", *size, "a palette, and red that is not always the same", other, transform)
    meta = MetaCodes(3, [random.below(3) for _ in range(2 * 3)])
    compressed("alpha-palette-with-groups", *size, "a palette and several groups", pixels, transform, meta=meta)
    for cut in (1, 2, 3, 4, 20):
        # If a palette is the only transform, the last symbol may extend past the end.
        expect = "ok" if cut == 1 else "bitstream-error"
        compressed(f"alpha-palette-cut-{cut}", *size, "bytes missing at the end of a palette's pixels", pixels, transform,
                   cut=cut, expect=expect)  # fmt: skip
        compressed(f"alpha-lossless-cut-{cut}", *size, "bytes missing at the end", cut=cut, expect="bitstream-error")

    # --- Palettes whose data end within the last symbol, which libwebp completes from its buffered bits ---
    palette = vp8l.color_indexing(greens(range(5, 158, 9)))  # 17 colors, which are not packed

    def incomplete(name, area, shows, missing, last, expect="ok", **options):
        """Adds an image of literals and `last` without its last `missing` bits (1...8)."""
        random = random_for(name)
        while True:
            count = area[0] * area[1] - sum(getattr(operation, "length", 1) for operation in last)
            literals = [vp8l.Literal(pixel) for pixel in greens(random.choice((0, 1, 2, 16)) for _ in range(count))]
            out = BitWriter()
            payload = stream(*area, literals + last, [palette], headless=True, out=out, **options)
            if (out.count - missing) % 8 == 0:
                return add(name, *area, alph(payload[:-1], 1), shows, expect)

    # A length of 10 has two extra bits. The distance code 18 has a symbol of four bits, and three extra bits.
    for name, missing in (("length", 8), ("distance", 5), ("distance-bits", 2)):
        incomplete(f"alpha-palette-cut-in-{name}", (17, 4), "the data end within the last backward reference",
                   missing, [vp8l.Copy(10, 18)], codes=[None] * 4 + [vp8l.flat_code(16)])  # fmt: skip
    # A symbol may be incomplete only if all groups have bits for green alone. libwebp ignores unused groups in this test
    # if there are more than 1,000 groups, or more groups than pixels.
    one, two, colors = vp8l.Simple(0), vp8l.Simple(0, 1), vp8l.Normal([1, 2, 3] + [0] * 13 + [3])
    for name, area, groups, unused, expect in (
        ("green", (8, 5), [0, 2, 2, 0], [two, one, one, one, one], "ok"),
        ("red", (8, 5), [0, 2, 2, 0], [one, two, one, one, one], "bitstream-error"),
        ("red-of-many", (2, 2), [4], [one, two, one, one, one], "ok"),
    ):
        codes = [[colors, None, None, None, None] if group in groups else unused for group in range(5)]
        incomplete(f"alpha-palette-unused-{name}", area, "an unused group, and data that end within the last symbol", 1,
                   [vp8l.Literal(0xFF001000)], expect, meta=MetaCodes(2, groups, dict(enumerate(codes))))  # fmt: skip
    solid = [0xFF008000] * (26 * 18)
    compressed("alpha-lossless-one-value", *size, "one value for all pixels, which takes no bits", solid, filtering=0)
    compressed("alpha-lossless-one-value-gradient", *size, "one residual for all pixels", solid, filtering=3)
    transforms = [vp8l.predictor(*size, 2, [11, 1, 2, 12]), vp8l.subtract_green(), vp8l.color(*size, 3, [(1, 2, 3)])]
    compressed("alpha-lossless-transforms", *size, "color transforms, which alpha ignores", transforms=transforms)
    compressed("alpha-lossless-cache", *size, "a color cache", cache_bits=6)
    meta = MetaCodes(2, [random.below(4) for _ in range(7 * 5)])
    compressed("alpha-lossless-groups", *size, "several groups", meta=meta)
    pixels = [random.below(1 << 32) for _ in range(26 * 18)]
    compressed("alpha-lossless-other-channels", *size, "only green is alpha", pixels, filtering=0)
    payload = stream(10, 10, greens(residuals(random, 100)))
    add("alpha-lossless-with-header", 10, 10, alph(payload, 1), "a VP8L stream with its header", "out-of-memory")

    # --- Invalid ---
    raw = random_for("alpha-raw").bytes(10 * 10)
    for label, alpha, expect in (
        ("exact", alph(raw), "ok"), ("long", alph(raw + b"more"), "ok"), ("short", alph(raw[:-1]), "out-of-memory"),
        ("one-byte", alph(b"x"), "out-of-memory"), ("header-only", alph(b""), "out-of-memory"),
        ("lossless-header-only", alph(b"", 1), "out-of-memory"), ("compression-2", alph(raw, 2), "out-of-memory"),
        ("compression-3", alph(raw, 3), "out-of-memory"), ("pre-processing-2", alph(raw, 0, 0, 2), "out-of-memory"),
        ("pre-processing-3", alph(raw, 0, 0, 3), "out-of-memory"), ("reserved-1", alph(raw, 0, 0, 0, 1), "out-of-memory"),
        ("reserved-2", alph(raw, 0, 0, 0, 2), "out-of-memory"), ("reserved-3", alph(raw, 0, 0, 0, 3), "out-of-memory"),
        ("lossless-broken", alph(b"\xff" * 50, 1), "out-of-memory"), ("empty", chunk("ALPH", b""), "out-of-memory"),
        ("lossless-zeros", alph(bytes(60), 1), "out-of-memory"),
    ):  # fmt: skip
        add(f"alpha-chunk-{label}", 10, 10, alpha, "a chunk that is valid or invalid", expect)
    add("alpha-flag-missing", 10, 10, alph(raw), "the flags in VP8X do not declare the alpha", flags=0)
    collection.add("alpha-flag-alone", riff(vp8x(10, 10, ALPHA), lossy(10, 10)),
                   "the flag for alpha, but no ALPH chunk")  # fmt: skip
    second = alph(bytes(255 - b for b in raw))
    add("alpha-twice", 10, 10, alph(raw) + second, "the last of several chunks counts")
    add("alpha-twice-first-broken", 10, 10, alph(raw, 3) + second, "only the last of several ALPH chunks counts")
    add("alpha-twice-last-empty", 10, 10, alph(raw) + chunk("ALPH", b""),
        "the last ALPH chunk is empty, and therefore invalid", "out-of-memory")  # fmt: skip
    data = riff(vp8x(10, 10, ALPHA), lossy(10, 10), alph(raw))
    collection.add("alpha-after-the-image", data, "alpha after the image is ignored")
    lossless = chunk("VP8L", stream(10, 10, greens(range(100))))
    data = riff(vp8x(10, 10, ALPHA), alph(raw), lossless)
    collection.add("alpha-beside-lossless", data, "alpha with a lossless image is ignored")
    data = riff(vp8x(10, 10, ALPHA), alph(raw, 3), lossless)
    collection.add("alpha-broken-beside-lossless", data, "an invalid ALPH chunk that is ignored")
    collection.add("alpha-without-vp8x", riff(alph(raw), lossy(10, 10)), "ALPH without VP8X", "bitstream-error")
    name = "alpha-large"
    values = [min(255, x) for _ in range(100) for x in range(180)]
    residual = [128] + [255 if v == 0 else 1 for v in values[1:]]
    payload = stream(180, 100, greens(residual), headless=True)
    add(name, 180, 100, alph(payload, 1, 3), "many rows, for which alpha and color are decoded alternately")
