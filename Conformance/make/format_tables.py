"""The tables of RFC 6386 and RFC 9649 that the writers need.

The probabilities are read from the decoder's source. An error there would change the vectors, and libwebp's verdicts.
"""

import pathlib
import re

# RFC 6386, section 11.2
SUBBLOCK_MODES = [
    "B_DC_PRED", "B_TM_PRED", "B_VE_PRED", "B_HE_PRED", "B_LD_PRED", "B_RD_PRED", "B_VR_PRED", "B_VL_PRED",
    "B_HD_PRED", "B_HU_PRED",
]

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "Sources/WebPFormat/VP8/ProbabilityTables.swift"


def swift_table(name):
    """Returns the numbers of a table of the decoder, as a flat list."""
    numbers = re.search(rf"{name}: \[UInt8\][\s={{]*\[([\d,\s]+)\]", SOURCE.read_text())[1]
    return [int(number) for number in re.findall(r"\d+", numbers)]


# RFC 6386, sections 13.5 and 13.4: [block type 0...3][band 0...7][context 0...2][tree node 0...10]
DEFAULT_COEFFICIENT_PROBABILITIES = swift_table("defaultCoefficientProbabilities")
COEFFICIENT_UPDATE_PROBABILITIES = swift_table("coefficientUpdateProbabilities")
# RFC 6386, section 11.5: [mode above][mode to the left][tree node 0...8], modes in the order of SUBBLOCK_MODES
KEY_FRAME_SUBBLOCK_PROBABILITIES = swift_table("subblockModeProbabilities")

# RFC 9649, section 3.5.2.2: (dx, dy) of the distance codes 1...120, by the distance from the pixel
DISTANCE_MAP = sorted(
    ((dx, dy) for dx in range(-7, 9) for dy in range(8) if dy > 0 or dx > 0),
    key=lambda offset: (offset[0] ** 2 + offset[1] ** 2, abs(offset[0]), -offset[0]),
)

# Conversion of RGB to chroma in libwebp (src/dsp/yuv.c, after 1.6.0), and the inverse conversion
GAMMA_TO_LINEAR = [int(4095 * (value / 255) ** 0.80 + 0.5) for value in range(256)]
LINEAR_TO_GAMMA = [int(255 * (128 * value / 4095) ** (1 / 0.80) + 0.5) for value in range(33)]
