"""Vectors of VP8 key frames, for each feature of RFC 6386 that a key frame can use."""

from collection import random_for
from container import chunk, riff
from format_tables import COEFFICIENT_UPDATE_PROBABILITIES, SUBBLOCK_MODES
from vp8 import CHROMA_MODES, LUMA_MODES, Frame, Macroblock, Segmentation


def levels(random, count, largest, chance=3):
    """Returns a block of up to `count` levels, each nonzero with a probability of 1 / `chance`."""
    out = [
        (1 + random.below(largest)) * (1 - 2 * random.below(2)) if random.below(chance) == 0 else 0
        for _ in range(random.below(count + 1))
    ]
    while out and out[-1] == 0:
        out.pop()
    return out


def fill(random, macroblock, largest=3, amount=6):
    """Sets the coefficients of a macroblock."""
    first = 0 if macroblock.luma == "B_PRED" else 1
    macroblock.y2 = levels(random, 16, 4 * largest) if first else []
    macroblock.y = [levels(random, min(amount, 16 - first), largest) for _ in range(16)]
    macroblock.u = [levels(random, amount, largest) for _ in range(4)]
    macroblock.v = [levels(random, amount, largest) for _ in range(4)]
    return macroblock


def picture(name, width, height, luma=None, subblocks=None, chroma=None, largest=3, amount=6, empty=0, **frame):
    """Returns a frame with random coefficients, and with random modes if none are given.

    empty: the fraction 1 / `empty` of the macroblocks has no coefficients.
    """
    random = random_for(name)
    out = Frame(width, height, **frame)
    for _ in range(out.columns * out.rows):
        macroblock = Macroblock(
            luma=luma or random.choice(LUMA_MODES),
            chroma=chroma or random.choice(CHROMA_MODES),
            subblocks=[subblocks or random.choice(SUBBLOCK_MODES) for _ in range(16)],
            segment=random.below(4),
        )
        if not empty or random.below(empty):
            fill(random, macroblock, largest, amount)
        out.macroblocks.append(macroblock)
    return out


def simple_file(frame):
    return riff(chunk("VP8 ", frame if isinstance(frame, bytes) else frame.write()))


def update_index(kind, band, context, node):
    return ((kind * 8 + band) * 3 + context) * 11 + node


def add_vectors(collection):
    def add(name, frame, shows, expect="ok"):
        collection.add(name, simple_file(frame), shows, expect)

    # --- Sizes (section 9.1) ---
    for width, height in (
        (1, 1), (2, 2), (3, 1), (1, 3), (15, 15), (16, 16), (17, 17), (16, 17), (17, 16), (31, 33), (1, 40), (40, 1),
        (2, 35), (35, 2), (64, 16), (16, 64), (100, 7),
    ):  # fmt: skip
        name = f"vp8-size-{width}x{height}"
        add(name, picture(name, width, height, filter_level=12), "a size that is a multiple of 16, or not")
    for horizontal, vertical in ((1, 0), (0, 2), (3, 3)):
        name = f"vp8-scale-bits-{horizontal}-{vertical}"
        frame = picture("vp8-scale", 20, 20, horizontal_scale=horizontal, vertical_scale=vertical)
        add(name, frame, "the scaling fields for players, which decoding ignores")
    add("vp8-size-0x16", Frame(0, 16), "no columns", "bitstream-error")
    add("vp8-size-16x0", Frame(16, 0), "no rows", "bitstream-error")

    # --- Frame tag (section 9.1) and the bits of section 9.2 ---
    for version in range(8):
        name = f"vp8-version-{version}"
        frame = picture("vp8-version", 40, 24, version=version, filter_level=20, simple_filter=version in (1, 2))
        expect = "ok" if version < 4 else "bitstream-error"
        add(name, frame, "a version; decoding does not depend on it, but 4 to 7 are rejected", expect)
    add("vp8-inter-frame", picture("tag", 16, 16, key_frame=False), "not a key frame", "bitstream-error")
    add("vp8-not-shown", picture("tag", 16, 16, show=False), "a frame that is not shown", "bitstream-error")
    add("vp8-start-code", picture("tag", 16, 16, start_code=b"\x9d\x01\x2b"), "a wrong start code", "bitstream-error")
    add("vp8-color-space-1", picture("tag", 24, 24, color_space=1), "the reserved color space: no effect")
    for clamping in (0, 1):
        name = f"vp8-clamping-type-{clamping}"
        frame = picture("clamping", 32, 32, clamping_type=clamping, largest=40, quantizer=60)
        add(name, frame, "pixels out of range are clamped, regardless of the clamping type")
    add("vp8-refresh-entropy-0", picture("tag", 24, 24, refresh_entropy=0), "no effect on a single frame")

    # --- Prediction (section 12) ---
    for luma in LUMA_MODES[:4]:
        name = f"vp8-luma-{luma[:-5].lower()}"
        add(name, picture(name, 48, 48, luma=luma, largest=6), f"{luma} at every border and inside")
    for chroma in CHROMA_MODES:
        name = f"vp8-chroma-{chroma[:-5].lower()}"
        add(name, picture(name, 48, 48, chroma=chroma, largest=6), f"{chroma} of chroma at every border and inside")
    for mode in SUBBLOCK_MODES:
        name = f"vp8-subblock-{mode[2:-5].lower()}"
        frame = picture(name, 48, 48, luma="B_PRED", subblocks=mode, largest=6)
        add(name, frame, f"{mode} at every border and inside, with pixels above to the right of each kind")
    for number in range(3):
        name = f"vp8-modes-mixed-{number}"
        add(name, picture(name, 64, 64, largest=4 + 8 * number), "modes in the context of each other")
    for name, chosen in (("vp8-prediction-only", None), ("vp8-prediction-only-subblocks", "B_PRED")):
        frame = picture(name, 64, 48, luma=chosen, empty=1)
        frame.macroblocks[0] = fill(random_for(name), Macroblock(), 8)
        add(name, frame, "modes predict all pixels from the first macroblock, without coefficients")
    name = "vp8-right-column-above-right"
    frame = picture(name, 32, 64, luma="B_PRED", subblocks="B_LD_PRED", largest=12)
    add(name, frame, "B_LD_PRED in the last column, where there is no macroblock above to the right")

    # --- Skipping (section 9.10) ---
    for probability in (0, 1, 128, 255):
        name = f"vp8-skip-probability-{probability}"
        frame = picture("skip", 64, 48, empty=2, skip_probability=probability, filter_level=30)
        for macroblock in frame.macroblocks:
            macroblock.skip = not macroblock.y2 and not any(macroblock.y) and not any(macroblock.u + macroblock.v)
        add(name, frame, "macroblocks that are marked as having no coefficients")
    add("vp8-skip-off", picture("skip", 64, 48, empty=2, filter_level=30),
        "the image of the vector before, with end-of-block tokens instead of skipped macroblocks")  # fmt: skip
    name = "vp8-skip-y2-context"
    frame = picture(name, 80, 48, skip_probability=100, amount=16)
    for index, macroblock in enumerate(frame.macroblocks):
        macroblock.skip = index % 3 == 1
    add(name, frame, "the context of Y2 is retained across skipped macroblocks with B_PRED, but not across others")
    name = "vp8-skip-all"
    frame = picture(name, 48, 32, skip_probability=0, filter_level=63)
    for macroblock in frame.macroblocks:
        macroblock.skip = True
    add(name, frame, "token partitions with no token in them")

    # --- Tokens (section 13) ---
    for token, values in (
        ("1", [1]), ("2", [2]), ("3", [3]), ("4", [4]), ("cat1", [5, 6]), ("cat2", [7, 10]), ("cat3", [11, 18]),
        ("cat4", [19, 34]), ("cat5", [35, 66]), ("cat6", [67, 600]),
    ):  # fmt: skip
        name = f"vp8-token-{token}"
        random = random_for(name)
        frame = Frame(32, 32, quantizer=0)
        for number in range(4):
            def block(first):
                out = [random.choice([0, 0] + values + [-v for v in values]) for _ in range(16 - first)]
                return out[:-1] + [values[0]] if random.below(2) else [values[-1]]
            macroblock = Macroblock(luma=LUMA_MODES[number + 1])
            first = 0 if macroblock.luma == "B_PRED" else 1
            macroblock.y2 = block(0) if first else []
            macroblock.y = [block(first) if index % 5 == number else [] for index in range(16)]
            macroblock.u[0], macroblock.v[3] = block(0), block(0)
            frame.macroblocks.append(macroblock)
        add(name, frame, f"the token of {values[0]} in every kind of block, both signs")
    name = "vp8-tokens-positions"
    frame = Frame(64, 64, quantizer=30)
    for index in range(16):
        macroblock = Macroblock(luma="B_PRED" if index % 2 else "TM_PRED")
        for block in range(16):
            first = 1 - index % 2
            if block >= first:
                macroblock.y[block] = [0] * (block - first) + [9 + index]
        macroblock.y2 = [0] * index + [7] if index % 2 == 0 else []
        macroblock.u = [[0] * (4 * k + index % 4) + [-6] for k in range(4)]
        macroblock.v = [[0] * (15 - 4 * k - index % 4) + [6] for k in range(4)]
        frame.macroblocks.append(macroblock)
    add(name, frame, "the last coefficient at each of the 16 positions, zeros before it")
    name = "vp8-tokens-zeros-to-the-end"
    frame = Frame(32, 32, quantizer=30, filter_level=20)
    for index, mode in enumerate(("B_PRED", "DC_PRED", "TM_PRED", "B_PRED")):
        first = 0 if mode == "B_PRED" else 1
        macroblock = Macroblock(luma=mode, y2=[0] * 16 if first else [])
        macroblock.y = [[0] * (16 - first) if (block + index) % 3 else [4] + [0] * (15 - first) for block in range(16)]
        macroblock.u[0], macroblock.v[1] = [0] * 16, [2] + [0] * 15
        frame.macroblocks.append(macroblock)
    add(name, frame, "a block of zeros up to position 16 counts as a block with coefficients")
    name = "vp8-tokens-dense"
    add(name, picture(name, 32, 32, largest=70, amount=16, quantizer=5), "blocks full of coefficients")

    # --- Probabilities (sections 9.9, 13.4) ---
    random = random_for("vp8-probabilities")
    everywhere = range(len(COEFFICIENT_UPDATE_PROBABILITIES))
    for name, updates, shows in (
        ("vp8-probabilities-one", {update_index(3, 0, 0, 0): 77}, "one coefficient probability changed"),
        ("vp8-probabilities-random", {i: 1 + random.below(255) for i in everywhere if random.below(4) == 0},
         "a quarter of the probabilities changed"),
        ("vp8-probabilities-all", {i: 1 + random.below(255) for i in everywhere}, "all probabilities changed"),
        ("vp8-probabilities-0", {i: 0 for i in everywhere if i % 3 == 0}, "probabilities of 0, which act as 1 / 256"),
        ("vp8-probabilities-255", {i: 255 for i in everywhere}, "all probabilities 255"),
    ):  # fmt: skip
        add(name, picture("vp8-probabilities", 48, 32, amount=16, largest=9, probability_updates=updates), shows)

    # --- Token partitions (section 9.5) ---
    for log2 in range(4):
        add(f"vp8-partitions-{1 << log2}", picture("vp8-partitions", 24, 200, log2_partitions=log2, filter_level=9),
            "rows of macroblocks that are distributed over the partitions")  # fmt: skip
    name = "vp8-partitions-8-for-1-row"
    add(name, picture(name, 40, 16, log2_partitions=3), "more partitions than rows of macroblocks")
    name = "vp8-partitions-padded"
    add(name, picture(name, 24, 64, log2_partitions=2, padding=b"padding"), "bytes after the end of each partition")
    base = picture("vp8-partition-sizes", 24, 32, log2_partitions=1)
    good = len(base._token_partitions()[0])
    for label, size, expect in (
        ("small", good - 9, "not-enough-data"), ("zero", 0, "not-enough-data"), ("beyond", 1 << 20, "not-enough-data"),
        ("largest", (1 << 24) - 1, "not-enough-data"),
    ):  # fmt: skip
        base.partition_sizes = {0: size}
        add(f"vp8-partition-size-{label}", base, "the size of the first partition is wrong", expect)
    for delta in (-9, 1):
        frame = picture("vp8-partition-overlap", 24, 64, log2_partitions=1)
        frame.partition_sizes = {0: len(frame._token_partitions()[0]) + delta}
        shows = "the second partition starts at a wrong offset, so its tokens differ, but suffice"
        add(f"vp8-partition-size{delta:+}", frame, shows)
    for cut, expect in ((0, "ok"), (1, "not-enough-data")):
        data = picture("vp8-last-partition", 32, 32).write()
        name = "vp8-end-exact" if cut == 0 else "vp8-end-1-byte-short"
        add(name, data[: len(data) - cut], "the last partition's last byte", expect)
    frame = picture("vp8-first-partition", 32, 32)
    data = frame.write()
    first_size = len(frame._first_partition())
    for label, size, expect in (
        ("short", first_size - 1, "not-enough-data"), ("zero", 0, "bitstream-error"), ("one", 1, "bitstream-error"),
        ("header-cut", 12, "not-enough-data"), ("beyond", (1 << 19) - 1, "bitstream-error"),
    ):  # fmt: skip
        frame.first_partition_size = size
        add(f"vp8-first-partition-{label}", frame, "the size of the first partition is wrong", expect)
    frame.first_partition_size = None
    frame.padding = b"more"
    add("vp8-first-partition-padded", frame, "bytes after the end of the first partition")
    for length in (0, 1, 2, 3, 4, 9, 10, 11):
        add(f"vp8-cut-to-{length}-bytes", data[:length], "a chunk that ends in or after the frame tag", "bitstream-error")

    # --- Partitions that no encoder can produce ---
    # The first byte is 255, the initial range, but an encoder keeps the value below the range. The bools that a
    # decoder reads then depend on the number of bits that it loads at a time.
    for width, length, seed in ((16, 20, 1), (16, 20, 2), (16, 60, 1), (32, 200, 1), (48, 600, 1), (48, 600, 2)):
        name = f"vp8-partition-from-255-{length}-bytes-{seed}"
        frame = picture("vp8-partition-from-255", width, width, filter_level=9)
        data = frame.write()[: 10 + len(frame._first_partition())] + b"\xff" + random_for(name).bytes(length)
        add(name, data, "a token partition that starts with a byte of 255", None)
    for seed in range(1, 5):
        name = f"vp8-first-partition-from-255-{seed}"
        random = random_for(name)
        data = Frame(32, 32, [Macroblock()] * 4, first_partition_size=61).write()[:10]
        add(name, data + b"\xff" + random.bytes(460), "a first partition that starts with a byte of 255", None)

    # --- Segmentation (section 9.3) ---
    def segmented(name, shows, width=64, height=64, probabilities=(100, 150, 60), **fields):
        segmentation = Segmentation(probabilities=list(probabilities), **fields)
        frame = picture(name, width, height, segmentation=segmentation, quantizer=40, filter_level=25, empty=4)
        add(name, frame, shows)

    segmented("vp8-segments-absolute", "quantizers and filter levels by segment", quantizer=[4, 30, 60, 127],
              filter_level=[0, 10, 30, 63])  # fmt: skip
    segmented("vp8-segments-delta",
              "quantizers and filter levels relative to those in the frame header", absolute=False,
              quantizer=[-30, 20, None, 5], filter_level=[-20, 20, None, -3])  # fmt: skip
    segmented("vp8-segments-delta-out-of-range",
              "deltas whose results are outside of 0...127 and 0...63", absolute=False,
              quantizer=[-127, 127, 90, -41], filter_level=[-63, 63, 40, -26])  # fmt: skip
    segmented("vp8-segments-absolute-negative", "absolute values below 0", quantizer=[-5, 10, -127, 20],
              filter_level=[-63, 10, -1, 20])  # fmt: skip
    segmented("vp8-segments-no-map", "without a map all macroblocks are in segment 0", update_map=False,
              quantizer=[10, 100, 100, 100], filter_level=[50, 0, 0, 0])  # fmt: skip
    segmented("vp8-segments-no-data", "a map, but no data by which segments differ", update_data=False)
    segmented("vp8-segments-nothing", "segmentation enabled, neither map nor data", update_map=False, update_data=False)
    segmented("vp8-segments-missing-values", "values that are not stored are 0", quantizer=[None, 40, None, 80],
              filter_level=[None, None, 20, None])  # fmt: skip
    segmented("vp8-segments-default-probabilities", "probabilities that are not stored are 255",
              probabilities=(None, None, None), quantizer=[10, 20, 30, 40])  # fmt: skip
    segmented("vp8-segments-probability-0", "probabilities of 0", probabilities=(0, 0, 0), quantizer=[10, 20, 30, 40])

    # --- Quantization (sections 9.6, 14.1) ---
    for quantizer in (0, 1, 4, 63, 116, 117, 118, 126, 127):
        add(f"vp8-quantizer-{quantizer}", picture("vp8-quantizer", 32, 32, quantizer=quantizer), "a quantizer index")
    for index, kind in enumerate(("y1-dc", "y2-dc", "y2-ac", "uv-dc", "uv-ac")):
        for delta in (-15, 15):
            for quantizer in (3, 124) if delta < 0 else (50, 120):
                name = f"vp8-quantizer-{quantizer}-{kind}{delta:+}"
                deltas = [None] * 5
                deltas[index] = delta
                frame = picture("vp8-quantizer", 32, 32, quantizer=quantizer, quantizer_deltas=deltas)
                add(name, frame, "a delta, clamped where the index leaves its table")
    add("vp8-quantizer-deltas", picture("vp8-quantizer", 32, 32, quantizer_deltas=[1, -2, 3, -4, 5]), "all five deltas")

    # --- Transforms (section 14) that exceed 16 bits ---
    for name, value, quantizer, shows in (
        ("vp8-coefficients-largest", 2114, 0, "the largest token value"),
        ("vp8-coefficients-overflow", 2114, 127, "coefficients that overflow 16 bits when they are multiplied"),
        ("vp8-coefficients-overflow-transform", 120, 127, "coefficients that overflow during the transform"),
    ):
        random = random_for(name)
        frame = Frame(48, 32, quantizer=quantizer)
        for index in range(6):
            macroblock = Macroblock(luma=LUMA_MODES[index % 5])
            first = 0 if macroblock.luma == "B_PRED" else 1

            def block(count):
                return [value * (1 - 2 * random.below(2)) for _ in range(count)]

            macroblock.y2 = block(1 + 3 * index) if first else []
            macroblock.y = [block(random.below(17 - first)) for _ in range(16)]
            macroblock.u = [block(random.below(17)) for _ in range(4)]
            macroblock.v = [block(random.below(4)) for _ in range(4)]
            frame.macroblocks.append(macroblock)
        add(name, frame, shows)
    name = "vp8-transform-short-forms"
    frame = Frame(64, 16, quantizer=50)
    for count in range(4):
        macroblock = Macroblock(luma="B_PRED", subblocks=["B_TM_PRED"] * 16)
        macroblock.y = [[(-1) ** k * (3 + k)] * count for k in range(16)]
        macroblock.u = [[5] * count if k == 0 else [] for k in range(4)]
        macroblock.v = [[0] * count + [3] if k == count else [-2] for k in range(4)]
        frame.macroblocks.append(macroblock)
    add(name, frame, "blocks of 0, 1, 2 and 3 coefficients, for which there are short transforms")
    for count in range(4):
        name = f"vp8-y2-of-{count}"
        frame = Frame(32, 32, [Macroblock(y2=[(-1) ** k * (20 + 9 * i) for k in range(count)]) for i in range(4)])
        add(name, frame, "the second-order transform of few coefficients")

    # --- Loop filter (section 15) ---
    soft = dict(width=64, height=48, largest=2, amount=4, quantizer=22, empty=4)

    def filtered(name, shows, **fields):
        add(name, picture("vp8-filter", **{**soft, **fields}), shows)

    for simple in (False, True):
        kind = "simple" if simple else "normal"
        for sharpness in range(8):
            filtered(f"vp8-filter-{kind}-sharpness-{sharpness}", "a sharpness", simple_filter=simple, filter_level=28,
                     sharpness=sharpness)  # fmt: skip
        for sharpness in (4, 5):  # where the shift of the interior limit changes, and it is not capped
            filtered(f"vp8-filter-{kind}-shift-{sharpness}", "the shift by which a sharpness reduces the interior limit",
                     simple_filter=simple, filter_level=12, sharpness=sharpness)  # fmt: skip
        for levels_of_segments in ((0, 1, 2, 3), (4, 9, 14, 15), (16, 25, 39, 40), (41, 55, 62, 63)):
            segmentation = Segmentation(filter_level=list(levels_of_segments), quantizer=[22] * 4,
                                        probabilities=[128, 128, 128])  # fmt: skip
            name = f"vp8-filter-{kind}-levels-{'-'.join(map(str, levels_of_segments))}"
            filtered(name, "filter levels", simple_filter=simple, filter_level=1, segmentation=segmentation)
            filtered(name.replace("levels", "sharp-levels"), "filter levels with sharpness", simple_filter=simple,
                     filter_level=1, segmentation=segmentation, sharpness=6)  # fmt: skip
        for level in (1, 20, 63):
            filtered(f"vp8-filter-{kind}-strong-steps-{level}",
                     "steps that are too high to be smoothed, and steps that are just low enough",
                     simple_filter=simple, filter_level=level, quantizer=70, largest=4)  # fmt: skip
    segmentation = Segmentation(filter_level=[60, 50, 40, 30], quantizer=[22] * 4)
    filtered("vp8-filter-frame-level-0",
             "a frame's filter level of 0 overrides the levels of the segments", filter_level=0,
             segmentation=segmentation)  # fmt: skip
    for label, reference, mode in (
        ("reference", [10, None, None, None], [None] * 4), ("mode", [None] * 4, [15, None, None, None]),
        ("both", [-9, 5, 5, 5], [6, -6, -6, -6]), ("down-to-0", [-40, None, None, None], [50, None, None, None]),
        ("up-to-63", [63, None, None, None], [63, None, None, None]), ("zero", [0, 0, 0, 0], [0, 0, 0, 0]),
    ):  # fmt: skip
        filtered(f"vp8-filter-deltas-{label}", "filter levels that depend on the mode", filter_level=24,
                 filter_deltas=(1, reference, mode))  # fmt: skip
    filtered("vp8-filter-deltas-not-updated",
             "deltas are enabled, but none are stored", filter_level=24, filter_deltas=(0, [], []))  # fmt: skip
    segmentation = Segmentation(filter_level=[10, 60, -20, 40], absolute=False, quantizer=[None] * 4,
                                probabilities=[128, 128, 128])  # fmt: skip
    filtered("vp8-filter-deltas-and-segments",
             "filter levels that are out of range before the deltas are added", filter_level=30,
             segmentation=segmentation, filter_deltas=(1, [-35, 0, 0, 0], [20, 0, 0, 0]))  # fmt: skip
    filtered("vp8-filter-no-inner-edges", "macroblocks without coefficients have no inner edges filtered", luma="TM_PRED",
             empty=2, filter_level=40)  # fmt: skip
    for level in (10, 50):
        for width, height in ((16, 16), (17, 33), (90, 30)):
            filtered(f"vp8-filter-{level}-{width}x{height}", "filtering at the borders of the frame", width=width,
                     height=height, filter_level=level)  # fmt: skip
    name = "vp8-large"
    frame = picture(name, 320, 240, largest=2, amount=2, empty=2, filter_level=18, sharpness=2, skip_probability=128)
    add(name, frame, "many macroblocks, for rows that are handed out while others are filtered")
    name = "vp8-wide"
    add(name, picture(name, 1100, 20, largest=2, amount=2, empty=2, filter_level=18), "wide rows")
    name = "vp8-tall"
    add(name, picture(name, 20, 1100, largest=2, amount=2, empty=2, filter_level=18, log2_partitions=3), "many rows")
