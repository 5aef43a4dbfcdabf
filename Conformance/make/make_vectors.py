#!/usr/bin/env python3
"""Writes all vectors to ../vectors, with index.tsv: file, expected verdict, property that it shows.

The generators are seeded, so each run writes the same bytes. The files by cwebp, img2webp and pillow, which depend on the
versions of these programs, are not written again. They show collection.waves(67, 45).
"""

import os

import vectors_alpha
import vectors_animation
import vectors_attacks
import vectors_container
import vectors_options
import vectors_vp8
import vectors_vp8l
from collection import Collection

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vectors")


def main():
    collection = Collection()
    for part in (vectors_vp8, vectors_vp8l, vectors_alpha, vectors_container, vectors_options, vectors_animation,
                 vectors_attacks):  # fmt: skip
        part.add_vectors(collection)
    for name, expect, shows in (line.split("\t") for line in open(f"{FOLDER}/index.tsv").read().splitlines()[1:]):
        if name.startswith("encoder-"):
            collection.add(name.removesuffix(".webp"), open(f"{FOLDER}/{name}", "rb").read(), shows, expect)
    for name in os.listdir(FOLDER):
        if name.endswith(".webp") and name not in collection.vectors:
            os.remove(os.path.join(FOLDER, name))
    with open(os.path.join(FOLDER, "index.tsv"), "w") as index:
        print("file", "expected", "shows", sep="\t", file=index)
        for name, (data, expect, shows) in sorted(collection.vectors.items()):
            with open(os.path.join(FOLDER, name), "wb") as out:
                out.write(data)
            print(name, expect or "-", shows, sep="\t", file=index)
    total = sum(len(data) for data, _, _ in collection.vectors.values())
    print(f"{len(collection.vectors)} vectors, {total} bytes")


if __name__ == "__main__":
    main()
