"""A way to the server on which a test can lose a request, or an answer, at will."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

Loss = Literal["request", "answer"]
PATIENCE_SECONDS = 20


class Passed(NamedTuple):
    """A POST that came by, and what the server made of it; None if it never got there."""

    key: str
    body: bytes
    status: int | None
    replayed: bool


class Lossy:
    """Hands everything on as it comes, Host included, so that signatures hold. Once `lose` was
    called, the next POST is held: before it reaches the server, or when its answer comes back."""

    def __init__(self, upstream: str) -> None:
        self.posts: list[Passed] = []
        self.held = threading.Event()
        """Something is held: whoever waits for it may be killed now."""
        self._next: Loss | None = None
        self._let_go = threading.Event()
        lossy, address = self, urlsplit(upstream).netloc

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_GET(self) -> None:
                status, headers, body = self._upstream(b"")
                self._answer(status, headers, body)

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                loss, lossy._next = lossy._next, None
                key = self.headers["Idempotency-Key"]
                if loss == "request":
                    lossy.posts.append(Passed(key, raw, None, False))
                    self._hold()
                    return
                status, headers, body = self._upstream(raw)
                replayed = headers.get("Idempotency-Replayed") == "true"
                lossy.posts.append(Passed(key, raw, status, replayed))
                if loss == "answer":
                    self._hold()
                else:
                    self._answer(status, headers, body)

            def _upstream(self, raw: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
                connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
                try:
                    connection.request(self.command, self.path, raw or None, dict(self.headers))
                    answer = connection.getresponse()
                    return answer.status, answer.headers, answer.read()
                finally:
                    connection.close()

            def _answer(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
                self.send_response_only(status)
                for name, value in headers.items():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                        self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _hold(self) -> None:
                lossy.held.set()
                lossy._let_go.wait(PATIENCE_SECONDS)
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's
                """Quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def lose(self, what: Loss) -> None:
        self.held.clear()
        self._let_go.clear()
        self._next = what

    def let_go(self) -> None:
        self._let_go.set()


@contextmanager
def losing(upstream: str) -> Iterator[Lossy]:
    """A way to `upstream`, as long as the block lasts."""
    lossy = Lossy(upstream)
    thread = threading.Thread(target=lossy._http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield lossy
    finally:
        lossy.let_go()
        lossy._http.shutdown()
        lossy._http.server_close()
        thread.join()
