#!/usr/bin/env python3
"""Writes all vectors to ../vectors, with index.tsv: file, expected verdict, property that it shows.

The generators are seeded, so each run writes the same bytes. The files by cwebp, img2webp and pillow, which depend on the
versions of these programs, are not written again. They show collection.waves(67, 45).
"""

import pathlib

import vectors_alpha
import vectors_animation
import vectors_attacks
import vectors_container
import vectors_options
import vectors_vp8
import vectors_vp8l
from collection import Collection

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"


def main():
    collection = Collection()
    for part in (vectors_vp8, vectors_vp8l, vectors_alpha, vectors_container, vectors_options, vectors_animation,
                 vectors_attacks):  # fmt: skip
        part.add_vectors(collection)
    for name, expect, shows in (line.split("\t") for line in (FOLDER / "index.tsv").read_text().splitlines()[1:]):
        if name.startswith("encoder-"):
            collection.add(name.removesuffix(".webp"), (FOLDER / name).read_bytes(), shows, expect)
    for path in FOLDER.glob("*.webp"):
        if path.name not in collection.vectors:
            path.unlink()
    with open(FOLDER / "index.tsv", "w") as index:
        print("file", "expected", "shows", sep="\t", file=index)
        for name, (data, expect, shows) in sorted(collection.vectors.items()):
            (FOLDER / name).write_bytes(data)
            print(name, expect or "-", shows, sep="\t", file=index)
    total = sum(len(data) for data, _, _ in collection.vectors.values())
    print(f"{len(collection.vectors)} vectors, {total} bytes")


if __name__ == "__main__":
    main()
