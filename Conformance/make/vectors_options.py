"""Vectors for decoder options: dithering, smoothing of alpha, cropping and scaling."""

import vp8l
from collection import random_for, waves
from container import ALPHA, alph, chunk, riff, vp8x
from vectors_vp8 import levels, picture, simple_file
from vp8 import Segmentation
from vp8l import stream


def add_vectors(collection):
    # --- Dithering: finely quantized chroma with DC coefficients only ---
    def smooth(name, width, height, **frame):
        """Most macroblocks have chroma with DC coefficients only, some have more, some have none."""
        out, random = picture(name, width, height, **frame), random_for(name + " chroma")
        for macroblock in out.macroblocks:
            if kind := random.below(8):
                blocks = [levels(random, 1 if kind > 1 else 4, 9, chance=1) for _ in range(8)]
                macroblock.u, macroblock.v = blocks[:4], blocks[4:]
            else:
                macroblock.skip, macroblock.y2 = True, []
                macroblock.y, macroblock.u, macroblock.v = ([[] for _ in range(n)] for n in (16, 4, 4))
        return out

    for label, options in (
        ("unfiltered", {}), ("simple-filter", dict(filter_level=30, simple_filter=True)),
        ("normal-filter", dict(filter_level=40, sharpness=2)),
    ):  # fmt: skip
        for quantizer in (0, 3, 9, 11, 12):
            name = f"options-dither-{label}-quantizer-{quantizer}"
            frame = smooth(name, 93, 70, quantizer=quantizer, skip_probability=200, **options)
            collection.add(name, simple_file(frame), "chroma to which dithering adds noise, or not")
    for delta in (-15, 7):
        name = f"options-dither-uv-ac-{delta}"
        frame = smooth(name, 40, 50, quantizer=8, quantizer_deltas=[None, None, None, None, delta], skip_probability=200)
        collection.add(name, simple_file(frame), "the noise depends on a separate quantizer of chroma")
    segmentation = Segmentation(quantizer=[1, 60, 5, 10], probabilities=[120, 90, 150])
    name = "options-dither-segments"
    frame = smooth(name, 70, 60, segmentation=segmentation, filter_level=20, skip_probability=200)
    collection.add(name, simple_file(frame), "noise of a different strength in each segment")

    # --- Smoothing of alpha: alpha with few levels ---
    def lossy(name, width, height):
        return chunk("VP8 ", picture(name, width, height, filter_level=10, amount=3).write())

    def reduced(name, width, height, steps, shows, compression=0, filtering=0, preprocessing=1):
        random = random_for(name)
        values = []
        for pixel in waves(width, height, alpha=True):
            level = (pixel >> 24) + random.below(9)
            values.append(min(steps, key=lambda step: abs(step - level)))
        payload = bytes(values)
        if compression:
            payload = stream(width, height, [0xFF000000 | value << 8 for value in values], headless=True)
        alpha = alph(payload, compression, filtering, preprocessing)
        collection.add(name, riff(vp8x(width, height, ALPHA), alpha, lossy(name, width, height)), shows)

    few = [0, 60, 100, 150, 255]
    for width, height in ((1, 9), (2, 30), (3, 3), (4, 20), (5, 5), (6, 40), (7, 7), (8, 8), (9, 9), (40, 9), (61, 45)):
        reduced(f"options-smooth-{width}x{height}", width, height, few,
                "rectangles that have the size of the smoothing window, or not")  # fmt: skip
    reduced("options-smooth-2-levels", 30, 20, [0, 255], "two levels are not smoothed")
    reduced("options-smooth-3-levels", 30, 20, [10, 90, 200], "three levels are smoothed")
    reduced("options-smooth-many-levels", 50, 40, list(range(0, 256, 3)),
            "steps that are so small that the filter changes little")  # fmt: skip
    reduced("options-smooth-large-steps", 50, 40, [0, 127, 255], "steps so large that smoothing reaches its limits")
    reduced("options-smooth-lossless", 50, 40, few, "a compressed chunk", compression=1)
    reduced("options-smooth-not-reduced", 50, 40, few, "a chunk without the flag for smoothing", preprocessing=0)
    random = random_for("options-smooth-palette")
    indices = [random.below(4) for _ in range(33 * 29)]
    palette = [0xFF000000 | value << 8 for value in (3, 0, 250, 7)]
    pixels = vp8l.bundled(indices, 33, 29, 4)
    for label, filtering in (("none", 0), ("horizontal", 1), ("vertical", 2), ("gradient", 3)):
        payload = stream(33, 29, pixels, [vp8l.color_indexing(palette)], headless=True)
        for preprocessing in (0, 1):
            name = f"options-alpha-palette-{label}" + "-smooth" * preprocessing
            data = riff(vp8x(33, 29, ALPHA), alph(payload, 1, filtering, preprocessing), lossy(name, 33, 29))
            collection.add(name, data,
                           "a palette of alpha, which a decoder may handle differently for crops below the first row")  # fmt: skip

    # --- Cropping and scaling ---
    for width, height in ((97, 61), (64, 64), (33, 2), (2, 33), (1, 1)):
        name = f"options-lossless-{width}x{height}"
        data = chunk("VP8L", stream(width, height, waves(width, height, alpha=True)))
        collection.add(name, riff(data), "a lossless image to be cropped and scaled")
        name = f"options-lossy-{width}x{height}"
        collection.add(name, simple_file(picture(name, width, height, filter_level=20)),
                       "a lossy image to be cropped and scaled")  # fmt: skip
