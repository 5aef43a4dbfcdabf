"""Seeded corruption of files. Conformance/Support/Damage.swift produces the same bytes."""

import zlib

MASK = (1 << 64) - 1


class SplitMix64:
    """The generator of Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def below(self, bound):
        """Returns a number in 0 ..< bound. bound is at most 2^32."""
        return (self.next() >> 32) * bound >> 32

    def between(self, low, high):
        """Returns a number in low ... high."""
        return low + self.below(high - low + 1)

    def choice(self, items):
        return items[self.below(len(items))]

    def bytes(self, count):
        return bytes(self.below(256) for _ in range(count))


def damaged(data, case):
    """Returns variant `case` of the corrupted file.

    Bytes are flipped, replaced, truncated, removed, inserted, or copied from another position. In most cases the sizes
    in the headers are adapted afterwards, so that the decoder does not reject the file because of its sizes.
    """
    random = SplitMix64(zlib.crc32(data) << 32 | case)
    out = bytearray(data)
    # Bytes after the first chunk header are changed more often than bytes before it.
    start = 20 if len(data) > 20 and random.below(8) != 0 else 0
    kind = random.below(8)

    def place():
        return start + random.below(len(out) - start)

    if not out:
        return b""
    if kind <= 1:
        at = place()
        out[at] ^= 1 << random.below(8)
    elif kind == 2:
        at = place()
        out[at] = random.below(256)
    elif kind == 3:
        for _ in range(2 + random.below(8)):
            at = place()
            out[at] = random.below(256)
    elif kind == 4:
        del out[place() :]
    elif kind == 5:
        at = place()
        del out[at : at + 1 + random.below(8)]
    elif kind == 6:
        at = place()
        out[at:at] = random.bytes(1 + random.below(8))
    else:
        source, target, count = place(), place(), 1 + random.below(16)
        piece = out[source : source + count]
        out[target : target + len(piece)] = piece

    return with_adapted_sizes(out) if random.below(8) != 0 else bytes(out)


def with_adapted_sizes(data):
    """Returns the file with sizes that fit its length, in the RIFF header and in an image chunk directly after it."""
    out = bytearray(data)
    if len(out) >= 20 and out[:4] == b"RIFF":
        out[4:8] = (len(out) - 8).to_bytes(4, "little")
        if out[12:16] in (b"VP8 ", b"VP8L"):
            out[16:20] = (len(out) - 20).to_bytes(4, "little")
    return bytes(out)
