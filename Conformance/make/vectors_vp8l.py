"""Vectors of VP8L bitstreams, for each feature of RFC 9649, section 3."""

from itertools import permutations

import vp8l
from collection import noise, random_for, waves
from container import chunk, riff
from vp8l import Cached, Copy, Literal, MetaCodes, Normal, RawCopy, Simple, Transform, flat_code, stream

BROKEN = "bitstream-error"


def simple_file(payload):
    return riff(chunk("VP8L", payload))


def soft(width, height, random, alpha=False):
    """Returns residuals like an encoder's: small, around 0."""

    def small():
        return random.choice([0, 0, 0, 1, 2, 3, 253, 254, 255, random.below(256)])

    return [(small() if alpha else 0) << 24 | small() << 16 | small() << 8 | small() for _ in range(width * height)]


def gray(values):
    return [0xFF000000 | v << 8 for v in values]


def gates(lengths):
    """Returns the code space that the lengths occupy, in units of 2^-15. 2^15 is complete."""
    return sum(1 << 15 - length for length in lengths if length)


def add_vectors(collection):
    def add(name, payload, shows, expect="ok"):
        collection.add(name, simple_file(payload), shows, expect)

    # --- Sizes and the header (section 3.4) ---
    for width, height in ((1, 1), (2, 1), (1, 2), (3, 3), (1, 50), (50, 1), (17, 9), (64, 5), (600, 2)):
        add(f"vp8l-size-{width}x{height}", stream(width, height, waves(width, height, alpha=True)), "a size")
    pixels = waves(9, 7, alpha=True)
    for alpha in (0, 1):
        out = vp8l.header(9, 7, alpha=alpha)
        add(f"vp8l-alpha-is-used-{alpha}", stream(9, 7, pixels, out=out), "alpha_is_used changes no pixel")
    for version in range(1, 8):
        add(f"vp8l-version-{version}", stream(9, 7, pixels, out=vp8l.header(9, 7, version=version)), "a version", BROKEN)
    add("vp8l-signature", stream(9, 7, pixels, out=vp8l.header(9, 7, signature=0x2E)), "a wrong signature", BROKEN)
    good = stream(9, 7, pixels)
    for length in range(7):
        add(f"vp8l-cut-to-{length}-bytes", good[:length], "a chunk that ends in or after the header", BROKEN)
    add("vp8l-end-1-byte-short", good[:-1], "the last byte is missing", BROKEN)
    add("vp8l-end-trailing-bytes", good + b"trailing bytes", "bytes after the end of the stream")
    for count in range(56, 65):
        out = vp8l.header(count, 1)
        codes = [Normal([1, 1]), Simple(0), Simple(0), Simple(255), Simple(0)]
        payload = stream(count, 1, gray(i % 2 for i in range(count)), out=out, codes=codes)
        add(f"vp8l-end-exact-{count}", payload, "the end of the stream at each bit of the last byte")

    # --- Transforms (section 3.5) ---
    width, height = 21, 18
    for mode in range(16):
        name = f"vp8l-predictor-{mode}"
        random = random_for(name)
        payload = stream(width, height, soft(width, height, random, alpha=True),
                         [vp8l.predictor(width, height, 2, [mode])])  # fmt: skip
        add(name, payload, "a predictor mode, and the rules for the borders")
        name = f"vp8l-predictor-{mode}-noise"
        payload = stream(9, 9, noise(random, 81), [vp8l.predictor(9, 9, 4, [mode])])
        add(name, payload, "a predictor mode over residuals of any size")
    for bits in range(2, 10):
        name = f"vp8l-predictor-bits-{bits}"
        random = random_for(name)
        payload = stream(40, 20, soft(40, 20, random), [vp8l.predictor(40, 20, bits, list(range(14)))])
        add(name, payload, "the size of the blocks that share a predictor mode")
    name = "vp8l-predictor-mode-high-bits"
    transform = vp8l.predictor(12, 12, 2, [0])
    transform.image = [0x11223344 | mode << 12 | 0x0500 for mode in range(9)]
    add(name, stream(12, 12, soft(12, 12, random_for(name)), [transform]), "only the low 4 bits of green are the mode")
    name = "vp8l-predictor-1-column"
    add(name, stream(1, 9, noise(random_for(name), 9), [vp8l.predictor(1, 9, 2, [3, 9, 11])]),
        "one column, in which all pixels are predicted from above")  # fmt: skip
    name = "vp8l-predictor-2-columns"
    transform = vp8l.predictor(2, 40, 2, [3, 5, 9, 10])
    add(name, stream(2, 40, noise(random_for(name), 80), [transform]), "above to the right of the last column")
    for bits in (2, 3, 5, 9):
        name = f"vp8l-color-transform-bits-{bits}"
        random = random_for(name)
        elements = [(random.below(256), random.below(256), random.below(256)) for _ in range(7)]
        add(name, stream(30, 14, noise(random, 420), [vp8l.color(30, 14, bits, elements)]), "a color transform")
    name = "vp8l-color-transform-extremes"
    elements = [(a, b, c) for a in (-128, 127) for b in (-128, 127, 0) for c in (-128, 127, -1)]
    extremes = [0x007F80FF, 0x00808080, 0x00FF7F01, 0x80FF00FF, 0x00807F7F]
    pixels = [extremes[i % 5] for i in range(24 * 12)]
    add(name, stream(24, 12, pixels, [vp8l.color(24, 12, 2, elements)]), "the largest products of a color transform")
    name = "vp8l-color-transform-element-alpha"
    transform = vp8l.color(8, 8, 2, [(3, 7, 11)])
    transform.image = [element & 0xFFFFFF | 0x12000000 for element in transform.image]
    add(name, stream(8, 8, noise(random_for(name), 64), [transform]), "alpha of an element has no meaning")
    name = "vp8l-subtract-green"
    add(name, stream(20, 10, noise(random_for(name), 200), [vp8l.subtract_green()]), "green added to red and blue")

    names = {0: "predictor", 1: "color", 2: "green", 3: "palette"}
    for count in range(2, 5):
        for order in permutations(range(4), count):
            name = "vp8l-transforms-" + "-".join(names[kind] for kind in order)
            random = random_for(name)
            width = current = 19
            height, transforms = 11, []
            for kind in order:
                if kind == vp8l.PREDICTOR:
                    transforms.append(vp8l.predictor(current, height, 2, [11, 5, 13, 7, 2]))
                elif kind == vp8l.COLOR:
                    transforms.append(vp8l.color(current, height, 3, [(9, -30, 77), (-5, 99, 3)]))
                elif kind == vp8l.SUBTRACT_GREEN:
                    transforms.append(vp8l.subtract_green())
                else:
                    colors = random.choice([2, 4, 9, 40])
                    transforms.append(vp8l.color_indexing(noise(random, colors)))
                    current = (current - 1 >> vp8l.width_bits(colors)) + 1
            payload = stream(width, height, soft(current, height, random, alpha=True), transforms)
            add(name, payload, "transforms in this order; transforms after the palette apply to packed pixels")
    for kind in range(4):
        name = f"vp8l-transforms-{names[kind]}-twice"
        random = random_for(name)
        transform = [vp8l.predictor(8, 8, 2, [1]), vp8l.color(8, 8, 2, [(1, 2, 3)]), vp8l.subtract_green(),
                     vp8l.color_indexing(noise(random, 20))][kind]  # fmt: skip
        for label, between in (("", []), ("-apart", [vp8l.subtract_green()])):
            if kind == vp8l.SUBTRACT_GREEN and between:
                continue
            payload = stream(8, 8, soft(8, 8, random), [transform, *between, transform])
            add(name + label, payload, "a transform that occurs twice", BROKEN)

    # --- Palettes (section 3.5.4) ---
    for colors in (1, 2, 3, 4, 5, 15, 16, 17, 128, 255, 256):
        for width in (1, 8, 13):
            name = f"vp8l-palette-{colors}-width-{width}"
            random = random_for(name)
            indices = [random.below(colors) for _ in range(width * 9)]
            pixels = vp8l.bundled(indices, width, 9, colors)
            payload = stream(width, 9, pixels, [vp8l.color_indexing(noise(random, colors))])
            add(name, payload, "a palette; up to 16 colors are packed")
    for colors in (1, 3, 5, 11, 17, 100):
        name = f"vp8l-palette-{colors}-indices-out-of-range"
        random = random_for(name)
        depth = 8 >> vp8l.width_bits(colors)
        indices = [random.below(1 << depth) for _ in range(11 * 7)]
        pixels = vp8l.bundled(indices, 11, 7, colors)
        payload = stream(11, 7, pixels, [vp8l.color_indexing(noise(random, colors))])
        add(name, payload, "indices beyond the palette are transparent black")
    name = "vp8l-palette-other-channels"
    random = random_for(name)
    pixels = [random.below(1 << 32) for _ in range(5 * 6)]
    add(name, stream(17, 6, pixels, [vp8l.color_indexing(noise(random, 4))]), "only green is an index")
    name = "vp8l-palette-with-cache"
    random = random_for(name)
    palette = [random.choice([0x01020304, 0xFF000000, 0x01010101]) for _ in range(30)]
    transform = Transform(vp8l.COLOR_INDEXING, 0, palette, cache_bits=4)
    add(name, stream(6, 6, gray(range(36)), [transform]), "a palette stored with a color cache and copies")
    name = "vp8l-palette-two-symbols-row-end"
    payload = stream(9, 4, gray([0b10110100, 1, 0b01010101, 0] * 2), [vp8l.color_indexing([0xFFFF0000, 0xFF0000FF])])
    add(name, payload, "the last pixel of a row packs fewer indices, and each row starts with a new packed pixel")

    # --- Color cache (section 3.5.2.3) ---
    for bits in range(1, 12):
        name = f"vp8l-cache-{bits}"
        random = random_for(name)
        colors = noise(random, 12)
        pixels = [random.choice(colors) for _ in range(16 * 12)]
        add(name, stream(16, 12, pixels, cache_bits=bits), "a color cache of this many bits")
    for bits in (0, 12, 15):
        name = f"vp8l-cache-{bits}-bits"
        add(name, stream(4, 4, gray([1, 2] * 8), cache_field=bits), "a color cache of no or too many bits", BROKEN)
    name = "vp8l-cache-before-any-pixel"
    operations = [Cached(5), Cached(0), Literal(0xFF123456), Cached(7), Literal(0), Cached(15)]
    add(name, stream(3, 2, operations, cache_bits=4), "cache entries are 0 until a pixel is inserted")
    name = "vp8l-cache-after-copies"
    first = [0xFF00FF00, 0x80112233]
    index = [vp8l.cache_index(pixel, 2) for pixel in first]
    assert index[0] != index[1]
    other = next(p for p in range(0xFF000000, 0xFF001000) if vp8l.cache_index(p, 2) == index[0])
    operations = [Literal(first[0]), Literal(first[1]), Literal(other), Copy(2, 120 + 3), Cached(index[0])]
    add(name, stream(6, 1, operations, cache_bits=2), "copied pixels enter the cache too")
    name = "vp8l-cache-after-alternating-copy"
    colors = [p for p in range(0xFF000000, 0xFF001000) if vp8l.cache_index(p, 4) == vp8l.cache_index(0xFF000000, 4)][:2]
    # The slot contains the second color before the copy, and the first one after it.
    operations = [Literal(colors[0]), Literal(colors[1]), Copy(3, 120 + 2), Cached(vp8l.cache_index(colors[0], 4))]
    add(name, stream(6, 1, operations, cache_bits=4), "a copy repeats two colors that share a slot of the cache")
    name = "vp8l-cache-all-symbols"
    random = random_for(name)
    operations = [Literal(p) for p in noise(random, 40)] + [Cached(random.below(1 << 11)) for _ in range(60)]
    payload = stream(10, 10, operations, cache_bits=11, codes=[flat_code(280 + 2048)] + [None] * 4)
    add(name, payload, "the largest alphabet, in which every symbol has a code")

    # --- Copies (section 3.5.2) ---
    for code in (1, 2, 3, 4, 7, 8, 20, 41, 64, 119, 120):
        name = f"vp8l-distance-code-{code}"
        dx, dy = vp8l.DISTANCE_MAP[code - 1]
        distance = max(1, dx + dy * 24)
        first = distance + 1
        pixels = noise(random_for(name), first)
        operations = [Literal(p) for p in pixels] + [Copy(9, code)]
        rest = 24 * 9 - first - 9
        operations += [Copy(rest, 121)] if rest > 0 else []
        if rest >= 0:
            add(name, stream(24, 9, operations), "a distance from the map of distance codes")
    for width in (1, 2, 5):
        name = f"vp8l-distance-map-width-{width}"
        pixels = noise(random_for(name), 60)
        operations = [Literal(p) for p in pixels] + [Copy(1, code) for code in range(1, 41)] 
        add(name, stream(width, 100 // width, operations),
            "distances from the map that would be less than 1 and count as 1")  # fmt: skip
    for distance in (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33):
        name = f"vp8l-copy-overlap-{distance}"
        operations = [Literal(p) for p in noise(random_for(name), distance)] + [Copy(400 - distance, 120 + distance)]
        add(name, stream(20, 20, operations), "a copy that overlaps its source")
    name = "vp8l-copy-lengths"
    operations = [Literal(0xFF102030), Literal(0x20FFAA00), Literal(0xFF0000FF)]
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17, 24, 25, 32, 33, 64, 65, 128, 129, 256, 257, 511, 512]
    operations += [Copy(length, 121 + i % 3) for i, length in enumerate(lengths)]
    total = 3 + sum(lengths)
    width = 64
    operations += [Literal(0xFF445566 + i) for i in range(-total % width)]
    add(name, stream(width, -(-total // width), operations), "every length prefix, its first and last extra bits")
    name = "vp8l-copy-4096"
    operations = [Literal(0xFF445566), Copy(4096, 2), Copy(4096, 122), Copy(99 * 83 - 8193, 130)]
    operations[0:1] = [Literal(0xFF000000 | i) for i in range(10)]
    operations[-1] = Copy(99 * 83 - 8192 - 10, 130)
    add(name, stream(99, 83, operations), "the longest copies")
    name = "vp8l-copy-far"
    random = random_for(name)
    operations = [Literal(p) for p in noise(random, 40)] + [Copy(4096, 160)] * 4 + [Copy(100, 16000 + 120)]
    operations += [Copy(128 * 130 - 40 - 4 * 4096 - 100, 1)]
    add(name, stream(128, 130, operations), "a distance of 14 bits")
    name = "vp8l-copy-from-the-first-pixel"
    add(name, stream(5, 5, [Literal(0xFF778899)] * 3 + [Literal(1), Literal(2), Copy(20, 125)]), "the farthest copy")
    for label, operations in (
        ("before-the-start", [Literal(1), Copy(3, 122), Literal(1)]),
        ("first-of-all", [Copy(16, 1)]),
        ("past-the-end", [Literal(1), Copy(16, 121)]),
        ("far-before-the-start", [Literal(1), Copy(15, 1048576)]),
        ("far-past-the-end", [Literal(1), Copy(4096, 121)]),
        ("distance-above", [Literal(1)] * 4 + [Copy(12, 11)]),
    ):
        add(f"vp8l-copy-{label}", stream(4, 4, operations), "a copy from before the image, or beyond its end", BROKEN)
    name = "vp8l-copy-across-groups"
    random = random_for(name)
    operations = [Literal(p) for p in noise(random, 8)] + [Copy(56, 128)] + [Literal(p) for p in noise(random, 192)]
    meta = MetaCodes(2, [random.below(3) for _ in range(16)])
    add(name, stream(16, 16, operations, meta=meta), "a copy over blocks with other prefix codes")
    add("vp8l-green-symbol-alone-copies", stream(1, 1, [Copy(1, 1)]), "a group with backward references only", BROKEN)

    # --- Meta prefix codes (section 3.7.2.2) ---
    width, height = 33, 21
    for bits in range(2, 10):
        name = f"vp8l-meta-bits-{bits}"
        random = random_for(name)
        blocks = ((width - 1 >> bits) + 1) * ((height - 1 >> bits) + 1)
        meta = MetaCodes(bits, [random.below(4) for _ in range(blocks)])
        meta.groups[-1] = 3
        add(name, stream(width, height, waves(width, height), meta=meta), "the size of the blocks that share prefix codes")
    name = "vp8l-meta-one-group"
    add(name, stream(9, 9, waves(9, 9), meta=MetaCodes(3, [0] * 4)), "meta prefix codes with one group")
    name = "vp8l-meta-other-channels"
    out = vp8l.header(8, 4)
    for bit in (0, 0, 1):  # no transform, no cache, meta prefix codes
        out.put(bit, 1)
    out.put(0, 3)
    vp8l.put_image(out, [0x12000134, 0xFF000056], 2)
    for group in range(2):
        for code in (Simple(10 * group), Simple(1), Simple(2), Simple(255), Simple(0)):
            code.define(out, 256)
    add(name, out.bytes(), "blue and alpha of the entropy image have no meaning")
    name = "vp8l-meta-unused-groups"
    add(name, stream(8, 8, waves(8, 8), meta=MetaCodes(2, [0, 7, 3, 7])), "groups that no block uses")
    name = "vp8l-meta-unused-groups-of-each-form"
    full = flat_code(256)
    codes = {1: [full, full, full, full, flat_code(40)], 2: [Simple(3, 200)] * 4 + [Simple(39)],
             3: [Normal([0] * 250 + [9])] * 4 + [Simple(1)], 4: [Normal([2, 2, 2, 3, 3])] * 5}  # fmt: skip
    codes = {group: [Normal(list(c.lengths)) if isinstance(c, Normal) else c for c in five] for group, five in codes.items()}
    add(name, stream(8, 8, waves(8, 8), meta=MetaCodes(2, [0, 5, 5, 0], codes)), "unused groups with codes of each form")
    name = "vp8l-meta-unused-group-invalid"
    codes = {1: [Simple(0), Normal([2, 2, 2]), Simple(0), Simple(0), Simple(0)]}
    payload = stream(8, 8, waves(8, 8), meta=MetaCodes(2, [0, 2, 2, 0], codes))
    add(name, payload, "an unused group must also be valid", BROKEN)
    for largest, size in ((999, 32), (1000, 32), (1001, 200), (2500, 64)):
        name = f"vp8l-meta-group-{largest}"
        side = 64 if size != 200 else 128
        count = (side // 4) ** 2
        groups = [0] * count
        groups[-1], groups[1] = largest, largest // 2
        payload = stream(side, side, gray([i // side & 255 for i in range(side * side)]), meta=MetaCodes(2, groups))
        add(name, payload, "a large group number, with thousands of groups that no block uses")
    name = "vp8l-meta-group-65535"
    add(name, stream(8, 4, waves(8, 4), meta=MetaCodes(2, [0, 0xFFFF])), "the largest group number, with all groups")
    name = "vp8l-meta-group-65535-missing"
    payload = stream(8, 4, waves(8, 4), meta=MetaCodes(2, [0, 0xFFFF], count=3))
    add(name, payload, "the largest group number, with few groups that are used", BROKEN)
    name = "vp8l-meta-more-groups-than-pixels"
    add(name, stream(3, 2, waves(3, 2), meta=MetaCodes(2, [40])), "more groups than pixels")
    name = "vp8l-meta-group-without-bits"
    random = random_for(name)
    codes = {1: [Simple(9), Simple(8), Simple(7), Simple(6), Simple(0)]}
    groups = [random.below(2) for _ in range(25)]
    pixels = [0x06080907] * 400
    payload = stream(20, 20, [Literal(p) for p in pixels], meta=MetaCodes(2, groups, codes))
    add(name, payload, "a group whose pixels take no bits, next to a group whose pixels take bits")
    name = "vp8l-meta-with-cache-and-transforms"
    random = random_for(name)
    transforms = [vp8l.predictor(24, 24, 3, [11, 12, 13]), vp8l.subtract_green()]
    meta = MetaCodes(3, [random.below(5) for _ in range(9)])
    add(name, stream(24, 24, soft(24, 24, random), transforms, cache_bits=5, meta=meta), "all together")
    for group_count, label in ((1, "few"), (6, "many")):
        name = f"vp8l-packed-{label}"
        random = random_for(name)
        codes = {g: [Simple(random.below(256), random.below(256)), Simple(3), Simple(4), Simple(255), Simple(0)]
                 for g in range(group_count)}  # fmt: skip
        groups = [random.below(group_count) for _ in range(36)]
        operations = []
        for y in range(24):
            for x in range(24):
                green = random.choice(codes[groups[y // 4 * 6 + x // 4]][0].symbols)
                operations.append(Literal(0xFF000004 | 3 << 16 | green << 8))
        payload = stream(24, 24, operations, meta=MetaCodes(2, groups, codes))
        add(name, payload, "pixels of one or two bits, which decoders look up in one step")

    # --- Simple codes (section 3.7.2.1.1) ---
    def with_codes(name, green, shows, expect="ok", pixels=None, codes=None, **options):
        # Invalid codes are rejected before the first pixel, so the pixels are zero bits.
        pixels = [] if expect == BROKEN else pixels or gray([0])
        codes = codes or [green, Simple(0), Simple(0), Simple(255), Simple(0)]
        payload = stream(len(pixels) or 4, 1, [Literal(p) for p in pixels], codes=codes, **options)
        add(name, payload if pixels else payload + bytes(8), shows, expect)

    with_codes("vp8l-simple-1-symbol-1-bit", Simple(1), "one symbol in 1 bit", pixels=gray([1] * 9))
    with_codes("vp8l-simple-1-symbol-8-bits", Simple(200), "one symbol in 8 bits", pixels=gray([200] * 9))
    with_codes("vp8l-simple-0-in-8-bits", Simple(0, wide=True), "symbol 0 in 8 bits", pixels=gray([0] * 9))
    with_codes("vp8l-simple-2-symbols", Simple(1, 99), "two symbols", pixels=gray([1, 99, 99, 1, 99]))
    with_codes("vp8l-simple-2-symbols-wide", Simple(77, 99), "two symbols in 8 bits", pixels=gray([77, 99, 99, 77]))
    with_codes("vp8l-simple-2-symbols-descending", Simple(99, 77), "symbols in descending order, although the code is "
               "canonical", pixels=gray([77, 99, 99, 77]))  # fmt: skip
    with_codes("vp8l-simple-equal-symbols", Simple(77, 77), "the same symbol twice", pixels=gray([77] * 5))
    with_codes("vp8l-simple-equal-symbols-0", Simple(0, 0), "symbol 0 twice", pixels=gray([0] * 5))
    simple = [Simple(0), Simple(0), Simple(0), Simple(255)]
    for label, code, expect in (
        ("39", Simple(39), "ok"), ("40", Simple(40), BROKEN), ("255", Simple(255), BROKEN),
        ("0-and-40", Simple(0, 40), "ok"), ("40-and-1", Simple(40, 1), "ok"), ("41-and-42", Simple(41, 42), BROKEN),
    ):  # fmt: skip
        shows = "a distance symbol in or out of its alphabet of 40"
        with_codes(f"vp8l-simple-distance-{label}", None, shows, expect, codes=simple + [code])
    name = "vp8l-simple-distance-0-and-40-used"
    operations = [Literal(0xFF000000), RawCopy(4, 3, (0, 0), 0, (0, 0))]
    codes = [Simple(0), Simple(0), Simple(0), Simple(255), Simple(0, 40)]
    codes[0] = Normal([1] + [0] * 258 + [1])
    add(name, stream(1, 5, operations, codes=codes), "the only remaining symbol takes no bits")

    # --- Normal codes (section 3.7.2.1.2) ---
    with_codes("vp8l-code-3-symbols", Normal([1, 2, 2]), "lengths 1, 2, 2", pixels=gray([0, 1, 2, 1, 0]))
    for length in range(1, 16):
        lengths = [0] * 65 + [length]
        with_codes(f"vp8l-code-1-symbol-length-{length}", Normal(lengths),
                   "a single symbol takes no bits, regardless of its code length",
                   pixels=gray([65] * 20))  # fmt: skip
    ladder = [min(i + 1, 15) for i in range(16)]
    with_codes("vp8l-code-length-15", Normal(ladder), "all lengths to 15", pixels=gray([0, 15, 7, 14, 8, 9, 10, 3, 15]))
    with_codes("vp8l-code-length-15-reversed", Normal(ladder[::-1]), "all lengths, the longest first",
               pixels=gray([0, 15, 7, 14, 8, 9, 10, 3, 15]))  # fmt: skip
    with_codes("vp8l-code-all-256", flat_code(256), "256 symbols of 8 bits", pixels=gray(range(256)))
    with_codes("vp8l-code-all-280", flat_code(280), "all 280 symbols", pixels=gray([0, 100, 200, 255]))
    for label, lengths in (
        ("incomplete", [1, 2]), ("incomplete-2-of-3", [2, 2, 2]), ("incomplete-2-symbols", [2, 2]), ("over", [1, 1, 1]),
        ("over-late", [1, 2, 3, 3, 15]), ("incomplete-late", ladder[:-1]), ("no-symbol", [0, 0, 0]),
    ):  # fmt: skip
        with_codes(f"vp8l-code-{label}", Normal(lengths), "lengths that are not a prefix code", BROKEN)
    plain = [2, 3, 3, 3, 3, 4, 4, 4, 4]
    assert gates(plain) == 1 << 15
    for count in (9, 10, 100, 256, 280):
        name = f"vp8l-code-max-symbol-{count}"
        lengths = plain + [0] * (count - 9)
        with_codes(name, Normal(lengths, repeats=False, max_symbol=count), "the number of code lengths that are stored",
                   pixels=gray(range(9)))  # fmt: skip
    for bits in (4, 6, 8, 10, 12, 14, 16):
        with_codes(f"vp8l-code-max-symbol-in-{bits}-bits", Normal(plain, repeats=False, max_symbol=(bits, 9)),
                   "the number of code lengths, stored in more bits than necessary", pixels=gray(range(9)))  # fmt: skip
    with_codes("vp8l-code-max-symbol-2", Normal([1, 1], max_symbol=2), "two code lengths", pixels=gray([0, 1, 1]))
    with_codes("vp8l-code-max-symbol-281", Normal(plain + [0] * 272, repeats=False, max_symbol=281),
               "more code lengths than symbols", BROKEN)  # fmt: skip
    with_codes("vp8l-code-max-symbol-huge", Normal(plain, repeats=False, max_symbol=(16, 65537)),
               "many more code lengths than symbols", BROKEN)  # fmt: skip
    with_codes("vp8l-code-max-symbol-cuts", Normal(plain + [5], tokens=[(n, 0) for n in plain], max_symbol=9,
               code_lengths=None),
               "code lengths that are not stored are 0", pixels=gray(range(1)), codes=None)  # fmt: skip
    # A repeat counts as one symbol of max_symbol.
    tokens = [(1, 0), (18, 100), (1, 0)]
    with_codes("vp8l-code-max-symbol-counts-tokens", Normal([1] + [0] * 111 + [1], tokens=tokens, max_symbol=3),
               "a repeat counts as one stored symbol", pixels=gray([0, 112, 0]))  # fmt: skip

    def tokens_vector(label, lengths, tokens, shows, pixels, expect="ok", max_symbol=True):
        code = Normal(lengths, tokens=tokens, max_symbol=len(tokens) if max_symbol else None)
        with_codes(f"vp8l-code-repeat-{label}", code, shows, expect, pixels=gray(pixels))

    tokens_vector("16-first", [8] * 256, [(16, 3)] * 42 + [(16, 1)],
                  "16 before the first length repeats 8", [0, 128, 255, 77])  # fmt: skip
    tokens_vector("16-of-3-to-6", [5] * 32, [(5, 0), (16, 0), (16, 1), (16, 2), (16, 3), (16, 3), (16, 3), (5, 0)],
                  "16 with all its extra bits", range(31))  # fmt: skip
    tokens_vector("16-after-0", [0, 3, 0, 3, 3, 3, 0, 3, 3, 3, 3], [(0, 0), (3, 0), (0, 0), (16, 0), (0, 0), (16, 1)],
                  "16 repeats the last length that is not 0", [1, 3, 4, 10])  # fmt: skip
    tokens_vector("16-after-17", [2, 0, 0, 0, 2, 2, 2], [(2, 0), (17, 0), (16, 0)],
                  "16 repeats the length before a run of zeros", [0, 6, 4])  # fmt: skip
    tokens_vector("16-after-18", [2] + [0] * 11 + [2, 2, 2], [(2, 0), (18, 0), (16, 0)],
                  "16 repeats the length before a long run of zeros",
                  [0, 12, 14])  # fmt: skip
    for extra in range(8):
        tokens_vector(f"17-{extra}", [1] + [0] * (3 + extra) + [1], [(1, 0), (17, extra), (1, 0)],
                      "a run of zeros of the code length symbol 17", [0, 4 + extra])  # fmt: skip
    for extra in (0, 1, 63, 127):
        tokens_vector(f"18-{extra}", [1] + [0] * (11 + extra) + [1], [(1, 0), (18, extra), (1, 0)],
                      "a run of zeros of the code length symbol 18", [0, 12 + extra])  # fmt: skip
    tokens_vector("18-first", [0] * 20 + [1, 1], [(18, 9), (1, 0), (1, 0)], "zeros first", [20, 21])
    tokens_vector("17-to-the-end", [1, 1] + [0] * 278, [(1, 0), (1, 0), (18, 127), (18, 119), (17, 7)],
                  "zeros that end with the alphabet", [0, 1], max_symbol=False)  # fmt: skip
    for symbol, tokens in (
        (16, [(8, 0)] * 254 + [(16, 0)] * 9), (17, [(1, 0), (1, 0), (18, 127), (18, 119), (17, 7), (17, 0)][:-2]
                                                   + [(17, 6), (17, 0)]),
        (18, [(1, 0), (1, 0), (18, 127), (18, 127), (18, 4)]),
    ):  # fmt: skip
        tokens_vector(f"{symbol}-overruns", [1, 1], tokens, "a repeat over the end of the alphabet", [0], BROKEN, False)
    for label, code_lengths in (
        ("incomplete", {1: 2, 0: 2}), ("over", {0: 1, 1: 1, 2: 1}), ("none", {}), ("7-bits", {0: 1, 1: 2, 2: 3, 3: 4, 4: 5,
         5: 6, 6: 7, 7: 7}), ("one", {1: 3}),
    ):  # fmt: skip
        lengths = [code_lengths.get(s, 0) for s in range(19)]
        broken = label in ("incomplete", "over", "none")
        values = [1, 1] if label == "one" else [2, 2, 2, 3, 4, 5, 6, 7, 7]
        tokens = [(n, 0) for n in values]
        if broken:
            code = Normal([1, 1], tokens=[], max_symbol=2, code_lengths=lengths)
        else:
            code = Normal(values, tokens=tokens, max_symbol=len(tokens), code_lengths=lengths)
        with_codes(f"vp8l-code-lengths-code-{label}", code, "the code of the code lengths",
                   BROKEN if broken else "ok", pixels=gray([0, 1, 0]))  # fmt: skip
    name = "vp8l-code-lengths-all-19"
    lengths = [4] * 13 + [5] * 6
    code_lengths = Normal(ladder + [0] * 6, tokens=[(n, 0) for n in ladder] + [(17, 0), (0, 0), (0, 0), (0, 0)],
                          max_symbol=20, code_lengths=lengths)  # fmt: skip
    with_codes(name, code_lengths, "all 19 code length symbols have a code", pixels=gray([0, 15, 3]))

    # --- Attacks ---
    for number in range(6):
        name = f"vp8l-attack-deep-tables-{number}"
        random = random_for(name)
        # Complete codes whose long codes occupy as many second-level tables as possible.
        lengths, free = [], 1 << 15
        while len(lengths) < 270 and free > 1 << 7:
            length = 9 + random.below(7)
            if 1 << 15 - length <= free - 256:
                lengths.append(length)
                free -= 1 << 15 - length
            if len(lengths) > 250 - number * 20:
                break
        for length in range(1, 16):
            if free & 1 << 15 - length:
                lengths.append(length)
                free -= 1 << 15 - length
        lengths = lengths[:280]
        assert free == 0 and gates(lengths) == 1 << 15, (free, len(lengths))
        pixels = gray([random.below(min(len(lengths), 256)) for _ in range(60)])
        with_codes(name, Normal(lengths), "long codes that need large tables", pixels=pixels)
        broken = [n for n in lengths if n != lengths[0]]
        with_codes(name + "-incomplete", Normal(broken, tokens=None),
                   "long codes that need large tables and are incomplete, as in CVE-2023-4863", BROKEN,
                   pixels=gray([next(s for s in range(len(broken)) if broken[s])]))  # fmt: skip
    name = "vp8l-attack-incomplete-distance"
    codes = simple + [Normal([15] * 40)]
    with_codes(name, None, "an incomplete distance code that is never used", BROKEN, codes=codes)
    name = "vp8l-attack-incomplete-in-entropy-image"
    out = vp8l.header(64, 64)
    out.put(0b1_0_0, 3)
    out.put(0, 3)
    out.put(0, 1)
    for _ in range(5):
        Normal([3, 3, 15]).define(out, 256)
    add(name, out.bytes() + b"\xa5" * 40, "an incomplete code in the entropy image", BROKEN)
    flat = [Simple(1), Simple(2), Simple(3), Simple(255), Simple(0)]

    def flat_stream(width, height):
        out = vp8l.header(width, height)
        out.put(0, 1)
        out.put(0, 2)
        for code in flat:
            code.define(out, 256)
        return out.bytes()

    add("vp8l-attack-few-bytes-1000x1000", flat_stream(1000, 1000), "a megapixel in a few bytes")
    add("vp8l-attack-few-bytes-16384x16384", flat_stream(16384, 16384), "a size that exceeds the pixel limit", "limit")
    add("vp8l-attack-few-bytes-16384x1", flat_stream(16384, 1), "the widest row")
    add("vp8l-attack-few-bytes-1x16384", flat_stream(1, 16384), "the highest column")
    out = vp8l.header(16384, 16384)
    out.put(0, 1)
    add("vp8l-attack-28-bytes-16384x16384", out.bytes() + b"\0\0",
        "28 bytes whose header specifies 2^28 pixels", "limit")  # fmt: skip
    out = vp8l.header(2048, 2048)
    out.put(0b1, 1)
    out.put(vp8l.PREDICTOR, 2)
    out.put(0, 3)
    add("vp8l-attack-large-sub-image", out.bytes() + bytes(20), "a predictor image of 512 × 512 in a few zero bytes", BROKEN)
    name = "vp8l-attack-entropy-image-alone"
    out = vp8l.header(1024, 1024)
    out.put(0b1_0_0, 3)
    out.put(0, 3)
    out.put(0, 1)
    for code in (Simple(255), Simple(255), Simple(0), Simple(0), Simple(0)):
        code.define(out, 256)
    add(name, out.bytes() + bytes(30), "a few bytes that require 65536 groups", BROKEN)
    for number in range(3):
        name = f"vp8l-attack-noise-{number}"
        random = random_for(name)
        add(name, vp8l.header(40, 30).bytes() + random.bytes(200), "noise after a header", BROKEN)

    # --- Larger images, for row caches and rings ---
    name = "vp8l-large"
    pixels = [0xFF000000 | (x * y >> 8 & 15) << 8 | (x & y) >> 5 for y in range(150) for x in range(200)]
    payload = stream(200, 150, vp8l.tokenised(pixels, 200, 8), [vp8l.predictor(200, 150, 5, [1, 2, 12])], cache_bits=8)
    add(name, payload, "more rows than are output in one step")
    name = "vp8l-large-palette"
    random = random_for(name)
    indices = [(x // 9 + y // 7) % 3 for y in range(120) for x in range(301)]
    pixels = vp8l.bundled(indices, 301, 120, 3)
    add(name, stream(301, 120, pixels, [vp8l.color_indexing([0xFFFF0000, 0x8000FF00, 0xFF0000FF])]), "many packed rows")
