"""Proves that large images of few bytes are decoded with the default limits, within the memory that README.md states.
Expected values: the sizes of the images that libwebp has encoded.

    pip install pillow; Wasm/build; python3 Wasm/tests/large.py
"""
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

SCRIPT = pathlib.Path(__file__).with_name("large.mjs")


def main():
    failed = False
    for what, size, options in [
            ("12000 x 8000, lossy", (12000, 8000), {"method": 0}), ("6000 x 4000 of one color", (6000, 4000), {"lossless": True})]:
        image = Image.new("RGB", size, (200, 190, 180))
        with tempfile.NamedTemporaryFile(suffix=".webp") as file:
            image.save(file, "WEBP", **options)
            file.flush()
            found = subprocess.run(["node", SCRIPT, file.name], capture_output=True, text=True)
            length = pathlib.Path(file.name).stat().st_size
        if found.returncode:
            print(f"FAILED   {what}, {length} bytes: {found.stderr}")
            failed = True
            continue
        width, height, memory = map(int, found.stdout.split())
        excess = memory - 4 * width * height - length
        holds = (width, height) == size and excess < 32 << 20
        print("ok      " if holds else "FAILED  ", f"{what}, {length} bytes: {memory >> 20} MiB, {excess >> 20} MiB more than pixels and file")
        failed |= not holds
    sys.exit(failed)


main()
