"""`python -m infra.local` as a process of its own: what it says, whom it hears, how it ends."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from infra.local.client import Client
from tests.scene import EXPOSED

ROOT: Final = Path(__file__).parents[1]
PATIENCE: Final = 5
"""Seconds in which everything answers, on a busy machine too."""
SPEED: Final = 20


class Process:
    """A server in a process of its own, on a port that was free a moment ago."""

    def __init__(self, port: int, **environment: str) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "infra.local"],
            cwd=ROOT,
            env={**os.environ, "PORT": str(port), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def first_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ends_by(self, number: signal.Signals) -> tuple[int, float, str]:
        """(exit code, seconds until then, what it complained of)."""
        since = time.monotonic()
        self._process.send_signal(number)
        _, complaints = self._process.communicate(timeout=PATIENCE * 4)
        return self._process.returncode, time.monotonic() - since, complaints

    def end(self) -> tuple[int, str]:
        """(exit code, what it complained of) of one that ends by itself."""
        _, complaints = self._process.communicate(timeout=PATIENCE * 4)
        return self._process.returncode, complaints

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


@contextmanager
def free_ports(count: int) -> Iterator[list[int]]:
    """Ports that nobody has, and that are different."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        ports = [int(probe.getsockname()[1]) for probe in probes]
    yield ports


@pytest.fixture(scope="module")
def processes() -> Iterator[list[Process]]:
    """Two servers, started together: the first fast, the second at the pace of life."""
    with free_ports(2) as ports:
        started = [Process(ports[0], SPEED=f"{SPEED}"), Process(ports[1])]
    yield started
    for process in started:
        process.stop()


@pytest.fixture(scope="module")
def line(processes: list[Process]) -> str:
    """What the fast one says first; from then on it listens."""
    return processes[0].first_line()


@pytest.fixture
def server(processes: list[Process], line: str) -> Process:
    """The fast one."""
    assert line
    return processes[0]


@pytest.fixture
def connection(server: Process) -> Iterator[http.client.HTTPConnection]:
    """One connection to the fast one, which is kept open."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.connect()
    yield connection
    connection.close()


def asked(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, http.client.HTTPMessage, Any]:
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, answer.headers, json.loads(text) if text else None


def told(server: Process, sent: bytes) -> bytes:
    """All that comes back over a connection of its own until the server closes it."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
        raw.sendall(sent)
        heard = b""
        while part := raw.recv(65_536):
            heard += part
        return heard


def test_it_says_where_it_is_and_how_fast(server: Process, line: str) -> None:
    assert server.url in line
    assert re.search(rf"SPEED={SPEED}\b", line)


def test_it_is_healthy(connection: http.client.HTTPConnection) -> None:
    status, headers, body = asked(connection, "GET", "/v1/health")
    assert (status, body["status"]) == (200, "ok")
    assert headers["Content-Type"] == "application/json"
    assert headers["Access-Control-Allow-Origin"] == "*"


def test_it_listens_on_loopback_only(server: Process) -> None:
    """Whoever listens everywhere listens at this address of loopback, too."""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE)


def test_its_clock_runs_as_fast_as_it_was_told(connection: http.client.HTTPConnection) -> None:
    def now() -> tuple[float, int, float]:
        before = time.time() * 1_000
        _, headers, _ = asked(connection, "GET", "/v1/health")
        return before, int(headers["Server-Now"]), time.time() * 1_000

    before, first, after = now()
    later_before, later, later_after = now()
    while later_before - after < 50:
        later_before, later, later_after = now()
    assert SPEED * (later_before - after) - 1 <= later - first
    assert later - first <= SPEED * (later_after - before) + 1


def test_a_game_can_be_played(server: Process) -> None:
    ana, bo = Client(server.url), Client(server.url)
    made = ana.call("POST", "/v1/rooms", {"game": "liars-dice", "visibility": "private"})
    code = made.body["room"]["code"]
    assert bo.act(code, {"type": "join", "name": "Ñandú \N{FOX FACE}"}).status == 200
    started = ana.act(code, {"type": "start", "match": 1}).body["view"]
    turn = next(
        each["player_id"]
        for each in started["room"]["members"]
        if each["seat"] == started["match"]["public"]["turn"]
    )
    client = ana if ana.device.player_id == turn else bo
    bid = client.act(code, {"type": "bid", "quantity": 1, "face": 2}, started["match"]["decision"])
    assert bid.status == 200
    looked = ana.call("GET", f"/v1/rooms/{code}")
    assert looked.body["room"]["members"][1]["name"] == "Ñandú \N{FOX FACE}"
    again = ana.call("GET", f"/v1/rooms/{code}", etag=looked.headers["ETag"])
    assert again.status in (200, 304)  # at this speed the turn may just have lapsed


def test_a_signature_by_real_time_is_taken_though_the_clock_runs_ahead(server: Process) -> None:
    assert Client(server.url).call("GET", "/v1/me").status == 200


def test_a_preflight_is_answered(connection: http.client.HTTPConnection) -> None:
    asks = {
        "Origin": "https://game.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "signature,signature-input,content-digest",
    }
    status, headers, body = asked(connection, "OPTIONS", "/v1/rooms/ABCDEF/actions", headers=asks)
    assert (status, body) == (204, None)
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Access-Control-Allow-Methods"] == "POST, OPTIONS"
    assert "Signature-Input" in headers["Access-Control-Allow-Headers"]
    assert set(headers["Access-Control-Expose-Headers"].split(", ")) == EXPOSED


def test_many_requests_on_one_connection_do_not_wait_for_each_other(
    connection: http.client.HTTPConnection,
) -> None:
    took = []
    for _ in range(25):
        since = time.monotonic()
        assert asked(connection, "GET", "/v1/health")[0] == 200
        took.append(time.monotonic() - since)
    assert sorted(took)[5] < 0.04  # what two small writes in a row would cost, each time


def test_head_has_no_body_and_the_connection_goes_on(
    connection: http.client.HTTPConnection,
) -> None:
    status, headers, body = asked(connection, "HEAD", "/v1/health")
    assert (status, body) == (405, None)
    assert headers["Allow"] == "GET, OPTIONS"
    assert asked(connection, "GET", "/v1/health")[0] == 200


@pytest.mark.parametrize("size", [8_193, 1_000_000])
def test_an_oversized_body_is_refused_and_not_waited_for(
    connection: http.client.HTTPConnection, size: int
) -> None:
    status, headers, body = asked(connection, "POST", "/v1/rooms", b"x" * size)
    assert (status, body["code"]) == (413, "too-large")
    assert headers["Access-Control-Allow-Origin"] == "*"


def test_an_oversized_body_that_never_comes_is_refused_at_once(server: Process) -> None:
    heard = told(server, b"POST /v1/rooms HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
    assert heard.startswith(b"HTTP/1.1 413 ")


NEXT = b"GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize(
    ("header", "status"),
    [
        pytest.param("Content-Length: many", 400, id="a length in words"),
        pytest.param("Content-Length: -5", 400, id="a negative length"),
        pytest.param("Content-Length: 5_0", 400, id="a length with an underscore"),
        pytest.param("Content-Length: 5\r\nContent-Length: 6", 400, id="two lengths"),
        pytest.param("Transfer-Encoding: chunked", 400, id="chunks"),
    ],
)
def test_a_length_that_is_none_ends_the_connection_and_the_rest_is_no_request(
    server: Process, header: str, status: int
) -> None:
    sent = f"POST /v1/rooms HTTP/1.1\r\nHost: a\r\n{header}\r\n\r\n".encode()
    heard = told(server, sent + NEXT)
    assert heard.startswith(f"HTTP/1.1 {status} ".encode())
    assert heard.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", id="TLS"),
        pytest.param(b"nonsense\r\n\r\n", id="nonsense"),
        pytest.param(b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", id="an endless address"),
    ],
)
def test_what_is_no_http_is_answered_and_dropped(server: Process, sent: bytes) -> None:
    assert told(server, sent)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE):
        pass  # it still listens


def test_a_port_that_is_taken_is_said_and_not_waited_for(server: Process) -> None:
    second = Process(server.port)
    try:
        code, complaints = second.end()
    finally:
        second.stop()
    assert code != 0
    assert "in use" in complaints


@pytest.mark.parametrize(
    ("which", "number"),
    [
        pytest.param(0, signal.SIGTERM, id="SIGTERM"),
        pytest.param(1, signal.SIGINT, id="Ctrl-C"),
    ],
)
def test_it_ends_quickly_and_well(
    processes: list[Process], line: str, which: int, number: signal.Signals
) -> None:
    """Last of all: with connections open and a match running."""
    process = processes[which]
    if which == 1:
        assert process.url in process.first_line()
    ana, bo = Client(process.url), Client(process.url)
    made = ana.call("POST", "/v1/rooms", {"game": "liars-dice", "visibility": "private"})
    code = made.body["room"]["code"]
    bo.act(code, {"type": "join"})
    assert ana.act(code, {"type": "start", "match": 1}).status == 200
    ended = process.ends_by(number)
    assert ended[0] == 0
    assert ended[1] < PATIENCE
    assert ended[2] == ""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", process.port), timeout=PATIENCE)
