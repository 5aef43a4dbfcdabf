#!/usr/bin/env python3
"""Proves that both modules decode the frames of animations, and convert them to animated PNGs.
Expected values: the pixels, durations and loop counts of the libwebp in Pillow.

    pip install pillow; Wasm/build; python3 Wasm/tests/animations.py
"""
import pathlib
import subprocess
import sys
import tempfile
import zlib

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
CONFORMANCE = HERE.parent.parent / "Conformance"
sys.path.insert(0, str(CONFORMANCE / "make"))
import libwebp  # noqa: E402


def expected_frames(data):
    """Returns [(R G B A, duration)] and the loop count; None if libwebp rejects a frame."""
    info, canvases, is_complete = libwebp.frames(data) or (None, [], False)
    if not is_complete or not canvases:
        return None
    starts = [0, *(end for end, _ in canvases)]
    return [(canvas, end - start) for start, (end, canvas) in zip(starts, canvases)], info.loops


def png(path):
    with Image.open(path) as picture:
        frames = []
        for index in range(picture.n_frames):
            picture.seek(index)
            picture.load()
            frames.append((picture.convert("RGBA").tobytes(), int(picture.info["duration"])))
        return frames, picture.info["loop"]


def main():
    expected = {}
    for line in (CONFORMANCE / "references/vectors.tsv").read_text().splitlines()[1:]:
        name, verdict, *_ = line.split("\t")
        path = CONFORMANCE / "vectors" / name
        # Vectors that exceed this decoder's limits are omitted.
        if verdict != "limit" and b"ANMF" in (data := path.read_bytes()) and (frames := expected_frames(data)):
            expected[str(path)] = frames
    failures = pngs = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        output = subprocess.run(
            ["node", HERE / "frames.mjs", "--png", scratch, *expected], check=True, text=True, stdout=subprocess.PIPE)
        for line in output.stdout.splitlines():
            module, file, *found = line.split("\t")
            frames, loops = expected[file]
            if found != [str(loops)] + [f"{zlib.crc32(pixels):08x}/{duration}" for pixels, duration in frames]:
                failures += 1
                print(f"{module}: {file}: {found}")
            count += len(frames)
        for file, (frames, loops) in expected.items():
            # One frame becomes a still image. Durations above 65 s are rounded, because fractions have 16-bit numbers.
            if len(frames) < 2 or any(duration > 65535 for _, duration in frames):
                continue
            pngs += 1
            if png(f"{scratch}/{pathlib.Path(file).stem}.png") != (frames, loops):
                failures += 1
                print(f"animated PNG: {file}")
    print(f"{len(expected)} animations, {count} frames in both modules, {pngs} animated PNGs: {failures} differ")
    sys.exit(1 if failures or not pngs else 0)


main()
