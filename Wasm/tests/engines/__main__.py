"""The polyfill, the bridge script and the service worker in Chromium, Chromium 69, Firefox and WebKitGTK.

    apt install chromium firefox-esr webkit2gtk-driver xvfb; pip install pillow websocket-client
    pip install --no-deps PyQt5==5.12.3 PyQtWebEngine==5.12.1; pip install PyQt5-sip
    Wasm/build; python3 Wasm/tests/engines [ENGINE…] [TEST…]
"""
import sys
import traceback

import bridge
from budget import BUDGET
from cells import compare
from engines import ENGINES, Unavailable
from features import FEATURES
from fetching import REQUESTS
from harmless import HARMLESS
from scripts import SCRIPTS
from surroundings import SURROUNDINGS

TESTS = [compare, *bridge.FEATURES, *BUDGET, *FEATURES, *HARMLESS, *REQUESTS, *SCRIPTS, *SURROUNDINGS]


def main():
    failures = 0

    tests = [test for test in TESTS if test.__name__ in sys.argv] or TESTS
    for name in [name for name in ENGINES if name in sys.argv] or ENGINES:
        def check(what, holds, detail=""):
            nonlocal failures
            print("ok      " if holds else "FAILED  ", f"{name}: {what}", "" if holds else detail, flush=True)
            failures += not holds

        try:
            engine = ENGINES[name]()
        except Unavailable as reason:
            print(f"skipped  {name}: {reason}")
            continue
        for test in tests:
            try:
                test(engine, check, name)
            except Exception:  # an exception does not prevent the next tests
                check(test.__name__, False, traceback.format_exc())
        engine.close()
    sys.exit(f"{failures} failed" if failures else 0)


main()
