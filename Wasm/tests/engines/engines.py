"""The browsers of the tests, each driven by its own protocol, without an additional driver.

    engine = Firefox()
    engine.goto(url)
    engine.evaluate("document.title")       # promises are awaited; the result is JSON
    engine.screenshot()                     # a Pillow image of the viewport
    engine.close()
"""
import base64
import io
import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import websocket
from PIL import Image, ImageGrab

SIZE = (1000, 1600)


class Unavailable(Exception):
    """The reason why a browser cannot be started."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(found, seconds=60, error=(OSError, IndexError, websocket.WebSocketException)):
    """Calls `found` until it returns something true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            result = found()
            if result:
                return result
        except error:
            pass
        time.sleep(0.05)
    raise TimeoutError("a browser does not answer")


def request_json(url, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


class Socket:
    """A WebSocket of commands and their numbered answers. Events are stored until `events` is cleared."""

    def __init__(self, url):
        self.connection = until(lambda: websocket.create_connection(url, timeout=120, suppress_origin=True))
        self.numbers = itertools.count(1)
        self.events = []

    def call(self, method, **params):
        number = next(self.numbers)
        self.connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.connection.recv())
            if message.get("id") != number:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']} {message.get('message', '')}")
            else:
                return message["result"]


class Engine:
    """A browser with one page, of `SIZE`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.processes = []

    def spawn(self, *command, pass_fds=(), **environment):
        self.processes.append(subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment},
            pass_fds=pass_fds, start_new_session=True))

    def wait_for(self, expression, seconds=30):
        until(lambda: self.evaluate(expression), seconds)

    def read_all(self, name):
        """The contents of a file in /proc for each process of the browser."""
        sessions = {process.pid for process in self.processes}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.getsid(int(folder.name)) in sessions:
                    yield (folder / name).read_text()
            except OSError:
                continue

    def memory(self):
        """The proportional set size of all processes, in bytes."""
        lines = (line for text in self.read_all("smaps_rollup") for line in text.splitlines())
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))

    def processor_time(self):
        """The processor time of all processes that run, and of the children that have ended, in seconds."""
        ticks = sum(sum(map(int, text.rpartition(")")[2].split()[11:15])) for text in self.read_all("stat"))
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, 15)
                process.wait(10)
            except ProcessLookupError:
                pass
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class DevTools(Engine):
    """A browser with the Chrome DevTools Protocol at a port."""

    def connect(self, port):
        pages = until(lambda: [page for page in request_json(f"http://127.0.0.1:{port}/json/list")
                               if page["type"] == "page"])
        self.socket = Socket(pages[0]["webSocketDebuggerUrl"])
        self.socket.call("Page.enable")
        self.socket.call("Runtime.enable")
        self.resize(*SIZE)

    def goto(self, url):
        self.socket.events.clear()
        self.socket.call("Page.navigate", url=url)
        until(lambda: self.evaluate("location.href + document.readyState") == url + "complete", error=RuntimeError)

    def evaluate(self, expression):
        answer = self.socket.call(
            "Runtime.evaluate", expression=f"Promise.resolve({expression}).then(value => JSON.stringify(value))",
            awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:1000])
        return json.loads(answer["result"].get("value", "null"))

    def console(self):
        """Returns the messages that the page's scripts have written to the console since the page was opened."""
        self.evaluate("0")
        calls = [event["params"] for event in self.socket.events if event["method"] == "Runtime.consoleAPICalled"]
        return [" ".join(str(value.get("value")) for value in call["args"]) for call in calls]

    def resize(self, width, height, density=1):
        self.socket.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=density, mobile=False)

    def emulate(self, media="", features=()):
        """Sets the media type and media features of the page, or resets them."""
        self.socket.call("Emulation.setEmulatedMedia", media=media, features=list(features))

    def screenshot(self):
        data = self.socket.call("Page.captureScreenshot", format="png")["data"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


class Chromium(DevTools):
    def __init__(self, *arguments):
        program = shutil.which("chromium")
        if not program:
            raise Unavailable("Debian's chromium is not installed")
        super().__init__()
        self.spawn(
            program, "--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={self.folder}",
            "--no-first-run", "--disable-gpu", *arguments, "about:blank")
        file = pathlib.Path(self.folder, "DevToolsActivePort")
        self.connect(until(lambda: file.read_text().split()[0]))


class Screen:
    """An X server without a monitor, because WebKitGTK and QtWebEngine take no screenshots here."""

    def __init__(self, engine):
        program = shutil.which("Xvfb")
        if not program:
            raise Unavailable("Debian's xvfb is not installed")
        width, height = SIZE
        read, write = os.pipe()
        engine.spawn(
            program, "-displayfd", str(write), "-screen", "0", f"{width + 200}x{height + 300}x24", "-nocursor",
            pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as numbers:
            self.display = f":{int(numbers.readline())}"


class OldChromium(DevTools):
    """Chromium 69, of 2018, in QtWebEngine 5.12. It knows WebP, but neither `globalThis` nor vector instructions."""

    def __init__(self):
        try:
            import PyQt5.QtWebEngineWidgets  # noqa: F401
        except ImportError as error:
            raise Unavailable(f"PyPI's PyQtWebEngine==5.12.1 with PyQt5==5.12.3 is not installed ({error})") from error
        super().__init__()
        self.screen = Screen(self)
        port = free_port()
        self.spawn(
            sys.executable, str(pathlib.Path(__file__).with_name("qt_browser.py")), *map(str, SIZE),
            DISPLAY=self.screen.display, QT_QPA_PLATFORM="xcb", QT_QUICK_BACKEND="software",
            QTWEBENGINE_REMOTE_DEBUGGING=str(port), QTWEBENGINE_DISABLE_SANDBOX="1",
            # Service workers of another process, or of an earlier run at the same port, must not be in the profile.
            XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder,
            QTWEBENGINE_CHROMIUM_FLAGS="--no-sandbox --disable-gpu")
        self.connect(port)

    def resize(self, width, height):
        """Does nothing. The window has its size from the beginning, and the emulation of another size crashes this
        browser."""

    def screenshot(self):
        return ImageGrab.grab((0, 0, *SIZE), xdisplay=self.screen.display)


class Firefox(Engine):
    """Firefox, driven by WebDriver BiDi, which it supports without geckodriver."""

    def __init__(self):
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program:
            raise Unavailable("Debian's firefox-esr is not installed")
        super().__init__()
        port = free_port()
        self.spawn(program, "--headless", "--no-remote", f"--remote-debugging-port={port}", "--profile", self.folder)
        self.socket = Socket(f"ws://127.0.0.1:{port}/session")
        self.socket.call("session.new", capabilities={})
        self.context = self.socket.call("browsingContext.getTree")["contexts"][0]["context"]
        self.resize(*SIZE)

    def resize(self, width, height, density=1):
        self.socket.call(
            "browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height},
            devicePixelRatio=density)

    def goto(self, url):
        self.socket.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression):
        answer = self.socket.call(
            "script.evaluate", expression=f"Promise.resolve({expression}).then(value => JSON.stringify(value))",
            target={"context": self.context}, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def screenshot(self):
        data = self.socket.call("browsingContext.captureScreenshot", context=self.context)["data"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


class WebKit(Engine):
    """WebKitGTK's MiniBrowser, driven by WebDriver, on a separate screen."""

    def __init__(self):
        program = shutil.which("WebKitWebDriver")
        browsers = sorted(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        if not program or not browsers:
            raise Unavailable("Debian's webkit2gtk-driver is not installed")
        super().__init__()
        self.screen = Screen(self)
        port = free_port()
        self.spawn(
            program, f"--port={port}", DISPLAY=self.screen.display, GDK_BACKEND="x11", LIBGL_ALWAYS_SOFTWARE="1",
            WEBKIT_DISABLE_DMABUF_RENDERER="1", WEBKIT_DISABLE_COMPOSITING_MODE="1", HOME=self.folder)
        options = {"binary": str(browsers[-1]), "args": ["--automation"]}
        body = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        session = until(lambda: request_json(f"http://127.0.0.1:{port}/session", body))["value"]["sessionId"]
        self.address = f"http://127.0.0.1:{port}/session/{session}"
        self.call("timeouts", {"script": 120000})
        self.resize(*SIZE)

    def call(self, command, body=None):
        try:
            return request_json(f"{self.address}/{command}", body)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:1000]) from error

    def resize(self, width, height):
        """Sets the size of the viewport by changing the size of the window."""
        self.call("window/rect", {"width": width, "height": height})
        inner = self.evaluate("[innerWidth, innerHeight]")
        self.call("window/rect", {"width": 2 * width - inner[0], "height": 2 * height - inner[1]})

    def goto(self, url):
        self.call("url", {"url": url})

    def evaluate(self, expression):
        script = f"""const done = arguments[0];
            Promise.resolve().then(() => ({expression})).then(
              value => done([JSON.stringify(value)]), error => done(String(error)));"""
        answer = self.call("execute/async", {"script": script, "args": []})
        if isinstance(answer, str):
            raise RuntimeError(answer)
        return json.loads(answer[0] or "null")

    def screenshot(self):
        """Without a window manager, the window is in the corner of the screen, and the page at its lower end."""
        width, height, bottom = self.evaluate("[innerWidth, innerHeight, outerHeight]")
        return ImageGrab.grab((0, bottom - height, width, bottom), xdisplay=self.screen.display)


ENGINES = {"chromium": Chromium, "chromium-69": OldChromium, "firefox": Firefox, "webkit": WebKit}
