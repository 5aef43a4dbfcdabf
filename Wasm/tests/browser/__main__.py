"""The polyfill and the service worker in headless Chromium, compared with Chromium's own rendering.

    pip install playwright pillow; apt install chromium; Wasm/build; python3 Wasm/tests/browser

Chromium shows WebP, so the polyfill is forced, and the tests check that the images are PNG.
"""
import shutil
import sys

from playwright.sync_api import sync_playwright

from animations import animation
from demo import demo
from images import changed, faded, native, polyfilled, resized, stopped
from loading import broken, broken_worker, old_browser, options, policy, progressive, worker
from server import serve
from service_worker import service_worker, service_worker_alone
from sources import addresses, fetched, origins, sources
from styles import copies, late_sheets, plain_rules, rules_gone, shorthands, style_attributes, style_rules, style_sheets
from support import check, failures


def main():
    origin, other = serve(), serve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        wanted = native(browser, origin)
        tests = [
            lambda: polyfilled(browser, origin, wanted, True), lambda: polyfilled(browser, origin, wanted, False),
            lambda: changed(browser, origin),
            lambda: resized(browser, origin), lambda: sources(browser, origin), lambda: faded(browser, origin),
            lambda: options(browser, origin), lambda: fetched(browser, origin, other), lambda: broken(browser, origin),
            lambda: addresses(browser, origin),
            lambda: progressive(browser, origin), lambda: worker(browser, origin), lambda: stopped(browser, origin),
            lambda: broken_worker(browser, origin), lambda: style_sheets(browser, origin),
            lambda: late_sheets(browser, origin), lambda: style_rules(browser, origin, other),
            lambda: plain_rules(browser, origin), lambda: shorthands(browser, origin),
            lambda: rules_gone(browser, origin), lambda: copies(browser, origin),
            lambda: style_attributes(browser, origin),
            lambda: old_browser(browser, origin), lambda: policy(browser, origin, other),
            lambda: origins(browser, origin, other), lambda: animation(browser, origin),
            lambda: service_worker(browser, origin, wanted),
            lambda: service_worker_alone(browser, origin, other), lambda: demo(browser, origin),
        ]
        for test in tests:
            try:
                test()
            except Exception as error:  # an exception does not prevent the next tests
                check("a test", False, error)
        browser.close()
    sys.exit(f"{len(failures)} failed" if failures else 0)


main()
