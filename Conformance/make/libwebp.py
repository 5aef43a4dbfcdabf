"""The libwebp in the PyPI package pillow, called through ctypes. It produces the references.

Structures and constants are from libwebp's webp/decode.h and webp/demux.h.
"""

import ctypes as C
import glob
import os

STATUS = [
    "ok", "out-of-memory", "invalid-param", "bitstream-error", "unsupported-feature", "suspended", "user-abort",
    "not-enough-data",
]  # fmt: skip
MODES = ["RGB", "RGBA", "BGR", "BGRA", "ARGB", "RGBA_4444", "RGB_565", "rgbA", "bgrA", "Argb", "rgbA_4444", "YUV", "YUVA"]
ABI = 0x0200
DEMUX_ABI = 0x0100


class Features(C.Structure):
    _fields_ = [(n, C.c_int) for n in ("width", "height", "has_alpha", "has_animation", "format")]
    _fields_ += [("pad", C.c_uint32 * 5)]


class Packed(C.Structure):
    _fields_ = [("rgba", C.c_void_p), ("stride", C.c_int), ("size", C.c_size_t)]


class Planar(C.Structure):
    _fields_ = [(n, C.c_void_p) for n in "yuva"]
    _fields_ += [(n + "_stride", C.c_int) for n in "yuva"] + [(n + "_size", C.c_size_t) for n in "yuva"]


class Memory(C.Union):
    _fields_ = [("packed", Packed), ("planar", Planar)]


class Buffer(C.Structure):
    _fields_ = [("mode", C.c_int), ("width", C.c_int), ("height", C.c_int), ("external", C.c_int)]
    _fields_ += [("memory", Memory), ("pad", C.c_uint32 * 4), ("own", C.c_void_p)]


class Options(C.Structure):
    _fields_ = [
        (n, C.c_int)
        for n in (
            "bypass_filtering", "no_fancy_upsampling", "use_cropping", "crop_left", "crop_top", "crop_width",
            "crop_height", "use_scaling", "scaled_width", "scaled_height", "use_threads", "dithering_strength",
            "flip", "alpha_dithering_strength",
        )
    ]  # fmt: skip
    _fields_ += [("pad", C.c_uint32 * 5)]


class Config(C.Structure):
    _fields_ = [("input", Features), ("output", Buffer), ("options", Options)]


class AnimationOptions(C.Structure):
    _fields_ = [("mode", C.c_int), ("threads", C.c_int), ("pad", C.c_uint32 * 7)]


class AnimationInfo(C.Structure):
    _fields_ = [(n, C.c_uint32) for n in ("width", "height", "loops", "background", "frames")]
    _fields_ += [("pad", C.c_uint32 * 4)]


class Data(C.Structure):
    _fields_ = [("bytes", C.c_void_p), ("size", C.c_size_t)]


def _load():
    import PIL

    folder = os.path.join(os.path.dirname(os.path.dirname(PIL.__file__)), "pillow.libs")
    return [
        C.CDLL(glob.glob(os.path.join(folder, f"lib{name}-*.so*"))[0], mode=C.RTLD_GLOBAL)
        for name in ("sharpyuv", "webp", "webpdemux")
    ]


_, WEBP, DEMUX = _load()
WEBP.WebPDecode.argtypes = [C.c_char_p, C.c_size_t, C.POINTER(Config)]
WEBP.WebPGetFeaturesInternal.argtypes = [C.c_char_p, C.c_size_t, C.POINTER(Features), C.c_int]
WEBP.WebPIDecode.argtypes = [C.c_char_p, C.c_size_t, C.POINTER(Config)]
WEBP.WebPIDecode.restype = C.c_void_p
WEBP.WebPIAppend.argtypes = [C.c_void_p, C.c_char_p, C.c_size_t]
WEBP.WebPIDelete.argtypes = [C.c_void_p]
WEBP.WebPIDecGetRGB.argtypes = [C.c_void_p] + [C.POINTER(C.c_int)] * 4
WEBP.WebPIDecGetRGB.restype = C.c_void_p
WEBP.WebPIDecGetYUVA.argtypes = [C.c_void_p, C.POINTER(C.c_int)] + [C.c_void_p] * 3 + [C.POINTER(C.c_int)] * 5
WEBP.WebPIDecGetYUVA.restype = C.c_void_p
DEMUX.WebPAnimDecoderNewInternal.argtypes = [C.POINTER(Data), C.POINTER(AnimationOptions), C.c_int]
DEMUX.WebPAnimDecoderNewInternal.restype = C.c_void_p
DEMUX.WebPAnimDecoderGetInfo.argtypes = [C.c_void_p, C.POINTER(AnimationInfo)]
DEMUX.WebPAnimDecoderGetNext.argtypes = [C.c_void_p, C.POINTER(C.POINTER(C.c_uint8)), C.POINTER(C.c_int)]
DEMUX.WebPAnimDecoderHasMoreFrames.argtypes = [C.c_void_p]
DEMUX.WebPAnimDecoderDelete.argtypes = [C.c_void_p]


def version():
    number = WEBP.WebPGetDecoderVersion()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


def features(data):
    """Returns (status, Features)."""
    out = Features()
    return WEBP.WebPGetFeaturesInternal(data, len(data), C.byref(out), ABI), out


def configured(mode, options):
    config = Config()
    assert WEBP.WebPInitDecoderConfigInternal(C.byref(config), ABI)
    config.output.mode = MODES.index(mode)
    for name, value in options.items():
        setattr(config.options, name, value)
    return config


def rows_shown(data, mode="RGBA", **options):
    """Returns (status, number of finished rows) of the incremental decoder after `data`, which may be incomplete."""
    config, rows = configured(mode, options), C.c_int()
    decoder = WEBP.WebPIDecode(None, 0, C.byref(config))
    status = WEBP.WebPIAppend(decoder, data, len(data))
    if mode in ("YUV", "YUVA"):
        pixels = WEBP.WebPIDecGetYUVA(decoder, C.byref(rows), *[None] * 8)
    else:
        pixels = WEBP.WebPIDecGetRGB(decoder, C.byref(rows), *[None] * 3)
    WEBP.WebPIDelete(decoder)
    WEBP.WebPFreeDecBuffer(C.byref(config.output))
    return status, rows.value if pixels else 0


def decode(data, mode="RGBA", **options):
    """Returns (status, width, height, bytes of the planes without gaps)."""
    config = configured(mode, options)
    status = WEBP.WebPDecode(data, len(data), C.byref(config))
    out = config.output
    width, height = out.width, out.height
    planes = []
    if status == 0:

        def plane(base, stride, row, rows):
            planes.extend(C.string_at(base + y * stride, row) for y in range(rows))

        if mode in ("YUV", "YUVA"):
            p, half = out.memory.planar, ((width + 1) // 2, (height + 1) // 2)
            plane(p.y, p.y_stride, width, height)
            plane(p.u, p.u_stride, *half)
            plane(p.v, p.v_stride, *half)
            if mode == "YUVA":
                plane(p.a, p.a_stride, width, height)
        else:
            size = {"RGB": 3, "BGR": 3, "RGBA_4444": 2, "RGB_565": 2, "rgbA_4444": 2}.get(mode, 4)
            plane(out.memory.packed.rgba, out.memory.packed.stride, width * size, height)
    WEBP.WebPFreeDecBuffer(C.byref(config.output))
    return (status, width, height, b"".join(planes)) if status == 0 else (status, 0, 0, b"")


def frames(data, mode="RGBA"):
    """Returns (AnimationInfo, [(end in milliseconds, canvas)], whether all frames are valid), or None if rejected."""
    options = AnimationOptions()
    DEMUX.WebPAnimDecoderOptionsInitInternal(C.byref(options), DEMUX_ABI)
    options.mode = MODES.index(mode)
    memory = C.create_string_buffer(data, len(data))
    decoder = DEMUX.WebPAnimDecoderNewInternal(
        C.byref(Data(C.cast(memory, C.c_void_p), len(data))), C.byref(options), DEMUX_ABI
    )
    if not decoder:
        return None
    info, pixels, end, shown, whole = AnimationInfo(), C.POINTER(C.c_uint8)(), C.c_int(), [], True
    DEMUX.WebPAnimDecoderGetInfo(decoder, C.byref(info))
    while DEMUX.WebPAnimDecoderHasMoreFrames(decoder):
        if not DEMUX.WebPAnimDecoderGetNext(decoder, C.byref(pixels), C.byref(end)):
            whole = False
            break
        shown.append((end.value, C.string_at(pixels, info.width * info.height * 4)))
    DEMUX.WebPAnimDecoderDelete(decoder)
    return info, shown, whole


if __name__ == "__main__":
    # The path of the library, for `Conformance/run libwebp`.
    print(WEBP._name)
