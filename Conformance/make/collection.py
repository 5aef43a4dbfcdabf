"""The collection of vectors, and functions that the scripts share."""

import itertools
import zlib

from damage import SplitMix64


class Collection:
    """Vectors by name: (bytes, expected verdict, property that it shows)."""

    def __init__(self):
        self.vectors = {}

    def add(self, name, data, shows, expect="ok"):
        name += ".webp"
        assert name not in self.vectors, name
        self.vectors[name] = (bytes(data), expect, shows)


def random_for(name):
    """Returns a generator seeded with the vector's name, so that a new vector does not change the others."""
    return SplitMix64(zlib.crc32(name.encode()))


def noise(random, count, alpha=True):
    """Returns random pixels."""
    return [(random.below(256) if alpha else 255) << 24 | random.below(1 << 24) for _ in range(count)]


def runs(values):
    """Returns `value x count` for each run of equal values."""
    return [f"{value}x{len(list(run))}" for value, run in itertools.groupby(values)]


def waves(width, height, alpha=False):
    """Returns an image with gradients, edges and flat parts, as rows of 0xAARRGGBB."""
    out = []
    for y in range(height):
        for x in range(width):
            red = (x * 5 + y * 3) & 255
            green = 255 * ((x // 7 + y // 5) % 2) if x > width // 2 else (x * y) & 255
            blue = min(255, abs(x - y) * 9)
            opacity = 255 if not alpha else min(255, 16 * abs(x - width // 2) + 8 * abs(y - height // 2))
            out.append(opacity << 24 | red << 16 | green << 8 | blue)
    return out
