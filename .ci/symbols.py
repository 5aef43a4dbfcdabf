"""Symbol graphs and DocC catalogs of the products, which .ci/documentation, .ci/api and Documentation/site share."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

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


def declarations(graph):
    """Yields the symbols that are declared in the source, except overrides, which have the documentation of their
    superclass. Symbols that the compiler adds, or that protocols of other modules add through conformances, are
    omitted."""
    overrides = {edge["source"] for edge in graph["relationships"] if edge["kind"] == "overrides"}
    for symbol in graph["symbols"]:
        identifier = symbol["identifier"]["precise"]
        if "::SYNTHESIZED::" not in identifier and identifier not in overrides:
            yield symbol


def symbol_graphs(module, build=BUILD):
    """Returns the symbol graphs of a module. There is one for its types, and one for its extensions of each other
    module."""
    with tempfile.TemporaryDirectory() as folder:
        extract_symbols(module, folder, build)
        return [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).iterdir())]


def write_catalog(module, folder):
    """Copies the DocC catalog of a module. Links between its articles are relative, as GitHub needs them. In the copy
    they are links that DocC resolves and checks."""
    shutil.copytree(ROOT / f"Sources/{module}/{module}.docc", folder, dirs_exist_ok=True)
    for path in pathlib.Path(folder).glob("*.md"):
        path.write_text(re.sub(r"\]\((\w+)\.md(#[\w-]+)?\)", r"](doc:\1\2)", path.read_text()))
