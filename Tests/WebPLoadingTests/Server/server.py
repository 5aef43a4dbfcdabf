"""An HTTP server whose behavior, including faults, is selected by the query of each request.

    server.py FOLDER...

Serves the files in these folders by name. Prints its port, and ends when its standard input is closed.

The query of a request:
    id=TEXT            the name of the request in the log; several requests can have the same name
    status=N           the status, instead of 200
    type=TEXT          Content-Type; by default, derived from the file's extension; if empty, omitted
    to=URL             redirects to this URL
    later=URL          redirects to this URL, except for the first request of the name
    chunked=1          sends the body in chunks, without Content-Length
    unframed=1         sends neither Content-Length nor chunks: the body ends with the connection
    failures=N         responds with status 503 to the first N requests of the name
    piece=N delay=S    sends N bytes at a time, S seconds apart
    hold=N             sends N bytes of the body (-1: not even the headers), then waits for /_go?id=…
    head=N             closes the connection after N bytes of the head
    cut=N              closes the connection after N bytes of the body
    gzip=1             compresses the body
    header=NAME:VALUE  adds a header; may be repeated; an ETag or Last-Modified is compared with the request's condition
    as=NAME            sends this file instead of the one that the path specifies
    text=TEXT          sends this text instead of a file
    riff=N             changes the size in the RIFF header to N
    endless=1          sends zeros after the body until the client closes the connection; with endless=fast, at full speed
    before=TEXT        sends this text before the response, in which \\n means a line break

/_log?id=…   returns the requests of this name as JSON: method, target, headers, body (hexadecimal), sent (number of
             bytes), aborted (whether the client closed the connection), done, port (the client's port)
/_go?id=…    releases all requests of this name that wait because of `hold`
"""

import gzip
import http.server
import json
import os
import select
import socket
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

files = {}
log = {}
released = {}
lock = threading.Lock()
types = {"webp": "image/webp", "png": "image/png", "html": "text/html", "css": "text/css", "json": "application/json"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Sends headers and body in one packet. A second packet would wait for the acknowledgment of the first one.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def do_GET(self):
        self.close_connection = False
        url = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
        name = query.get("id", "")
        if url.path == "/_log":
            with lock:
                text = json.dumps(log.get(name, [])).encode()
            return self.answer(200, [("Content-Type", "application/json")], text)
        if url.path == "/_go":
            with lock:
                released.setdefault(name, threading.Event()).set()
            return self.answer(200, [], b"")

        entry = {"method": self.command, "target": self.path, "headers": {k.lower(): v for k, v in self.headers.items()},
                 "body": self.read_body().hex(), "sent": 0, "aborted": False, "done": False,
                 "port": self.client_address[1]}
        with lock:
            log.setdefault(name, []).append(entry)
        try:
            self.respond(url, query, parse_qs(url.query).get("header", []), entry)
        except (OSError, ValueError):
            entry["aborted"] = True
            self.close_connection = True
        entry["done"] = True

    do_POST = do_PUT = do_HEAD = do_GET

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def respond(self, url, query, extra, entry):
        headers = [tuple(pair.split(":", 1)) for pair in extra]
        if "later" in query and len(log.get(query["id"], [])) > 1:
            query["to"] = query["later"]
        if "failures" in query and len(log[query["id"]]) <= int(query["failures"]):
            return self.answer(503, headers, b"try again")
        if "to" in query:
            return self.answer(int(query.get("status", 302)), headers + [("Location", query["to"])], b"")
        last = query.get("as") or url.path.rsplit("/", 1)[-1]
        status = int(query.get("status", 200))
        if "text" in query:
            body = query["text"].encode()
        elif last in files:
            with open(files[last], "rb") as file:
                body = file.read()
        else:
            status, body = max(status, 404), b"no such file"
        kind = query.get("type", types.get(last.rsplit(".", 1)[-1], "text/plain"))
        if kind:
            headers.append(("Content-Type", kind))
        if "riff" in query:
            body = body[:4] + int(query["riff"]).to_bytes(4, "little") + body[8:]
        validators = {k.lower(): v for k, v in headers}
        asked = self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since")
        if asked and asked in (validators.get("etag"), validators.get("last-modified")):
            return self.answer(304, [pair for pair in headers if pair[0] != "Content-Type"], None)
        if "gzip" in query:
            body = gzip.compress(body)
            headers.append(("Content-Encoding", "gzip"))

        hold = int(query["hold"]) if "hold" in query else None
        if hold == -1:
            self.wait(query["id"])
            hold = None
        chunked = "chunked" in query
        if "head" in query:
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
            self.wfile.write(head[:int(query["head"])])
            self.close_connection = True
            return
        if "before" in query:
            self.wfile.write(query["before"].replace("\\n", "\r\n").encode())
        self.send_response(status)
        for pair in headers:
            self.send_header(*pair)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif "unframed" in query or "endless" in query:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.flush()

        end = int(query["cut"]) if "cut" in query else len(body)
        piece = int(query.get("piece", 1 << 16 if hold is None else 1 << 12))
        position = 0
        while position < end:
            if hold is not None and position >= hold:
                self.wait(query["id"])
                hold = None
            stop = min(end, position + piece) if hold is None else min(end, position + piece, hold)
            data = body[position:stop]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
            self.wfile.flush()
            position = entry["sent"] = stop
            if "delay" in query:
                time.sleep(float(query["delay"]))
        while "endless" in query:
            # Sends 3 MB per second. FoundationNetworking does not cancel a task while data arrive faster than it
            # processes them. With the thread sanitizer, that would never end.
            if query["endless"] != "fast":
                time.sleep(0.02)
            self.wfile.write(bytes(1 << 16))
            entry["sent"] += 1 << 16
        if end < len(body):
            self.close_connection = True
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")

    def answer(self, status, headers, body):
        self.send_response(status)
        for pair in headers:
            self.send_header(*pair)
        if body is not None:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body or b"")

    def wait(self, name):
        with lock:
            event = released.setdefault(name, threading.Event())
        while not event.wait(0.01):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise OSError("the client closed the connection")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, address):
        pass  # the tests close connections on purpose


for folder in sys.argv[1:]:
    for name in os.listdir(folder):
        files[name] = os.path.join(folder, name)
server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
