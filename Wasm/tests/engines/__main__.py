"""The polyfill, the bridge script and the service worker in Chromium, Chromium 69, Firefox and WebKitGTK.

    apt install chromium firefox-esr webkit2gtk-driver xvfb; pip install pillow websocket-client
    pip install --no-deps PyQt5==5.12.3 PyQtWebEngine==5.12.1; pip install PyQt5-sip
    Wasm/build; python3 Wasm/tests/engines [ENGINE…] [TEST…]

With --quick, the tests in `QUICK` run in the first browser that starts.
"""
import sys
import traceback

from budget import BUDGET, service_worker_animations
from cells import compare
from engines import ENGINES, Unavailable
from features import FEATURES, late_errors
from feed import feeds
from fetching import REQUESTS, priorities, replaced_globals
from harmless import HARMLESS, service_worker_pixels
from libraries import LIBRARIES
from loading import LOADING, LOADING_IN_CHROMIUM
from scripts import SCRIPTS, created_images
from service_worker import SERVICE_WORKER_IN_CHROMIUM
from sources import SOURCES_IN_CHROMIUM
from styles import STYLES_IN_CHROMIUM
from surroundings import SURROUNDINGS, clipboard

TESTS = [compare, *BUDGET, *FEATURES, *HARMLESS, *LIBRARIES, *LOADING, *REQUESTS, *SCRIPTS, *SURROUNDINGS]
# The expected values are Chromium's, or the other browsers have no command for the test, or draw its images too slowly.
CHROMIUM = [
    clipboard, feeds, priorities, service_worker_animations, service_worker_pixels,
    *LOADING_IN_CHROMIUM, *SERVICE_WORKER_IN_CHROMIUM, *SOURCES_IN_CHROMIUM, *STYLES_IN_CHROMIUM,
]
QUICK = [compare, *BUDGET, service_worker_animations, *LIBRARIES, created_images, late_errors, replaced_globals]


def main():
    failures = started = 0
    is_quick = "--quick" in sys.argv
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
        started += 1
        tests = TESTS + (CHROMIUM if name == "chromium" else [])
        tests = [test for test in tests if test.__name__ in sys.argv] or (QUICK if is_quick else tests)
        for test in tests:
            try:
                test(engine, check, name)
            except Exception:  # an exception does not prevent the next tests
                check(test.__name__, False, traceback.format_exc())
        engine.close()
        if is_quick:
            break
    sys.exit(f"{failures} failed" if failures else 0 if started else "no browser starts")


main()
