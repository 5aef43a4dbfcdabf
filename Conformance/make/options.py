"""The results of libwebp for vectors with decoder options, and the finished rows of its incremental decoder.

Options are written as in `crop=4,2,10,8 size=7x9 dither=50 alpha-dither=30 nearest unfiltered flip`, or `-` for none.
"""

import zlib

import libwebp
from collection import random_for, runs
from lossless_yuv import lossless_yuva

HEADER = ["file", "layout", "options", "width", "height", "CRC-32 of the planes"]
ROWS_HEADER = ["file", "layout", "options", "rows x number of lengths, from 0 on"]

LOSSY = 1
PACKED = libwebp.MODES[:11]
FAMILIES = ("vp8-", "vp8l-", "alpha-", "encoder-", "options-")
# Vectors that are decoded in every layout, with each option alone and with all options.
CHOSEN = [
    "vp8-size-31x33", "vp8-size-1x1", "vp8-tall", "encoder-cwebp-q75", "encoder-cwebp-alpha-q20", "alpha-gradient-noise",
    "options-dither-normal-filter-quantizer-0", "options-dither-simple-filter-quantizer-3", "options-smooth-61x45",
    "options-alpha-palette-horizontal-smooth", "options-lossy-97x61", "options-lossy-2x33", "options-lossless-97x61",
    "options-lossless-33x2", "options-lossless-1x1", "encoder-cwebp-lossless-z9-alpha", "vp8l-palette-16-width-13",
]  # fmt: skip
LONGEST_FOR_ROWS = 450


def text(o):
    """Formats options as in the tables."""
    words = []
    if o.get("use_cropping"):
        words.append("crop={crop_left},{crop_top},{crop_width},{crop_height}".format(**o))
    if o.get("use_scaling"):
        words.append("size={scaled_width}x{scaled_height}".format(**o))
    for name, word in (("dithering_strength", "dither"), ("alpha_dithering_strength", "alpha-dither")):
        if name in o:
            words.append(f"{word}={o[name]}")
    for name, word in (("no_fancy_upsampling", "nearest"), ("bypass_filtering", "unfiltered"), ("flip", "flip")):
        if name in o:
            words.append(word)
    return " ".join(words) or "-"


def some(random, width, height, chance=2):
    """Returns random options, each with a probability of 1 / `chance`."""
    o = {}
    if not random.below(chance):
        o.update(crop(random, width, height))
        width, height = o["crop_width"], o["crop_height"]
    if not random.below(chance):
        o.update(scale(random, width, height))
    if not random.below(chance):
        o["dithering_strength"] = random.choice([1, 25, 50, 75, 100, random.below(101)])
    if not random.below(chance):
        o["alpha_dithering_strength"] = random.choice([24, 25, 50, 75, 100, random.below(101)])
    for name in ("no_fancy_upsampling", "bypass_filtering", "flip"):
        if not random.below(2 * chance):
            o[name] = 1
    return o


def crop(random, width, height):
    left, top = random.below(width), random.below(height)
    size = (1 + random.below(width - left), 1 + random.below(height - top))
    return dict(use_cropping=1, crop_left=left, crop_top=top, crop_width=size[0], crop_height=size[1])


def scale(random, width, height):
    """Returns a random size, larger or smaller than the image. If a side is 0, the decoder derives it from the aspect
    ratio."""
    sides = [max(1, side * random.choice([1, 3, 5, 7, 9, 10, 11, 13, 19, 20, 31]) // 10) for side in (width, height)]
    open_side = random.below(12)
    if open_side < 2:
        sides[open_side] = 0
    return dict(use_scaling=1, scaled_width=sides[0], scaled_height=sides[1])


def decoded(data, mode, features, o):
    """Returns (width, height, planes) from libwebp, or from lossless_yuv.py; None if there is no reference."""
    if features.format == LOSSY or mode in PACKED:
        status, width, height, planes = libwebp.decode(data, mode, **o)
        assert status == 0, (mode, o)
        return width, height, planes
    if o.get("use_scaling"):
        return None
    upright = {name: value for name, value in o.items() if name != "flip"}
    _, width, height, rgba = libwebp.decode(data, "RGBA", **upright)
    planes, start, out = lossless_yuva(rgba, width, height, has_alpha=mode == "YUVA"), 0, b""
    half = ((width + 1) // 2, (height + 1) // 2)
    for row, rows in [(width, height), half, half, (width, height)][: len(mode)]:
        lines = [planes[start + y * row : start + (y + 1) * row] for y in range(rows)]
        out += b"".join(lines[::-1] if o.get("flip") else lines)
        start += row * rows
    return width, height, out


def cases(name, data, features):
    """Yields (layout, options)."""
    random, (width, height) = random_for("options " + name), (features.width, features.height)
    if name.removesuffix(".webp") in CHOSEN:
        for mode in libwebp.MODES:
            yield mode, {}
            yield mode, dict(flip=1)
            yield mode, crop(random, width, height)
            yield mode, scale(random, width, height)
            yield mode, dict(dithering_strength=random.choice([30, 60, 100]), alpha_dithering_strength=60)
            yield mode, some(random, width, height, 1)
    elif name.startswith("options-"):
        for strength in (10, 25, 50, 75, 100):
            yield "YUVA", dict(dithering_strength=strength, alpha_dithering_strength=strength)
            yield "YUVA", dict(crop(random, width, height), dithering_strength=strength, alpha_dithering_strength=strength)
        for _ in range(6):
            yield random.choice(PACKED), some(random, width, height)
    else:
        yield random.choice(PACKED), some(random, width, height)
        yield random.choice(libwebp.MODES), some(random, width, height)


def files(folder, names):
    """Yields (name, bytes, features) of the vectors in the tables."""
    for name in names:
        if name.startswith(FAMILIES):
            data = (folder / name).read_bytes()
            features = libwebp.features(data)[1]
            if features.width * features.height <= 1 << 16:
                yield name, data, features


def lines(folder, names):
    out = []
    for name, data, features in files(folder, names):
        for mode, o in cases(name, data, features):
            if found := decoded(data, mode, features, o):
                width, height, planes = found
                out.append([name, mode, text(o), width, height, f"{zlib.crc32(planes):08x}"])
    print(f"{len(out)} decodes with options")
    return out


def rows_lines(folder, names):
    """Returns runs of the number of finished rows, by length. `-` means that libwebp reports an error for a valid file:
    it rejects some small files when their first partition is complete, and images that are longer than their chunk.
    """
    out = []
    for name, data, features in files(folder, names):
        if len(data) > LONGEST_FOR_ROWS:
            continue
        random = random_for("rows " + name)
        # For scaled planes, libwebp counts rows of luma before their chroma is finished.
        o = some(random, features.width, features.height)
        choices = [("RGBA", {}), (random.choice(PACKED), o)]
        if features.format == LOSSY:
            choices.append(("YUVA", {k: v for k, v in o.items() if k not in ("use_scaling", "scaled_width", "scaled_height")}))
        for mode, o in choices:
            found = (libwebp.rows_shown(data[:length], mode, **o) for length in range(len(data)))
            rows = ("-" if libwebp.STATUS[status] == "bitstream-error" else rows for status, rows in found)
            out.append([name, mode, text(o), *runs(rows)])
    print(f"{len(out)} decodes of truncated files")
    return out
