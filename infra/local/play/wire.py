"""Signed requests, the server's clock, and what an answer means for whoever waits for it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

import requests

from ..client import Reply
from ..device import Device

CONNECT_SECONDS, ANSWER_SECONDS = 5, 15
PATIENCE_MS = 10_000
"""A refusal for now that lasts no longer than this is waited out."""

Verdict = Literal["done", "again", "sign-again", "refused"]


class NoAnswer(Exception):  # names what happened
    """Nothing came back, so that nobody knows whether the request arrived."""


class Wire(Protocol):
    """How requests reach the server."""

    def call(
        self,
        method: str,
        path: str,
        raw: bytes | None = None,
        *,
        created: int | None = None,
        key: str | None = None,
        etag: str | None = None,
    ) -> Reply:
        """The answer; signed if `created` is given. Raises `NoAnswer`."""


class Http:
    """One device against one server."""

    def __init__(self, url: str, device: Device, locale: str) -> None:
        self._url = url
        self._device = device
        self._locale = locale
        self._http = requests.Session()

    def call(
        self,
        method: str,
        path: str,
        raw: bytes | None = None,
        *,
        created: int | None = None,
        key: str | None = None,
        etag: str | None = None,
    ) -> Reply:
        url = self._url + path
        headers = {"Accept-Language": self._locale}
        if created is not None:
            headers |= self._device.sign(method, url, raw, key, created=created)
        if etag is not None:
            headers["If-None-Match"] = etag
        try:
            answer = self._http.request(
                method,
                url,
                data=raw,
                headers=headers,
                timeout=(CONNECT_SECONDS, ANSWER_SECONDS),
                allow_redirects=False,
            )
        except requests.RequestException as problem:
            raise NoAnswer(str(problem)) from None
        try:
            body = answer.json() if answer.content else None
        except ValueError:  # whatever stands before the app answers in its own way
            body = None
        return Reply(answer.status_code, body, answer.headers)


def problem(reply: Reply) -> dict[str, Any]:
    """The problem document of a refusal; empty where the gateway refused on its own."""
    return reply.body if isinstance(reply.body, dict) else {}


def retry_after_ms(reply: Reply) -> int | None:
    """How long the server wants to be left alone, in its own time."""
    told = problem(reply).get("retry_after_ms")
    if isinstance(told, int):
        return told
    header = reply.headers.get("Retry-After", "")
    return int(header) * 1_000 if header.isdecimal() else None


def verdict(reply: Reply) -> Verdict:
    """What becomes of a POST that was answered like this. A refusal does not consume the key, so
    the same request may come again; one that was accepted gets its first answer again."""
    code = problem(reply).get("code")
    if reply.status < 300:
        return "done"
    if code in ("signature-expired", "stale-request"):
        return "sign-again"
    if reply.status == 429 and (retry_after_ms(reply) or 0) > PATIENCE_MS:
        return "refused"
    return "again" if reply.status == 429 or reply.status >= 500 else "refused"


class Sample(NamedTuple):
    """What the server's clock said between two moments of ours, in seconds."""

    before: float
    server_now: int
    after: float


def pace(first: Sample, second: Sample) -> int:
    """How many times as fast as ours the server's clock runs: 1, unless that cannot be (a local
    server may run with SPEED)."""
    passed = (second.server_now - first.server_now) / 1_000
    fastest = passed / max(second.before - first.after, 0.001)
    slowest = passed / max(second.after - first.before, 0.001)
    return 1 if slowest <= 1 else max(1, round((slowest + fastest) / 2))


class Clock:
    """The server's clock as far as it is known: its last word, and the time that has passed."""

    def __init__(self) -> None:
        self.speed = 1
        self._heard: tuple[int, float] | None = None

    def heard(self, headers: Mapping[str, str]) -> int | None:
        """What the answer says of the clock, which from now on is taken for right."""
        said = headers.get("Server-Now", "")
        if not said.isdecimal():
            return None
        self._heard = int(said), time.monotonic()
        return int(said)

    def now(self) -> int:
        """In epoch milliseconds."""
        if self._heard is None:
            return int(time.time() * 1_000)
        server_now, at = self._heard
        return server_now + int((time.monotonic() - at) * 1_000 * self.speed)

    def seconds(self, milliseconds: float) -> float:
        """How long we wait for that much to pass on the server's clock."""
        return max(0.0, milliseconds / 1_000 / self.speed)

    def set_by(self, wire: Wire, apart_seconds: float) -> None:
        """Asks twice. Raises `NoAnswer`, also if whoever answers is no Sobremesa server."""
        samples = []
        for wait in (0.0, apart_seconds):
            time.sleep(wait)
            before = time.monotonic()
            said = self.heard(wire.call("GET", "/v1/health").headers)
            if said is None:
                raise NoAnswer("no Server-Now")
            samples.append(Sample(before, said, time.monotonic()))
        self.speed = pace(*samples)
