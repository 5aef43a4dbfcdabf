"""The server of the pages, which can delay, truncate and reject images."""
import http.client
import http.server
import pathlib
import threading
import time

from PIL import Image

WASM = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = {
    "small": WASM.parent / "Benchmarks/Small",
    "vectors": WASM.parent / "Conformance/vectors",
    "pages": WASM / "tests/pages",
}
gate = threading.Event()
went_on = []
asked = []


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves dist/ at the root, FOLDERS, and these paths. "The browser" means requests that no script sends.

    /slow/      pauses after half of the file until the gate opens; with ?cut, ends there
    /shared/    permits all origins to read the response
    /cdn/       permits origins that send `Origin`; the response is cached for requests without it too
    /secret/    requires a cookie; the response is not cached
    /strict/    has the policy in README.md, without workers; ?own: without object URLs; ?worker: with workers
    /hidden/    WebP files under names without extension, which the browser cannot load; ?slow: waits for the gate
    /unknown/   WebP files that the browser cannot load, as if it did not support WebP; nothing is cached
    /known      a PNG, which is wider if the request has a cookie
    /endless/   a file followed by zeros for three seconds; ?gone: with status 404

    Scripts that are requested with ?…old run without streams, as in Firefox 60.
    """

    policy = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'self'; "
              "img-src 'self' blob:")

    def translate_path(self, path):
        first, *rest = path.split("?")[0].strip("/").split("/")
        if ".." in [first, *rest]:
            return "/dev/null/none"  # paths outside of the folders
        first = "small" if first in ["shared", "cdn", "secret", "unknown"] else "pages" if first == "strict" else first
        if first == "hidden":
            return str(FOLDERS["small"] / (rest[0] + ".webp"))
        if first in FOLDERS:
            return str(FOLDERS[first].joinpath(*rest))
        return str(WASM / "dist" / first)

    def do_GET(self):
        asked.append(self.path)
        if self.path.startswith("/known"):
            return self.known()
        if self.path.endswith("old"):
            return self.without_streams()
        if self.path.startswith("/endless/"):
            return self.endless()
        if self.path.startswith(("/hidden/", "/unknown/")) and self.headers["Sec-Fetch-Dest"] == "image":
            return self.send_error(404)
        if self.path.endswith("?slow"):
            gate.wait(60)
        if self.path.startswith("/secret/") and not self.headers["Cookie"]:
            return self.send_error(403)
        if not self.path.startswith("/slow/"):
            return super().do_GET()
        data = (FOLDERS["small"] / self.path.split("/")[-1].split("?")[0]).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "image/webp")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        gate.wait(60)
        if self.path.endswith("?cut"):
            return time.sleep(0.1)  # gives the browser time to show the first half
        self.wfile.write(data[len(data) // 2 :])

    def known(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        Image.new("RGB", (20 if self.headers["Cookie"] else 10, 10)).save(self.wfile, "PNG")

    def without_streams(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.end_headers()
        self.wfile.write(b"self.ReadableStream = undefined; delete Response.prototype.body;\n")
        self.wfile.write(pathlib.Path(self.translate_path(self.path)).read_bytes())

    def endless(self):
        name, _, gone = self.path.split("/")[-1].partition("?")
        self.send_response(404 if gone else 200)
        self.send_header("Content-Type", "image/webp")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        try:
            self.wfile.write((FOLDERS["vectors"] / name).read_bytes())
            for _ in range(300):
                self.wfile.write(bytes(1000))
                time.sleep(0.01)
            if self.headers["Sec-Fetch-Mode"] == "cors":  # sent by a script
                went_on.append(self.path)
        except OSError:
            pass

    def end_headers(self):
        if self.path.startswith("/shared/"):
            self.send_header("Access-Control-Allow-Origin", "*")
        if self.path.startswith("/cdn/"):
            self.send_header("Cache-Control", "max-age=1000")
            if self.headers["Origin"]:
                self.send_header("Access-Control-Allow-Origin", "*")
        if self.path.startswith("/secret/"):
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
            self.send_header("Access-Control-Allow-Credentials", "true")
        if self.path.startswith(("/secret/", "/unknown/")):
            self.send_header("Cache-Control", "no-store")
        if self.path.startswith("/strict/"):
            instead = {"own": (" blob:", ""), "worker": ("worker-src 'none'", "worker-src 'self'")}
            change = instead.get(self.path.partition("?")[2], ("", ""))
            self.send_header("Content-Security-Policy", self.policy.replace(*change))
        super().end_headers()

    def log_message(self, *_):
        pass


def serve():
    """Starts a server that runs as long as the tests, and returns its origin."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def status(port, path, host="127.0.0.1"):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
