"""Vectors of animations (RFC 9649, section 2.7.1.1), which show how frames are composed."""

from collection import noise, random_for
from container import ALPHA, ANIMATION, EXIF, ICC, XMP, alph, anim, anmf, chunk, riff, vp8x
from vectors_vp8 import picture
from vp8l import header, stream

ANIMATED, SHORT = "unsupported-feature", "not-enough-data"
CANVAS = (26, 19)
KINDS = ["lossless", "lossless-opaque", "lossy", "lossy-alpha"]


def image(kind, name, width, height):
    """Returns the chunks of a frame. A third of the alpha values is 0, a third 255."""
    random = random_for("animation " + name)
    count = width * height
    alphas = [random.choice([0, 255, random.below(256)]) for _ in range(count)]
    if kind == "lossless":
        pixels = [color & 0xFFFFFF | alpha << 24 for color, alpha in zip(noise(random, count), alphas)]
        return chunk("VP8L", stream(width, height, pixels))
    if kind == "lossless-opaque":
        pixels = noise(random, count, alpha=False)
        return chunk("VP8L", stream(width, height, pixels, out=header(width, height, alpha=0)))
    frame = chunk("VP8 ", picture("animation " + name, width, height, filter_level=15, amount=4).write())
    return frame if kind == "lossy" else alph(bytes(alphas)) + frame


def add_vectors(collection):
    def add(name, shows, *chunks, flags=ANIMATION | ALPHA, canvas=CANVAS, expect=ANIMATED):
        collection.add("animation-" + name, riff(vp8x(*canvas, flags), *chunks), shows, expect)

    def frame(kind, name, x=0, y=0, width=CANVAS[0], height=CANVAS[1], duration=40, **how):
        return anmf(x, y, width, height, duration, image(kind, name, width, height), **how)

    # --- Blending and disposal methods of two successive frames ---
    for second in range(4):
        for third in range(4):
            how = [dict(dispose=way & 1, no_blend=way >> 1) for way in (second, third)]
            words = "-then-".join(("over", "replace")[h["no_blend"]] + "-dispose" * h["dispose"] for h in how)
            for index, kind in enumerate(KINDS):
                if index in (0, (second + third) % 3 + 1):
                    name = f"{kind}-{words}"
                    add(name, "blending and disposal methods of two frames", anim(),
                        frame("lossless", name + " 1"),
                        frame(kind, name + " 2", 4, 2, 15, 12, **how[0]),
                        frame(kind, name + " 3", 10, 6, 16, 13, **how[1]),
                        frame("lossless", name + " 4", 2, 8, 20, 11))  # fmt: skip

    # --- Key frames: frames that do not depend on earlier ones ---
    whole, part = (0, 0, *CANVAS), (4, 4, 12, 9)
    for label, kind, place, how in (
        ("opaque-over", "lossless-opaque", whole, {}), ("opaque-lossy-over", "lossy", whole, {}),
        ("alpha-over", "lossless", whole, {}), ("alpha-replaces", "lossless", whole, dict(no_blend=1)),
        ("alpha-lossy-replaces", "lossy-alpha", whole, dict(no_blend=1)),
        ("part-replaces", "lossless-opaque", part, dict(no_blend=1)),
    ):  # fmt: skip
        for before, before_place, before_how in (
            ("whole", whole, {}), ("whole-disposed", whole, dict(dispose=1)), ("part-disposed", part, dict(dispose=1)),
            ("part", (8, 6, 10, 10), {}),
        ):  # fmt: skip
            name = f"key-{label}-after-{before}"
            add(name, "a frame that may be a key frame", anim(), frame("lossless", name + " 1", 2, 0, 20, 19),
                frame("lossy-alpha", name + " 2", *before_place, **before_how), frame(kind, name + " 3", *place, **how),
                frame("lossless", name + " 4", 6, 2, 9, 14))  # fmt: skip
    add("key-first-part-disposed", "disposing a first frame that covers a part of the canvas leaves nothing", anim(),
        frame("lossless", "d1", *part, dispose=1), frame("lossless", "d2", 6, 6, 14, 11),
        frame("lossless", "d3", 0, 0, 8, 8))  # fmt: skip
    add("disposed-again-and-again", "each frame is disposed", anim(),
        *(frame("lossless", f"dd{n}", 2 * n, n // 2 * 2, 14, 13, dispose=1) for n in range(6)))  # fmt: skip

    # --- Offsets and sizes ---
    corners = [(0, 0), (18, 0), (0, 12), (18, 12), (6, 4)]
    for kind in KINDS:
        add(f"corners-{kind}", "frames in the corners", anim(),
            *(frame(kind, f"corner {n}", x, y, 8, 7) for n, (x, y) in enumerate(corners)))  # fmt: skip
    add("single-pixels", "frames of one pixel", anim(),
        *(frame(KINDS[n % 4], f"pixel {n}", 2 * n, 2 * n, 1, 1) for n in range(9)))  # fmt: skip
    add("canvas-1x1", "a canvas of one pixel", anim(),
        *(frame("lossless", f"one {n}", 0, 0, 1, 1, dispose=n & 1) for n in range(4)), canvas=(1, 1))  # fmt: skip
    add("lines", "frames of one row and of one column", anim(), frame("lossless", "row", 0, 8, 26, 1),
        frame("lossy-alpha", "column", 12, 0, 1, 19), frame("lossless", "row 2", 0, 18, 26, 1))  # fmt: skip
    random = random_for("animation-random")
    for number in range(8):
        frames = []
        for n in range(20):
            x, y = 2 * random.below(12), 2 * random.below(9)
            place = (x, y, 1 + random.below(CANVAS[0] - x), 1 + random.below(CANVAS[1] - y))
            if random.below(4) == 0:
                place = whole
            frames.append(frame(random.choice(KINDS), f"random {number} {n}", *place, duration=random.below(200),
                                dispose=random.below(2), no_blend=random.below(2)))  # fmt: skip
        add(f"random-{number}", "twenty frames of every kind", anim(random.below(1 << 32), random.below(9)), *frames)

    # --- Other fields ---
    first, second = frame("lossless", "said 1"), frame("lossless", "said 2", 4, 4, 12, 9)
    for duration in (0, 1, 10, (1 << 24) - 1):
        add(f"duration-{duration}", "a duration in milliseconds", anim(), frame("lossless", "long", duration=duration), second)
    for loops in (0, 1, 65535):
        add(f"loops-{loops}", "the number of loops", anim(loops=loops), first, second)
    for background in (0, 0x80402010, 0xFF0000FF):
        add(f"background-{background:08x}", "a background color, which composition ignores", anim(background),
            frame("lossless", "b1", 4, 2, 9, 9, dispose=1), second)  # fmt: skip
    icc, exif, xmp = chunk("ICCP", b"a profile"), chunk("EXIF", b"MM\0*\0\0\0\x08"), chunk("XMP ", b"<x:xmpmeta/>")
    unknown = chunk("ABCD", b"what is this")
    everything = ANIMATION | ALPHA | ICC | EXIF | XMP
    add("metadata", "metadata around the frames", icc, anim(), first, second, exif, xmp, flags=everything)
    add("metadata-between", "metadata between the frames", icc, anim(), exif, first, xmp, second, flags=everything)
    add("unknown-between", "unknown chunks everywhere", unknown, icc, unknown, anim(), unknown, first, unknown, unknown,
        second, unknown, flags=everything)  # fmt: skip
    inside = image("lossless", "inside", 10, 8)
    add("unknown-in-frame", "unknown chunks in a frame, after its image", anim(),
        anmf(0, 0, 10, 8, 30, inside, unknown), second)  # fmt: skip
    add("unknown-in-frame-first", "unknown chunks in a frame, before its image", anim(),
        anmf(0, 0, 10, 8, 30, unknown, inside), second)  # fmt: skip
    add("unknown-after-alpha", "an unknown chunk between ALPH and VP8", anim(),
        anmf(0, 0, 10, 8, 30, alph(bytes(80)), unknown, image("lossy", "inside", 10, 8)), second)  # fmt: skip
    add("two-images-in-frame", "two images in a frame", anim(), anmf(0, 0, 10, 8, 30, inside, inside), second)
    add("alpha-beside-lossless", "ALPH and VP8L in a frame", anim(), anmf(0, 0, 10, 8, 30, alph(bytes(80)), inside), second)
    add("alpha-flag-missing", "frames with alpha without the flag in VP8X", anim(), first, second, flags=ANIMATION)
    reserved = bytearray(frame("lossless", "reserved", 2, 2, 10, 8))
    reserved[8 + 15] |= 0xFC
    add("reserved-bits", "reserved bits of a frame are set", anim(), first, bytes(reserved), second)

    # --- Invalid ---
    add("anim-missing", "no ANIM", first, second)
    add("anim-late", "ANIM after the first frame", first, anim(), second)
    add("anim-twice", "two ANIM chunks", anim(1, 5), anim(2, 6), first, second)
    add("anim-short", "an ANIM chunk that is too short", chunk("ANIM", b"\0\0\0\0"), first)
    add("frame-header-short", "a frame that is shorter than its header", anim(), first, chunk("ANMF", bytes(10)))
    add("frame-size-differs", "a frame whose image has another size", anim(), first,
        anmf(0, 0, 11, 8, 30, inside))  # fmt: skip
    for label, place in (("right", (18, 0, 10, 8)), ("below", (0, 12, 10, 8))):
        add(f"frame-off-canvas-{label}", "a later frame that extends beyond the canvas", anim(), first,
            frame("lossless", label, *place))  # fmt: skip
    broken = bytearray(frame("lossless", "broken", 2, 2, 20, 16))
    for position in range(len(broken) // 2, len(broken) // 2 + 90):
        broken[position] = 0xFF
    cut = image("lossless", "cut", 20, 16)
    short = chunk("VP8L", cut[8 : len(cut) // 2])
    add("third-frame-cut", "a third frame whose data end too early", anim(), first, second,
        anmf(2, 2, 20, 16, 30, short), second)  # fmt: skip
    add("third-frame-broken", "a third frame with corrupt data", anim(), first, second, bytes(broken), second)
    add("last-frame-missing", "frames of which the last one has no image", anim(), first, second, anmf(0, 0, 10, 8, 30))
    lossy = image("lossy", "cut lossy", 20, 16)
    add("lossy-frame-cut", "a lossy frame whose data end too early", anim(), first,
        anmf(2, 2, 20, 16, 30, chunk("VP8 ", lossy[8 : len(lossy) // 2])))  # fmt: skip
    whole_file = riff(vp8x(*CANVAS, ANIMATION | ALPHA), anim(), first, second, frame("lossy", "last"))
    for label, length in (("in-first", 60), ("in-second", 30 + 14 + len(first) + 40), ("in-last", len(whole_file) - 5)):
        collection.add(f"animation-file-cut-{label}", whole_file[:length], "a file that ends within a frame", SHORT)
