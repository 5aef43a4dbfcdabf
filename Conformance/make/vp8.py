"""Writes VP8 key frames (RFC 6386) from modes and coefficients, valid and invalid.

This is not an encoder. The caller specifies the modes and quantized coefficients of each macroblock, and the values of
the header fields.
"""

from dataclasses import dataclass, field

from bits import BoolEncoder
from format_tables import (
    COEFFICIENT_UPDATE_PROBABILITIES,
    DEFAULT_COEFFICIENT_PROBABILITIES,
    KEY_FRAME_SUBBLOCK_PROBABILITIES,
    SUBBLOCK_MODES,
)

LUMA_MODES = ["DC_PRED", "V_PRED", "H_PRED", "TM_PRED", "B_PRED"]
CHROMA_MODES = LUMA_MODES[:4]

# Sections 8.1, 10, 11.2 and 13.2.
SEGMENT_TREE = [2, 4, "0", "1", "2", "3"]
LUMA_MODE_TREE = ["B_PRED", 2, 4, 6, "DC_PRED", "V_PRED", "H_PRED", "TM_PRED"]
LUMA_MODE_PROBABILITIES = [145, 156, 163, 128]
CHROMA_MODE_TREE = ["DC_PRED", 2, "V_PRED", 4, "H_PRED", "TM_PRED"]
CHROMA_MODE_PROBABILITIES = [142, 114, 183]
SUBBLOCK_MODE_TREE = [
    "B_DC_PRED", 2, "B_TM_PRED", 4, "B_VE_PRED", 6, 8, 12, "B_HE_PRED", 10, "B_RD_PRED", "B_VR_PRED",
    "B_LD_PRED", 14, "B_VL_PRED", 16, "B_HD_PRED", "B_HU_PRED",
]  # fmt: skip
TOKEN_TREE = [
    "eob", 2, "0", 4, "1", 6, 8, 12, "2", 10, "3", "4", 14, 16, "cat1", "cat2", 18, 20, "cat3", "cat4", "cat5", "cat6",
]  # fmt: skip
CATEGORIES = {
    "cat1": (5, [159]),
    "cat2": (7, [165, 145]),
    "cat3": (11, [173, 148, 140]),
    "cat4": (19, [176, 155, 140, 135]),
    "cat5": (35, [180, 157, 141, 134, 130]),
    "cat6": (67, [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129]),
}
BANDS = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]
# The subblock mode that a macroblock with a 16 × 16 mode provides as context for its neighbors (section 11.3).
IMPLIED_SUBBLOCK_MODE = {"DC_PRED": "B_DC_PRED", "V_PRED": "B_VE_PRED", "H_PRED": "B_HE_PRED", "TM_PRED": "B_TM_PRED"}


@dataclass
class Macroblock:
    """One macroblock. A block is a list of quantized coefficients in coding order, from the first coded position.

    If a list ends before position 16, an end-of-block token follows. That token cannot follow a zero, so the list must
    not end in a zero.
    """

    segment: int = 0
    skip: bool = False
    luma: str = "DC_PRED"
    subblocks: list = field(default_factory=lambda: ["B_DC_PRED"] * 16)
    chroma: str = "DC_PRED"
    y2: list = field(default_factory=list)
    y: list = field(default_factory=lambda: [[] for _ in range(16)])
    u: list = field(default_factory=lambda: [[] for _ in range(4)])
    v: list = field(default_factory=lambda: [[] for _ in range(4)])


@dataclass
class Segmentation:
    """The segmentation (section 9.3). A field that is None is not stored."""

    update_map: bool = True
    update_data: bool = True
    absolute: bool = True
    quantizer: list = field(default_factory=lambda: [None] * 4)
    filter_level: list = field(default_factory=lambda: [None] * 4)
    probabilities: list = field(default_factory=lambda: [None] * 3)


@dataclass
class Frame:
    width: int
    height: int
    macroblocks: list = field(default_factory=list)
    # Frame tag and start code, section 9.1.
    key_frame: bool = True
    version: int = 0
    show: bool = True
    start_code: bytes = b"\x9d\x01\x2a"
    horizontal_scale: int = 0
    vertical_scale: int = 0
    first_partition_size: int = None
    # Section 9.2.
    color_space: int = 0
    clamping_type: int = 0
    segmentation: Segmentation = None
    # Sections 9.3 and 9.6. The deltas are None, or (update flag, four reference deltas, four mode deltas). A delta that
    # is None is not stored.
    simple_filter: bool = False
    filter_level: int = 0
    sharpness: int = 0
    filter_deltas: tuple = None
    # Section 9.5.
    log2_partitions: int = 0
    partition_sizes: dict = field(default_factory=dict)
    # Section 9.6: the base index, then y1 dc, y2 dc, y2 ac, uv dc, uv ac.
    quantizer: int = 20
    quantizer_deltas: list = field(default_factory=lambda: [None] * 5)
    refresh_entropy: int = 1
    # Section 9.9: {flat index: new probability}.
    probability_updates: dict = field(default_factory=dict)
    # Section 9.10. None: macroblocks have no skip flag.
    skip_probability: int = None
    # Bytes appended to the first partition, and to each token partition.
    padding: bytes = b""

    @property
    def columns(self):
        return (self.width + 15) // 16

    @property
    def rows(self):
        return (self.height + 15) // 16

    def write(self):
        """Returns the payload of a "VP8 " chunk."""
        assert len(self.macroblocks) == self.columns * self.rows
        first = self._first_partition() + self.padding
        tokens = self._token_partitions()
        size = len(first) if self.first_partition_size is None else self.first_partition_size
        tag = (not self.key_frame) | self.version << 1 | self.show << 4 | size << 5
        out = tag.to_bytes(3, "little") + self.start_code
        out += (self.width | self.horizontal_scale << 14).to_bytes(2, "little")
        out += (self.height | self.vertical_scale << 14).to_bytes(2, "little")
        out += first
        for index, partition in enumerate(tokens[:-1]):
            out += self.partition_sizes.get(index, len(partition)).to_bytes(3, "little")
        return out + b"".join(tokens)

    def _first_partition(self):
        """Writes the frame header (sections 9.2 to 9.11, 19.2), then the modes of all macroblocks."""
        coder = BoolEncoder()
        coder.literal(self.color_space, 1)
        coder.literal(self.clamping_type, 1)
        coder.literal(self.segmentation is not None, 1)
        if self.segmentation:
            self._segmentation(coder, self.segmentation)
        coder.literal(self.simple_filter, 1)
        coder.literal(self.filter_level, 6)
        coder.literal(self.sharpness, 3)
        coder.literal(self.filter_deltas is not None, 1)
        if self.filter_deltas is not None:
            update, reference, mode = self.filter_deltas
            coder.literal(update, 1)
            if update:
                for delta in reference + mode:
                    coder.flagged(delta, 6)
        coder.literal(self.log2_partitions, 2)
        coder.literal(self.quantizer, 7)
        for delta in self.quantizer_deltas:
            coder.flagged(delta, 4)
        coder.literal(self.refresh_entropy, 1)
        for index, probability in enumerate(COEFFICIENT_UPDATE_PROBABILITIES):
            update = self.probability_updates.get(index)
            coder.put(probability, update is not None)
            if update is not None:
                coder.literal(update, 8)
        coder.literal(self.skip_probability is not None, 1)
        if self.skip_probability is not None:
            coder.literal(self.skip_probability, 8)
        self._modes(coder)
        return coder.bytes()

    @staticmethod
    def _segmentation(coder, segmentation):
        coder.literal(segmentation.update_map, 1)
        coder.literal(segmentation.update_data, 1)
        if segmentation.update_data:
            coder.literal(segmentation.absolute, 1)
            for value in segmentation.quantizer:
                coder.flagged(value, 7)
            for value in segmentation.filter_level:
                coder.flagged(value, 6)
        if segmentation.update_map:
            for value in segmentation.probabilities:
                coder.flagged(value, 8, signed=False)

    def _modes(self, coder):
        """Writes modes (section 19.3). The contexts of a subblock mode are the modes above and to the left, or
        B_DC_PRED."""
        above = ["B_DC_PRED"] * (4 * self.columns)
        for row in range(self.rows):
            left = ["B_DC_PRED"] * 4
            for column in range(self.columns):
                macroblock = self.macroblocks[row * self.columns + column]
                if self.segmentation and self.segmentation.update_map:
                    odds = [255 if p is None else p for p in self.segmentation.probabilities]
                    coder.tree(SEGMENT_TREE, odds, str(macroblock.segment))
                if self.skip_probability is not None:
                    coder.put(self.skip_probability, macroblock.skip)
                coder.tree(LUMA_MODE_TREE, LUMA_MODE_PROBABILITIES, macroblock.luma)
                for y in range(4):
                    for x in range(4):
                        at = 4 * column + x
                        if macroblock.luma == "B_PRED":
                            mode = macroblock.subblocks[4 * y + x]
                            context = 10 * SUBBLOCK_MODES.index(above[at]) + SUBBLOCK_MODES.index(left[y])
                            odds = KEY_FRAME_SUBBLOCK_PROBABILITIES[9 * context : 9 * context + 9]
                            coder.tree(SUBBLOCK_MODE_TREE, odds, mode)
                        else:
                            mode = IMPLIED_SUBBLOCK_MODE[macroblock.luma]
                        above[at] = left[y] = mode
                coder.tree(CHROMA_MODE_TREE, CHROMA_MODE_PROBABILITIES, macroblock.chroma)

    def _token_partitions(self):
        """Writes tokens (section 13). Row r of macroblocks is in partition r modulo the number of partitions."""
        self.probabilities = list(DEFAULT_COEFFICIENT_PROBABILITIES)
        for index, probability in self.probability_updates.items():
            self.probabilities[index] = probability
        coders = [BoolEncoder() for _ in range(1 << self.log2_partitions)]
        # The nonzero flags of the blocks above and to the left. Macroblocks without Y2 do not change the flags of Y2.
        above = {"y": [0] * 4 * self.columns, "u": [0] * 2 * self.columns, "v": [0] * 2 * self.columns}
        above_y2 = [0] * self.columns
        for row in range(self.rows):
            coder = coders[row % len(coders)]
            left = {"y": [0] * 4, "u": [0] * 2, "v": [0] * 2}
            left_y2 = 0
            for column in range(self.columns):
                macroblock = self.macroblocks[row * self.columns + column]
                skipped = self.skip_probability is not None and macroblock.skip
                has_y2 = macroblock.luma != "B_PRED"
                if has_y2:
                    coded = 0 if skipped else self._block(coder, 1, 0, above_y2[column] + left_y2, macroblock.y2)
                    above_y2[column] = left_y2 = coded
                for plane, side in (("y", 4), ("u", 2), ("v", 2)):
                    kind = 2 if plane != "y" else 0 if has_y2 else 3
                    for index, levels in enumerate(getattr(macroblock, plane)):
                        x, y = side * column + index % side, index // side
                        context = above[plane][x] + left[plane][y]
                        coded = 0 if skipped else self._block(coder, kind, 1 if kind == 0 else 0, context, levels)
                        above[plane][x] = left[plane][y] = coded
        return [coder.bytes() + self.padding for coder in coders]

    def _block(self, coder, kind, first, context, levels):
        """Writes a block's tokens (sections 13.2 and 13.3). Returns True if it has coefficients."""
        after_zero = False
        for position, level in enumerate(levels + [None] * (first + len(levels) < 16), start=first):
            at = ((kind * 8 + BANDS[position]) * 3 + context) * 11
            odds = self.probabilities[at : at + 11]
            token = "eob" if level is None else self._token(abs(level))
            self._put_token(coder, odds, token, after_zero)
            if level is None:
                break
            if token in CATEGORIES:
                base, extra = CATEGORIES[token]
                for bit, probability in zip(reversed(range(len(extra))), extra):
                    coder.put(probability, abs(level) - base >> bit & 1)
            if level:
                coder.put(128, level < 0)
            context = min(abs(level), 2)
            after_zero = level == 0
        return int(len(levels) > 0)

    @staticmethod
    def _token(magnitude):
        if magnitude < 5:
            return str(magnitude)
        return max((name for name in CATEGORIES if CATEGORIES[name][0] <= magnitude), key=lambda n: CATEGORIES[n][0])

    @staticmethod
    def _put_token(coder, odds, token, after_zero):
        """Writes a token. After a zero, the tree starts without the end-of-block branch."""
        if not after_zero:
            coder.tree(TOKEN_TREE, odds, token)
            return
        assert token != "eob", "a block cannot end after a zero"
        rest = [entry - 2 if isinstance(entry, int) else entry for entry in TOKEN_TREE[2:]]
        coder.tree(rest, odds[1:], token)
