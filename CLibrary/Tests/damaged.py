#!/usr/bin/env python3
"""Writes corrupted variants of the files, or of the vectors, to a folder:   damaged.py FOLDER COUNT [FILE…]"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Conformance/make"))
from damage import damaged  # noqa: E402

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
# The sizes that headers claim may be changed, so that files with many pixels are left out.
vectors = [path for path in sorted((ROOT / "Conformance/vectors").glob("*.webp")) if not path.name.startswith("attack")]
paths = [pathlib.Path(path) for path in sys.argv[3:]] or vectors
for number in range(count):
    path = paths[number * 7919 % len(paths)]
    (folder / f"{number:05}-{path.name}").write_bytes(damaged(path.read_bytes(), number))
