#!/usr/bin/env python3
"""Writes ../references: the results of libwebp for the vectors, and for truncated and corrupted variants of them.

Needs the PyPI package pillow, whose libwebp (1.6.0) is the reference, on x86-64. Where coefficients overflow, libwebp's
result depends on the processor, and the result with SSE2 is the reference on all platforms.

    vectors.tsv             each vector: verdict, size, alpha, and CRC-32 of the planes
    prefixes.tsv            small vectors truncated to each length, also with adapted sizes in the headers: verdicts
    damage.tsv              corrupted variants (damage.py): verdict or CRC-32 of RGBA
    options.tsv             layouts, crops, sizes, flipping, dithering: CRC-32 of the planes (options.py)
    incremental.tsv         finished rows of the incremental decoder for each length (options.py)
    animations.tsv          composed frames of the animations: end time and CRC-32 (animations.py)
    libwebp-test-data.tsv   like vectors.tsv, for the files in WEBP_TEST_DATA or next to the repository
"""

import os
import pathlib
import shutil
import sys
import zlib
from multiprocessing import Pool

import animations
import libwebp
import options
from collection import runs
from damage import damaged, with_adapted_sizes
from lossless_yuv import lossless_yuva

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent
VECTORS = CONFORMANCE / "vectors"
REFERENCES = CONFORMANCE / "references"
TEST_DATA = pathlib.Path(os.environ.get("WEBP_TEST_DATA") or CONFORMANCE / "../../libwebp-test-data")

# The decoder's default limits, which libwebp does not have, and the limit in the tests of corrupted files.
PIXEL_LIMIT = 1 << 27
UNRESTRICTED_PIXELS = 1 << 26
PIXELS_PER_BYTE = 1 << 8
DAMAGE_PIXEL_LIMIT = 1 << 22
LONGEST_FOR_PREFIXES = 450
LONGEST_FOR_DAMAGE = 8000
DAMAGE_CASES = 4

OK, ANIMATED = 0, libwebp.STATUS.index("unsupported-feature")
LOSSY = 1


def crc(data):
    return f"{zlib.crc32(data):08x}"


def over_limit(data, features):
    """Returns whether a file exceeds the default limits: the number of pixels, or the pixels per byte."""
    if features.width * features.height > min(PIXEL_LIMIT, UNRESTRICTED_PIXELS + PIXELS_PER_BYTE * len(data)):
        return True
    limit = 2 * UNRESTRICTED_PIXELS + 8 * PIXELS_PER_BYTE * len(data)
    return features.has_animation and animations.area(data) > limit


def row(path, twin=True):
    """Returns a line of vectors.tsv."""
    data = path.read_bytes()
    _, features = libwebp.features(data)
    alpha = str(features.has_alpha)
    size = [str(features.width), str(features.height)]
    if over_limit(data, features):
        return ["limit", *size, alpha, "-", "-", "-", "-"]
    status, _, _, rgba = libwebp.decode(data)
    name = libwebp.STATUS[status]
    if features.has_animation:
        # libwebp's still decoder rejects some animations as corrupt, but its animation decoder accepts them.
        shown = libwebp.frames(data)
        canvas = crc(shown[1][0][1]) if shown and shown[1] else "-"
        if status == ANIMATED or canvas != "-":
            return [libwebp.STATUS[ANIMATED], *size, alpha, canvas, "-", "-", "-"]
    if status != OK:
        return [name, "-", "-", "-", "-", "-", "-", "-"]
    if features.format == LOSSY:
        yuva = crc(libwebp.decode(data, "YUVA")[3])
        nearest = crc(libwebp.decode(data, no_fancy_upsampling=1)[3])
        unfiltered = crc(libwebp.decode(data, "YUVA", bypass_filtering=1)[3])
    else:
        yuva = crc(lossless_yuva(rgba, features.width, features.height)) if twin else "-"
        nearest = unfiltered = "-"
    return [name, *size, alpha, crc(rgba), yuva, nearest, unfiltered]


def verdict(data):
    """Returns the status, or the CRC-32 of RGBA if the file is valid, or `-` if there is no reference."""
    _, features = libwebp.features(data)
    if features.width * features.height > DAMAGE_PIXEL_LIMIT or features.has_animation:
        return "-"
    status, _, _, rgba = libwebp.decode(data)
    return "-" if status == ANIMATED else crc(rgba) if status == OK else status


def prefixes(data, cut):
    """Returns the verdicts of `cut(data[:n])` for n in 0 ..< count, as runs `status x count`.

    Status 0 means that the pixels equal those of the complete file.
    """
    whole = verdict(data)
    found = (verdict(cut(data[:length])) for length in range(len(data)))
    return runs(OK if each == whole != "-" else each for each in found)


def write(name, header, lines):
    with open(REFERENCES / name, "w") as out:
        for line in [header, *lines]:
            print(*line, sep="\t", file=out)


HEADER = ["file", "verdict", "width", "height", "alpha", "rgba", "yuva", "rgba-nearest", "yuva-unfiltered"]


def main():
    print("libwebp", libwebp.version())
    expected = dict(line.split("\t")[:2] for line in (VECTORS / "index.tsv").read_text().splitlines()[1:])
    names = sorted(expected)
    with Pool(2) as pool:
        rows = pool.map(row, [VECTORS / name for name in names], chunksize=16)
    wrong = [(name, expected[name], found[0]) for name, found in zip(names, rows) if expected[name] != found[0]]
    # Files above the limits of PureWebP have no verdict of libwebp. Vectors of random data have no expected verdict.
    if any(intended != "-" and found != "limit" for _, intended, found in wrong):
        sys.exit(f"libwebp's verdict differs from the expected one: {wrong}")
    write("vectors.tsv", HEADER, [[name, *found] for name, found in zip(names, rows)])

    prefix_lines, damage_lines, cases = [], [], 0
    for name, found in zip(names, rows):
        data = (VECTORS / name).read_bytes()
        if len(data) <= LONGEST_FOR_PREFIXES and found[0] == "ok":
            prefix_lines.append([name, "plain", *prefixes(data, bytes)])
            prefix_lines.append([name, "adapted", *prefixes(data, with_adapted_sizes)])
        if len(data) <= LONGEST_FOR_DAMAGE and found[0] != "limit":
            count = DAMAGE_CASES if found[0] == "ok" else 1
            damage_lines.append([name, *(verdict(damaged(data, case)) for case in range(count))])
            cases += len(damage_lines[-1]) - 1
    write("prefixes.tsv", ["file", "sizes in headers", "status x number of lengths, from 0 on"], prefix_lines)
    write("damage.tsv", ["file", "status, or CRC-32 of RGBA, by case from 0 on"], damage_lines)
    decoded = [name for name, found in zip(names, rows) if found[0] == "ok"]
    write("options.tsv", options.HEADER, options.lines(VECTORS, decoded))
    write("incremental.tsv", options.ROWS_HEADER, options.rows_lines(VECTORS, decoded))
    write("animations.tsv", animations.HEADER, animations.lines(VECTORS, names, over_limit))
    print(f"{len(rows)} vectors, {len(prefix_lines) // 2} of them truncated, {cases} corrupted files")

    if TEST_DATA.is_dir():
        lines = [[path.name, *row(path, twin=False)] for path in sorted(TEST_DATA.glob("*.webp"))]
        write("libwebp-test-data.tsv", HEADER, lines)
        shutil.copyfile(TEST_DATA / "libwebp_tests.md5", REFERENCES / "libwebp-test-data.md5")
        print(f"{len(lines)} files of libwebp-test-data")


if __name__ == "__main__":
    main()
