"""Vectors from common encoders: cwebp, img2webp and webpmux (Debian's package webp), and PyPI's pillow."""

import io
import os
import subprocess
import tempfile

from collection import waves


def add_vectors(collection, folder=None):
    """Adds the vectors. If a folder is given, the existing files are used."""
    if folder is not None:
        lines = open(os.path.join(folder, "index.tsv")).read().splitlines()[1:]
        for name, expect, shows in (line.split("\t") for line in lines):
            if name.startswith("encoder-"):
                data = open(os.path.join(folder, name), "rb").read()
                collection.add(name.removesuffix(".webp"), data, shows, expect)
        return
    from PIL import Image

    def picture(width, height, alpha):
        pixels = waves(width, height, alpha)
        rgba = b"".join(bytes([p >> 16 & 255, p >> 8 & 255, p & 255, p >> 24]) for p in pixels)
        return Image.frombytes("RGBA", (width, height), rgba)

    with tempfile.TemporaryDirectory() as scratch:
        opaque, alpha = picture(67, 45, False), picture(67, 45, True)
        paths = {}
        for label, image in (("opaque", opaque), ("alpha", alpha)):
            paths[label] = os.path.join(scratch, label + ".png")
            image.save(paths[label])
        out = os.path.join(scratch, "out.webp")

        def tool(name, shows, *command, expect="ok"):
            subprocess.run(command, check=True, capture_output=True)
            collection.add("encoder-" + name, open(out, "rb").read(), shows, expect)

        def cwebp(name, *options, source="opaque"):
            tool("cwebp-" + name, "cwebp " + " ".join(options), "cwebp", *options, paths[source], "-o", out)

        def pillow(name, image, **options):
            memory = io.BytesIO()
            image.save(memory, "WEBP", **options)
            collection.add("encoder-pillow-" + name, memory.getvalue(), f"pillow, {options}")

        for quality in (0, 30, 75, 100):
            cwebp(f"q{quality}", "-q", str(quality))
        for method in (0, 3, 6):
            cwebp(f"m{method}", "-m", str(method))
        cwebp("segments-4-sns", "-segments", "4", "-sns", "100")
        cwebp("segments-1", "-segments", "1", "-q", "20")
        cwebp("simple-filter", "-nostrong", "-f", "60", "-sharpness", "3")
        cwebp("strong-filter", "-strong", "-f", "100", "-sharpness", "0")
        cwebp("partitions", "-partition_limit", "100")
        cwebp("sharp-yuv", "-sharp_yuv")
        for level in (0, 6, 9):
            cwebp(f"lossless-z{level}", "-lossless", "-z", str(level))
            cwebp(f"lossless-z{level}-alpha", "-lossless", "-z", str(level), source="alpha")
        cwebp("near-lossless", "-near_lossless", "40")
        for kind in ("none", "fast", "best"):
            cwebp(f"alpha-{kind}", "-alpha_filter", kind, source="alpha")
        cwebp("alpha-raw", "-alpha_method", "0", source="alpha")
        cwebp("alpha-q20", "-alpha_q", "20", source="alpha")
        cwebp("alpha-exact", "-exact", source="alpha")
        pillow("lossy", opaque.convert("RGB"), quality=60)
        pillow("lossy-alpha", alpha, quality=60)
        pillow("lossless", alpha, lossless=True)
        gray = opaque.convert("L").convert("RGB")
        pillow("grey", gray, lossless=True)
        few = opaque.convert("RGB").quantize(6).convert("RGB")
        pillow("six-colours", few, lossless=True)
        pillow("metadata", opaque.convert("RGB"), quality=50, icc_profile=b"not a profile", exif=b"Exif\0\0MM\0*\0\0\0\x08")
        size = (40, 30)
        frames = [picture(*size, True).rotate(90 * i).resize(size) for i in range(3)]
        pillow_frames = dict(save_all=True, append_images=frames[1:], duration=[50, 70, 90], loop=2)
        memory = io.BytesIO()
        frames[0].save(memory, "WEBP", **pillow_frames, lossless=True)
        collection.add("encoder-pillow-animation", memory.getvalue(), "pillow, three frames", "unsupported-feature")
        tool("img2webp-animation", "img2webp, mixed frames", "img2webp", "-loop", "3", "-mixed", paths["opaque"], "-d", "40",
             paths["alpha"], "-o", out, expect="unsupported-feature")  # fmt: skip
