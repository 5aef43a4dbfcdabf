#!/usr/bin/env python3
"""Proves that both modules decode the frames of animations, and convert them to animated PNGs.
Expected values: the pixels, durations and loop counts of libwebp, which Pillow reports.

    pip install pillow; Wasm/build; python3 Wasm/tests/animations.py [FOLDER]
"""
import pathlib
import subprocess
import sys
import tempfile
import zlib

from PIL import Image, _webp

Image.MAX_IMAGE_PIXELS = None
HERE = pathlib.Path(__file__).resolve().parent


def libwebp(data):
    """Returns [(R G B A, duration)] and the loop count; None if libwebp rejects a frame."""
    try:
        decoder = _webp.WebPAnimDecoder(data)
    except OSError:
        return None
    (width, height), loops, _, count, _ = decoder.get_info()
    if width * height > 1 << 24:
        return None
    frames, last = [], 0
    for _ in range(count):
        try:
            frame = decoder.get_next()
        except OSError:
            return None
        if frame is None:
            return None
        frames.append((frame[0], frame[1] - last))
        last = frame[1]
    return frames, loops


def refused():
    """Returns the names of the vectors that exceed this decoder's limits."""
    lines = (HERE.parent.parent / "Conformance/references/vectors.tsv").read_text().splitlines()
    return {name for name, verdict, *_ in (line.split("\t") for line in lines) if verdict == "limit"}


def png(path):
    with Image.open(path) as picture:
        frames = []
        for index in range(picture.n_frames):
            picture.seek(index)
            picture.load()
            frames.append((picture.convert("RGBA").tobytes(), int(picture.info["duration"])))
        return frames, picture.info["loop"]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "Conformance/vectors")
    wanted = {}
    limited = refused()
    for path in sorted(folder.glob("*.webp")):
        if path.name in limited:
            continue
        data = path.read_bytes()
        frames = libwebp(data) if b"ANMF" in data else None
        if frames and frames[0]:
            wanted[str(path)] = frames
    failures = pngs = frames = 0
    with tempfile.TemporaryDirectory() as scratch:
        output = subprocess.run(
            ["node", HERE / "frames.mjs", "--png", scratch, *wanted], check=True, text=True, stdout=subprocess.PIPE)
        for line in output.stdout.splitlines():
            module, file, *found = line.split("\t")
            expected, loops = wanted[file]
            if found != [str(loops)] + [f"{zlib.crc32(pixels):08x}/{duration}" for pixels, duration in expected]:
                failures += 1
                print(f"{module}: {file}: {found}")
            frames += len(expected)
        for file, expected in wanted.items():
            # One frame becomes a still image. Durations above 65 s are rounded, because fractions have 16-bit numbers.
            if len(expected[0]) < 2 or any(duration > 65535 for _, duration in expected[0]):
                continue
            pngs += 1
            if png(f"{scratch}/{pathlib.Path(file).stem}.png") != expected:
                failures += 1
                print(f"animated PNG: {file}")
    print(f"{len(wanted)} animations, {frames} frames in both modules, {pngs} animated PNGs: {failures} differ")
    sys.exit(1 if failures or not pngs else 0)


main()
