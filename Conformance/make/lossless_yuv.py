"""Converts the RGBA pixels of a lossless image to YUVA planes, as libwebp does after 1.6.0 (src/dsp/yuv.c).

libwebp 1.6.0 averages chroma differently, so it cannot be the reference for these planes.
"""

from format_tables import GAMMA_TO_LINEAR, LINEAR_TO_GAMMA


def lossless_yuva(rgba, width, height, has_alpha=True):
    """Returns Y, U, V and A. Chroma of 2 × 2 pixels is averaged in linear light, weighted by alpha if the image has
    alpha."""
    luma = bytes(
        16839 * rgba[i] + 33059 * rgba[i + 1] + 6420 * rgba[i + 2] + (16 << 16) + (1 << 15) >> 16
        for i in range(0, 4 * width * height, 4)
    )
    u, v, known = bytearray(), bytearray(), {}
    for top in range(0, height, 2):
        bottom = min(top + 1, height - 1)
        for left in range(0, width, 2):
            right = min(left + 1, width - 1)
            block = b"".join(
                rgba[4 * (y * width + x) : 4 * (y * width + x) + 4]
                for y in (top, bottom)
                for x in (left, right)
            )
            if block not in known:
                known[block] = chroma(block, has_alpha)
            u.append(known[block][0])
            v.append(known[block][1])
    return luma + bytes(u) + bytes(v) + bytes(rgba[3::4])


def chroma(block, has_alpha):
    """Returns (u, v) of four RGBA pixels."""
    alphas = block[3::4]
    total = sum(alphas)
    averages = []
    for channel in range(3):
        linear = [GAMMA_TO_LINEAR[value] for value in block[channel::4]]
        if has_alpha and total not in (0, 4 * 255):
            light = sum(a * x for a, x in zip(alphas, linear)) * ((1 << 19) // total) >> 17
        else:
            light = sum(linear)
        index, rest = light >> 9, light & 511
        upper = LINEAR_TO_GAMMA[index + 1] if rest else 0
        averages.append(upper * rest + LINEAR_TO_GAMMA[index] * (512 - rest) + 64 >> 7)
    r, g, b = averages
    offset = (128 << 18) + (1 << 17)
    u = -9719 * r - 19081 * g + 28800 * b + offset >> 18
    v = 28800 * r - 24116 * g - 4684 * b + offset >> 18
    return min(max(u, 0), 255), min(max(v, 0), 255)
