"""Symbol graphs of the products, for .ci/documentation and .ci/api."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ["PureWebP", "PureWebPCompact", "WebPExif", "WebPExport", "WebPLoading", "WebPWebView", "WebPPlatform"]
BUILD = ROOT / ".build"
# As in .ci/support. The objects of builds with and without the variable cannot be linked together.
os.environ["PUREWEBP_DEVELOPMENT"] = "1"


def extract_symbols(module, folder, build=BUILD):
    """Writes the symbol graphs of a module, with its public declarations."""
    includes = [build / "debug/Modules", ROOT / "Sources/CThreads", ROOT / "Sources/CZlib"]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, *(f"-I{path}" for path in includes),
         "-output-dir", folder, "-target", "x86_64-unknown-linux-gnu", "-minimum-access-level", "public"],
        check=True,
    )
