#!/usr/bin/env python3
"""Writes the corrupted files of Conformance/references/damage.tsv, in its order: four bytes of length, and the file."""
import pathlib
import sys

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent.parent / "Conformance"
sys.path.insert(0, str(CONFORMANCE / "make"))
from damage import damaged  # noqa: E402

for line in (CONFORMANCE / "references/damage.tsv").read_text().splitlines()[1:]:
    name, *cases = line.split("\t")
    whole = (CONFORMANCE / "vectors" / name).read_bytes()
    for case in range(len(cases)):
        file = damaged(whole, case)
        sys.stdout.buffer.write(len(file).to_bytes(4, "little") + file)
