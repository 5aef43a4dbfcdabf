#!/usr/bin/env python3
"""Proves that both modules decode the frames of animations, and convert them to animated PNGs, which Pillow reads.
Expected values: the canvases, durations and loop counts of libwebp's animation decoder.

    pip install pillow; Wasm/build; python3 Wasm/tests/animations.py
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import zlib

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
CONFORMANCE = HERE.parent.parent / "Conformance"


def references():
    """Maps each file to its loop count, and its frames as CRC-32/duration."""
    found = {}
    for line in (CONFORMANCE / "references/animations.tsv").read_text().splitlines()[1:]:
        name, layout, *fields = line.split("\t")
        if layout == "RGBA" and fields[-1] not in ("refused", "damaged"):
            _, _, loops, _, _, *frames = fields
            ends, sums = zip(*(frame.split(":") for frame in frames))
            times = itertools.pairwise([0, *map(int, ends)])
            found[str(CONFORMANCE / "vectors" / name)] = [
                loops, *(f"{crc}/{end - start}" for crc, (start, end) in zip(sums, times))]
    return found


def read_png(path):
    with Image.open(path) as picture:
        frames = []
        for index in range(picture.n_frames):
            picture.seek(index)
            picture.load()
            frames.append(f"{zlib.crc32(picture.convert('RGBA').tobytes()):08x}/{int(picture.info['duration'])}")
        return [str(picture.info["loop"]), *frames]


expected = references()
failures = pngs = 0
with tempfile.TemporaryDirectory() as scratch:
    output = subprocess.run(
        ["node", HERE / "frames.mjs", "--png", scratch, *expected], check=True, text=True, stdout=subprocess.PIPE)
    for line in output.stdout.splitlines():
        module, file, *found = line.split("\t")
        if found != expected[file]:
            failures += 1
            print(f"{module}: {file}: {found}")
    for file, (loops, *frames) in expected.items():
        # One frame becomes a still image. Durations above 65 s are rounded, because fractions have 16-bit numbers.
        if len(frames) < 2 or any(int(frame.split("/")[1]) > 65535 for frame in frames):
            continue
        pngs += 1
        if read_png(f"{scratch}/{pathlib.Path(file).stem}.png") != [loops, *frames]:
            failures += 1
            print(f"animated PNG: {file}")
print(f"{len(expected)} animations in both modules, {pngs} animated PNGs: {failures} differ")
sys.exit(1 if failures or not pngs else 0)
