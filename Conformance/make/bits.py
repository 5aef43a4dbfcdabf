"""Writers for the two kinds of bitstreams of WebP."""


class BitWriter:
    """Writes VP8L bits: the least significant bit of each byte first (RFC 9649, section 3.2)."""

    def __init__(self):
        self.value = 0
        self.count = 0

    def put(self, value, count):
        assert 0 <= value < 1 << count or count == 0 == value, (value, count)
        self.value |= value << self.count
        self.count += count

    def bytes(self):
        """Returns the bits written so far. The last byte is padded with zero bits."""
        return self.value.to_bytes((self.count + 7) // 8, "little")


class BoolEncoder:
    """Encodes VP8's bools (RFC 6386, section 7.3), with one large integer instead of bytes and a carry.

    `bottom` is the lower end of the interval that represents the bools written so far, in units of 2^-(shifts + 8).
    """

    def __init__(self):
        self.bottom = 0
        self.range = 255
        self.shifts = 0

    def put(self, probability, bit):
        split = 1 + ((self.range - 1) * probability >> 8)
        if bit:
            self.bottom += split
            self.range -= split
        else:
            self.range = split
        while self.range < 128:
            self.range <<= 1
            self.bottom <<= 1
            self.shifts += 1

    def literal(self, value, bits):
        """Writes an unsigned number, most significant bit first, with probability 128."""
        assert 0 <= value < 1 << bits, (value, bits)
        for shift in reversed(range(bits)):
            self.put(128, value >> shift & 1)

    def flagged(self, value, bits, signed=True):
        """Writes a flag that is false if `value` is None. If it is true, the magnitude and the sign follow."""
        self.put(128, value is not None)
        if value is not None:
            self.literal(abs(value), bits)
            if signed:
                self.put(128, value < 0)

    def tree(self, tree, probabilities, leaf):
        """Writes a value with a tree (section 8.1). The tree is a list of pairs. A number in it is the index of the
        next pair."""

        def path(position):
            for bit in (0, 1):
                entry = tree[position + bit]
                if isinstance(entry, int):
                    rest = path(entry)
                    if rest is not None:
                        return [(position, bit)] + rest
                elif entry == leaf:
                    return [(position, bit)]
            return None

        for position, bit in path(0):
            self.put(probabilities[position >> 1], bit)

    def bytes(self):
        """Returns the bools in as few bytes as possible. A decoder needs 8 bits after the last shift."""
        bits = self.shifts + 8
        return (self.bottom << -bits % 8).to_bytes((bits + 7) // 8, "big")
