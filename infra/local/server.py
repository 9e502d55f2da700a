"""The real app behind Chalice's dev server, on loopback."""

from __future__ import annotations

import base64
import logging
import re
import socket
import threading
import time
import uuid
from contextlib import suppress
from typing import Any

from chalice.config import Config
from chalice.local import (
    ChaliceRequestHandler,
    CustomLocalChalice,
    LambdaContext,
    LocalChalice,
    LocalDevServer,
)

import app as application
from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.adapters.push import SnsPush
from chalicelib.adapters.system import SystemChance, SystemClock
from chalicelib.beat import beat
from chalicelib.http import MAX_BODY
from chalicelib.service import Service

from . import embedded

log = logging.getLogger("sobremesa")

HOST = "127.0.0.1"
BEAT_EVERY_SECONDS = 60
CLOSING_SECONDS = 1
BLOCK = 65_536
MOST_IGNORED = 16_777_216
"""Bytes of an oversized body that are still taken, and ignored."""


class Handler(ChaliceRequestHandler):
    """Hands every request to the app as a function URL would; the app does its own routing."""

    timeout = 30  # seconds that a silent connection is kept
    wbufsize = -1  # one write an answer: two small ones would wait for each other
    disable_nagle_algorithm = True

    def _generic_handle(self) -> None:
        length = self._length()
        if length is None:
            self.send_error(400)
            self._close()
            return
        path, _, query = self.path.partition("?")
        too_large = length > MAX_BODY
        body = bytes(MAX_BODY + 1) if too_large else self.rfile.read(length)
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            key = name.lower()
            headers[key] = f"{headers[key]}, {value}" if key in headers else value
        event: dict[str, Any] = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": query,
            "headers": headers,
            "requestContext": {
                "http": {"method": self.command, "sourceIp": self.client_address[0]},
                "requestId": uuid.uuid4().hex,
            },
            "body": base64.b64encode(body).decode() if body else None,
            "isBase64Encoded": True,
        }
        answer = application.app(event, LambdaContext("local", 128))
        content = None if self.command == "HEAD" else answer["body"] or None
        self._send_http_response(answer["statusCode"], answer["headers"], content)
        if too_large or length > len(body):
            self._close()

    def _length(self) -> int | None:
        """How long the body is; None if that cannot be told."""
        lengths = self.headers.get_all("content-length", ["0"])
        chunks = "transfer-encoding" in self.headers
        told = len(lengths) == 1 and re.fullmatch("[0-9]{1,15}", lengths[0]) is not None
        return int(lengths[0]) if told and not chunks else None

    def _close(self) -> None:
        """What was not read is never taken for the next request; a client that still sends may
        finish, so that it gets to read the answer."""
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(CLOSING_SECONDS)
            for _ in range(MOST_IGNORED // BLOCK):
                if not self.connection.recv(BLOCK):
                    break

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = _generic_handle

    def __getattr__(self, name: str) -> Any:
        """Any other method, too: that there is none is for the app to say."""
        if name.startswith("do_"):
            return self._generic_handle
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Quiet: a poll is no news."""


class LocalBeat:
    """Wakes the thread that beats."""

    def __init__(self) -> None:
        self.woken = threading.Event()

    def wake(self, lane: str) -> None:  # noqa: ARG002  # there is one
        self.woken.set()

    def relieve(self, lane: str) -> None:
        """There are no further lanes."""


class Server:
    """One process with everything in it."""

    def __init__(self, *, port: int, speed: int) -> None:
        mark = uuid.uuid4().hex[:8]  # another server of this process has tables of its own
        names = {"RoomsTable": f"rooms-{mark}", "PlayersTable": f"players-{mark}"}
        client = embedded.dynamo(names)
        self._beating = LocalBeat()
        self.service = Service(
            rooms=DynamoRooms(client, names["RoomsTable"]),
            players=DynamoPlayers(client, names["PlayersTable"]),
            clock=SystemClock(speed),
            chance=SystemChance(),
            beating=self._beating,
            push=SnsPush(None, {}),
        )
        application.app.service = lambda: self.service
        config = Config.create(project_dir=".", app_name="sobremesa")
        if not isinstance(application.app, LocalChalice):
            # what chalice.local.create_local_server does, with a handler of our own
            CustomLocalChalice.__bases__ = (LocalChalice, type(application.app))
            application.app.__class__ = CustomLocalChalice  # type: ignore[assignment]  # as they do
        self._http = LocalDevServer(application.app, config, HOST, port, handler_cls=Handler)
        self.url = f"http://{HOST}:{self._http.server.server_port}"
        self._stopping = False

    def start(self) -> None:
        """Requests are answered and deadlines fire, from threads of their own."""
        threading.Thread(target=self._http.server.serve_forever, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()

    def stop(self) -> None:
        self._stopping = True
        self._beating.woken.set()
        self._http.shutdown()
        self._http.server.server_close()

    def _beat(self) -> None:
        """One beat after another while a match is live, else one a minute or when woken."""
        while not self._stopping:
            ends_at = time.monotonic() + BEAT_EVERY_SECONDS
            try:
                beat(self.service, woken=False, seconds=BEAT_EVERY_SECONDS)
            except Exception:  # the next one may do better
                log.exception("the beat failed")
            self._beating.woken.wait(max(0.0, ends_at - time.monotonic()))
            self._beating.woken.clear()
