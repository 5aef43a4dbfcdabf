"""What libwebp's animation decoder makes of the animations among the vectors, and of some still pictures."""

import os
import zlib

import libwebp

HEADER = ["file", "layout", "width", "height", "loops", "background", "frames", "end in milliseconds:CRC-32 of the canvas, by frame"]  # fmt: skip
# Each is composed in a way of its own: blending premultiplied colours rounds in another way.
MODES = ["RGBA", "BGRA", "rgbA", "bgrA"]
STILLS = ["riff-lossy", "riff-extended-alpha", "riff-lossless", "riff-everything", "encoder-pillow-lossy-alpha"]
PIXEL_LIMIT = 1 << 27


def lines(folder, names):
    """`refused`: no decoder for the file. A last field `damaged`: the frame after those before it cannot be decoded."""
    out = []
    for name in names:
        if not name.startswith("animation-") and name.removesuffix(".webp") not in STILLS:
            continue
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        features = libwebp.features(data)[1]
        if features.width * features.height > PIXEL_LIMIT:
            continue
        for mode in MODES:
            found = libwebp.frames(data, mode)
            if not found:
                out.append([name, mode, "refused"])
                break
            info, shown, whole = found
            frames = [f"{end}:{zlib.crc32(canvas):08x}" for end, canvas in shown]
            head = [name, mode, info.width, info.height, info.loops, f"{info.background:08x}", info.frames]
            out.append([*head, *frames, *([] if whole else ["damaged"])])
    print(f"{len(out)} decodes of animations")
    return out
