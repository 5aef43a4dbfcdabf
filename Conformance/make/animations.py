"""The results of libwebp's animation decoder for the animations among the vectors, and for some still images."""

import zlib

import libwebp

HEADER = ["file", "layout", "width", "height", "loops", "background", "frames", "end in milliseconds:CRC-32 of the canvas, by frame"]  # fmt: skip
# The layouts are composed separately, because blending of premultiplied colors rounds differently.
MODES = ["RGBA", "BGRA", "rgbA", "bgrA"]
STILLS = ["riff-lossy", "riff-extended-alpha", "riff-lossless", "riff-everything", "encoder-pillow-lossy-alpha"]


def area(data):
    """Returns the sum of the frames' areas in pixels, from their headers."""
    total, at = 0, 12
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        if data[at : at + 4] == b"ANMF" and at + 24 <= len(data):
            width, height = (1 + int.from_bytes(data[at + k : at + k + 3], "little") for k in (14, 17))
            total += width * height
        at += 8 + size + size % 2
    return total


def lines(folder, names, over_limit):
    """Returns the fields of all lines. `refused` means that libwebp rejects the file. `damaged` as the last field means
    that the next frame is corrupt."""
    out = []
    for name in names:
        if "animation" not in name and name.removesuffix(".webp") not in STILLS:
            continue
        data = (folder / name).read_bytes()
        if over_limit(data, libwebp.features(data)[1]):
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
