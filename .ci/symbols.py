"""Symbol graphs of the products, which .ci/documentation and .ci/api share."""

import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ["PureWebP", "PureWebPCompact", "WebPExport", "WebPLoading", "WebPPlatform"]
BUILD = ROOT / ".build"


def extract_symbols(module, folder, build=BUILD):
    """Writes the symbol graphs of a module, with its public declarations."""
    includes = [build / "debug/Modules", ROOT / "Sources/CZlib", ROOT / "Tests/AppleStubs/Sources/CGTypes"]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, *(f"-I{path}" for path in includes),
         "-output-dir", folder, "-target", "x86_64-unknown-linux-gnu", "-minimum-access-level", "public"],
        check=True,
    )


def symbol_graphs(module, build=BUILD):
    """The symbol graphs of a module: of its own types, and of its extensions of each other module's types."""
    with tempfile.TemporaryDirectory() as folder:
        extract_symbols(module, folder, build)
        return [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).iterdir())]
