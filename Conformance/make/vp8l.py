"""Writes VP8L bitstreams (RFC 9649, section 3): transforms in any order, prefix codes in any form, valid and invalid.

This is not an encoder. The caller's pixels are the values that the prefix codes encode, before the inverse transforms.
A pixel is 0xAARRGGBB.
"""

import heapq
from dataclasses import dataclass

from bits import BitWriter
from format_tables import DISTANCE_MAP

PREDICTOR, COLOR, SUBTRACT_GREEN, COLOR_INDEXING = range(4)
CODE_LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
DISTANCE_SYMBOLS = 40


# The operations of the green code (section 3.5.2): a literal, a backward reference, or a color of the color cache.
@dataclass(frozen=True)
class Literal:
    argb: int


@dataclass(frozen=True)
class Copy:
    length: int
    code: int  # the distance code: 1...120 from the map, otherwise the distance + 120


@dataclass(frozen=True)
class Cached:
    index: int


@dataclass(frozen=True)
class RawCopy:
    """A backward reference given by its prefix symbols. The writer counts `length` pixels for it."""

    length: int
    length_symbol: int
    length_bits: tuple
    distance_symbol: int
    distance_bits: tuple


def prefix_coded(value):
    """Returns (symbol, extra bits, their number) of a length or a distance code (section 3.5.2.2)."""
    if value <= 4:
        return value - 1, 0, 0
    value -= 1
    top = value.bit_length() - 1
    second = value >> top - 1 & 1
    return 2 * top + second, value & (1 << top - 1) - 1, top - 1


def distance_code(distance, width):
    """Returns the smallest distance code for a distance, from the map if possible."""
    for index, (dx, dy) in enumerate(DISTANCE_MAP):
        if max(1, dx + dy * width) == distance:
            return index + 1
    return distance + 120


def cache_index(argb, bits):
    """Returns the index of a color in the color cache (section 3.5.2.3)."""
    return (0x1E35A7BD * argb & 0xFFFFFFFF) >> 32 - bits


def tokenised(pixels, width, cache_bits=0, copies=True):
    """Converts pixels to operations: cached colors, copies from the left, from above and a few more, and literals."""
    operations, cache, at = [], [0] * (1 << cache_bits), 0
    while at < len(pixels):
        best, distance = 0, 0
        if copies:
            for candidate in (1, width, width + 1, width - 1, 2, 3, 2 * width):
                if not 1 <= candidate <= at:
                    continue
                length = 0
                while at + length < len(pixels) and length < 4096:
                    if pixels[at + length] != pixels[at + length - candidate]:
                        break
                    length += 1
                if length > best:
                    best, distance = length, candidate
        pixel = pixels[at]
        if best >= 3:
            operations.append(Copy(best, distance_code(distance, width)))
        elif cache_bits and cache[cache_index(pixel, cache_bits)] == pixel:
            operations.append(Cached(cache_index(pixel, cache_bits)))
            best = 1
        else:
            operations.append(Literal(pixel))
            best = 1
        for pixel in pixels[at : at + best]:
            if cache_bits:
                cache[cache_index(pixel, cache_bits)] = pixel
        at += best
    return operations


# --- Prefix codes, section 3.7.2 ---


def canonical(lengths):
    """Returns {symbol: (bits in stream order, length)}. The only symbol of a code has no bits."""
    used = [s for s, length in enumerate(lengths) if length]
    if len(used) == 1:
        return {used[0]: (0, 0)}
    codes, code = {}, 0
    for length in range(1, 16):
        for symbol in used:
            if lengths[symbol] == length:
                codes[symbol] = (int(f"{code & (1 << length) - 1:0{length}b}"[::-1], 2), length)
                code += 1
        code <<= 1
    return codes


def huffman_lengths(counts, limit):
    """Returns Huffman code lengths of at most `limit` for symbols with the given counts."""
    if len(counts) == 1:
        return dict.fromkeys(counts, 1)
    while True:
        heap = [(n, i, [s]) for i, (s, n) in enumerate(sorted(counts.items()))]
        heapq.heapify(heap)
        lengths, serial = dict.fromkeys(counts, 0), len(heap)
        while len(heap) > 1:
            a, b = heapq.heappop(heap), heapq.heappop(heap)
            for symbol in a[2] + b[2]:
                lengths[symbol] += 1
            heapq.heappush(heap, (a[0] + b[0], serial, a[2] + b[2]))
            serial += 1
        if max(lengths.values()) <= limit:
            return lengths
        counts = {s: (n + 1) // 2 for s, n in counts.items()}


class Simple:
    """A simple code (section 3.7.2.1.1) of one or two symbols, the first with 1 or 8 bits."""

    def __init__(self, *symbols, wide=None):
        self.symbols = symbols
        self.wide = symbols[0] > 1 if wide is None else wide

    def define(self, out, alphabet):
        out.put(1, 1)
        out.put(len(self.symbols) - 1, 1)
        out.put(self.wide, 1)
        out.put(self.symbols[0], 8 if self.wide else 1)
        if len(self.symbols) == 2:
            out.put(self.symbols[1], 8)
        present = sorted({s for s in self.symbols if s < alphabet})
        self.codes = canonical([int(s in present) for s in range(max(present, default=0) + 1)])


class Normal:
    """A normal code (section 3.7.2.1.2).

    lengths: the code lengths of the symbols from 0.
    tokens: (code length symbol, extra bits) to write instead of the ones computed from the lengths.
    repeats: whether runs are written with 16, 17 and 18.
    max_symbol: the number of code length tokens, as (length_nbits, value) or value. None: the flag is 0.
    code_lengths: 19 lengths of the code length code to write instead of the computed ones.
    """

    EXTRA_BITS = {16: 2, 17: 3, 18: 7}

    def __init__(self, lengths, tokens=None, repeats=True, max_symbol=None, code_lengths=None):
        self.lengths, self.tokens, self.repeats = list(lengths), tokens, repeats
        self.max_symbol, self.code_lengths = max_symbol, code_lengths

    def define(self, out, alphabet):
        self.codes = canonical(self.lengths)
        lengths = self.lengths + [0] * (alphabet - len(self.lengths) if self.max_symbol is None else 0)
        tokens = self.tokens
        if tokens is None:
            tokens = self._run_lengths(lengths) if self.repeats else [(length, 0) for length in lengths]
        code_lengths = self.code_lengths
        if code_lengths is None:
            counts = {}
            for token, _ in tokens:
                counts[token] = counts.get(token, 0) + 1
            found = huffman_lengths(counts, 7) if counts else {0: 1}
            code_lengths = [found.get(s, 0) for s in range(19)]
        ordered = [code_lengths[s] for s in CODE_LENGTH_ORDER]
        while len(ordered) > 4 and ordered[-1] == 0:
            ordered.pop()
        out.put(0, 1)
        out.put(len(ordered) - 4, 4)
        for length in ordered:
            out.put(length, 3)
        if self.max_symbol is None:
            out.put(0, 1)
        else:
            bits, value = self.max_symbol if isinstance(self.max_symbol, tuple) else (None, self.max_symbol)
            bits = bits or max(2, (value - 2).bit_length() + 1 & ~1)
            out.put(1, 1)
            out.put((bits - 2) // 2, 3)
            out.put(value - 2, bits)
        codes = canonical(code_lengths)
        for token, extra in tokens:
            out.put(*codes[token])
            out.put(extra, self.EXTRA_BITS.get(token, 0))

    @staticmethod
    def _run_lengths(lengths):
        tokens, at, previous = [], 0, 8
        while at < len(lengths):
            length, run = lengths[at], 1
            while at + run < len(lengths) and lengths[at + run] == length:
                run += 1
            if length == 0 and run >= 11:
                run = min(run, 138)
                tokens.append((18, run - 11))
            elif length == 0 and run >= 3:
                tokens.append((17, run - 3))
            elif length and length == previous and run >= 3:
                run = min(run, 6)
                tokens.append((16, run - 3))
            else:
                run = 1
                tokens.append((length, 0))
                previous = length or previous
            at += run
        return tokens


def code_for(counts):
    """Returns the simplest code for symbols with the given counts."""
    used = sorted(counts)
    if not used:
        return Simple(0)
    if len(used) <= 2 and used[-1] < 256:
        return Simple(*used)
    lengths = huffman_lengths(counts, 15)
    return Normal([lengths.get(s, 0) for s in range(used[-1] + 1)])


def flat_code(symbols):
    """Returns a complete code in which 0 ..< symbols have equal lengths, or lengths that differ by one."""
    short = symbols.bit_length() - 1
    deeper = symbols - (1 << short)
    return Normal([short] * (symbols - 2 * deeper) + [short + 1] * (2 * deeper))


# --- Entropy-coded images, sections 3.6 and 3.7 ---


def symbols_of(operation, cache_bits):
    """Returns [(code index in the group, symbol, extra bits, their number)] of an operation."""
    if isinstance(operation, Literal):
        argb = operation.argb
        return [(0, argb >> 8 & 255, 0, 0), (1, argb >> 16 & 255, 0, 0), (2, argb & 255, 0, 0), (3, argb >> 24, 0, 0)]
    if isinstance(operation, Cached):
        return [(0, 280 + operation.index, 0, 0)]
    if isinstance(operation, RawCopy):
        return [
            (0, 256 + operation.length_symbol, *operation.length_bits),
            (4, operation.distance_symbol, *operation.distance_bits),
        ]
    length, distance = prefix_coded(operation.length), prefix_coded(operation.code)
    return [(0, 256 + length[0], *length[1:]), (4, *distance)]


@dataclass
class MetaCodes:
    """The entropy image (section 3.7.2.2): the group number of each block."""

    bits: int
    groups: list
    # The codes of each group. For missing groups and entries that are None, codes are computed from the counts.
    codes: dict = None
    # The number of groups to write. None: one more than the largest group number.
    count: int = None


def put_image(out, operations, width, cache_bits=0, codes=None, meta=None, is_main=False, cache_field=None):
    """Writes an entropy-coded image: color cache, entropy image (main image only), prefix codes, pixels.

    codes: five prefix codes. If it is None, they are computed from the counts. cache_field: the value of the 4-bit
    field, if it differs from cache_bits.
    """
    if operations and isinstance(operations[0], int):
        operations = tokenised(operations, width, cache_bits) if codes is None else [Literal(p) for p in operations]
    out.put(cache_bits > 0 or cache_field is not None, 1)
    if cache_bits or cache_field is not None:
        out.put(cache_bits if cache_field is None else cache_field, 4)
    if is_main:
        out.put(meta is not None, 1)
    group_of = [0] * len(operations)
    groups = 1
    if meta:
        columns = (width + (1 << meta.bits) - 1) >> meta.bits
        out.put(meta.bits - 2, 3)
        put_image(out, [0xFF000000 | group << 8 for group in meta.groups], columns)
        at = 0
        for index, operation in enumerate(operations):
            x, y = at % width, at // width
            group_of[index] = meta.groups[min((y >> meta.bits) * columns + (x >> meta.bits), len(meta.groups) - 1)]
            at += getattr(operation, "length", 1)
        groups = meta.count or max(meta.groups) + 1
    counts = {}
    for group, operation in zip(group_of, operations):
        for code, symbol, _, _ in symbols_of(operation, cache_bits):
            counts.setdefault((group, code), {}).setdefault(symbol, 0)
            counts[group, code][symbol] += 1
    alphabets = [280 + (1 << cache_bits if cache_bits else 0), 256, 256, 256, DISTANCE_SYMBOLS]
    built = {}
    for group in range(groups):
        given = (meta.codes or {}).get(group) if meta else codes
        for index, alphabet in enumerate(alphabets):
            code = given[index] if given and given[index] else code_for(counts.get((group, index), {}))
            code.define(out, alphabet)
            built[group, index] = code.codes
    for group, operation in zip(group_of, operations):
        if group >= groups:
            break
        for code, symbol, extra, extra_bits in symbols_of(operation, cache_bits):
            out.put(*built[group, code][symbol])
            out.put(extra, extra_bits)


def header(width, height, alpha=1, version=0, signature=0x2F):
    """Writes the image header (section 3.4)."""
    out = BitWriter()
    out.put(signature, 8)
    out.put(width - 1, 14)
    out.put(height - 1, 14)
    out.put(alpha, 1)
    out.put(version, 3)
    return out


class Transform:
    """A transform (section 3.5) and the image that contains its data."""

    def __init__(self, kind, bits=0, image=None, **image_options):
        self.kind, self.bits, self.image, self.image_options = kind, bits, image, image_options

    def put(self, out, width, height):
        """Returns the width of the image that follows."""
        out.put(1, 1)
        out.put(self.kind, 2)
        if self.kind in (PREDICTOR, COLOR):
            out.put(self.bits - 2, 3)
            put_image(out, self.image, (width - 1 >> self.bits) + 1, **self.image_options)
        elif self.kind == COLOR_INDEXING:
            colors = len(self.image)
            out.put(colors - 1, 8)
            put_image(out, self.image, colors, **self.image_options)
            return (width - 1 >> width_bits(colors)) + 1
        return width


def width_bits(colors):
    """Returns the binary logarithm of the number of pixels that are packed into one (section 3.5.4)."""
    return 3 if colors <= 2 else 2 if colors <= 4 else 1 if colors <= 16 else 0


def predictor(width, height, bits, modes):
    """Returns a predictor transform. `modes` are repeated over the blocks."""
    blocks = ((width - 1 >> bits) + 1) * ((height - 1 >> bits) + 1)
    return Transform(PREDICTOR, bits, [0xFF000000 | modes[i % len(modes)] << 8 for i in range(blocks)])


def color(width, height, bits, elements):
    """Returns a color transform. `elements`, (green_to_red, green_to_blue, red_to_blue), are repeated over the blocks."""
    blocks = ((width - 1 >> bits) + 1) * ((height - 1 >> bits) + 1)
    image = [elements[i % len(elements)] for i in range(blocks)]
    return Transform(COLOR, bits, [0xFF000000 | (c & 255) << 16 | (b & 255) << 8 | a & 255 for a, b, c in image])


def subtract_green():
    return Transform(SUBTRACT_GREEN)


def color_indexing(palette, **image_options):
    """Returns a color indexing transform. The palette is stored as differences of successive colors."""
    previous, differences = [0] * 4, []
    for argb in palette:
        channels = [argb >> shift & 255 for shift in (24, 16, 8, 0)]
        a, r, g, b = ((new - old) & 255 for new, old in zip(channels, previous))
        differences.append(a << 24 | r << 16 | g << 8 | b)
        previous = channels
    return Transform(COLOR_INDEXING, 0, differences, **image_options)


def bundled(indices, width, height, colors, background=0xFF000000):
    """Packs palette indices into the green channel (section 3.5.4)."""
    bits = width_bits(colors)
    per_pixel, depth, out = 1 << bits, 8 >> bits, []
    for y in range(height):
        row = indices[y * width : (y + 1) * width]
        for x in range(0, width, per_pixel):
            green = sum(index << depth * i for i, index in enumerate(row[x : x + per_pixel]))
            out.append(background | green << 8)
    return out


def stream(width, height, pixels, transforms=(), headless=False, tail=None, out=None, **options):
    """Returns a VP8L bitstream: the payload of a "VP8L" chunk, or, if headless, of a compressed ALPH chunk.

    pixels: the values after all transforms, as pixels or operations.
    tail: a function that is called with the bit writer instead of writing an image, for invalid streams.
    """
    if out is None:
        out = BitWriter() if headless else header(width, height)
    current = width
    for transform in transforms:
        current = transform.put(out, current, height)
    out.put(0, 1)
    if tail:
        tail(out)
    else:
        put_image(out, pixels, current, is_main=True, **options)
    return out.bytes()
