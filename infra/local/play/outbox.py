"""The one request that has no answer yet, and whatever else is kept on the disk.

A request is there to the byte, with its key, before it is sent and until it was answered. There is
one at a time, so that the server still knows it when it comes again. What was refused for now, or
got no answer at all, goes out again under the same key; only the signature is fresh.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..client import Reply
from .home import Home, State, Unanswered
from .wire import Clock, NoAnswer, Verdict, Wire, problem, retry_after_ms, verdict

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.25, 8.0
SIGNED_AGAIN = 3
"""How often a signature is mended for one request."""
REMEMBERED_SECONDS = 86_400
"""The server knows the key of a new room for a day; nobody means an older request any more."""


class Backoff:
    """Ever longer waits, until something works."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wait = FIRST_WAIT_SECONDS

    def over(self) -> None:
        self._wait = FIRST_WAIT_SECONDS

    def until(self, told_ms: int | None = None) -> float:
        """When to try again: not before the server allows it."""
        wait, self._wait = self._wait, min(self._wait * 2, LONGEST_WAIT_SECONDS)
        return time.monotonic() + max(wait, self._clock.seconds(told_ms or 0))


class Sent(NamedTuple):
    """What came of sending: `reply` is None if nothing came back."""

    request: Unanswered
    verdict: Verdict
    reply: Reply | None


def what(request: Unanswered) -> str:
    """The request in a word."""
    action = json.loads(request.body).get("action")
    return str(action["type"]) if action else "open"


class Outbox:
    """One player's, for one server."""

    def __init__(self, url: str, wire: Wire, clock: Clock, home: Home) -> None:
        self.state = home.state(url)
        self.send_at = 0.0
        self._url = url
        self._wire = wire
        self._home = home
        self._backoff = Backoff(clock)
        self._signed_again = 0

    def keep(self, **changes: Any) -> None:
        """On the disk, and then so."""
        state: State = replace(self.state, **changes)
        if state != self.state:
            self._home.keep(self._url, state)
        self.state = state

    def too_old(self) -> bool:
        """Is there a request that nobody means any more?"""
        left = self.state.unanswered
        return left is not None and time.time() - left.at > REMEMBERED_SECONDS

    def put(self, path: str, body: Mapping[str, Any]) -> None:
        """The request is on the disk; `send` is next."""
        self._signed_again = 0
        at, key = int(time.time()), uuid.uuid4().hex
        self.keep(unanswered=Unanswered(path=path, key=key, body=json.dumps(body), at=at))

    def created(self) -> int:
        """Now by the server's real clock, and never before the last."""
        return max(self.state.created, int(time.time()) + self.state.ahead)

    def get(self, path: str, etag: str | None = None) -> Reply:
        """The answer to a signed GET. Raises `NoAnswer`."""
        reply = self._wire.call("GET", path, created=self.created(), etag=etag)
        if self._mend_clock(reply):
            reply = self._wire.call("GET", path, created=self.created(), etag=etag)
        return reply

    def _mend_clock(self, reply: Reply) -> bool:
        """A signature out of time is answered with the right one (API.md, "Identity"): was this
        one?"""
        told = problem(reply)
        if told.get("code") != "signature-expired" or not isinstance(told.get("server_now"), int):
            return False
        self.keep(ahead=told["server_now"] // 1_000 - int(time.time()), created=0)
        return True

    def send(self) -> Sent:
        """The unanswered request goes out, signed now. Unless it is answered for good ("done" or
        "refused") it stays, and goes out again at `send_at`; who is answered forgets it."""
        left = self.state.unanswered
        assert left is not None
        self.keep(created=self.created())
        try:
            reply = self._wire.call(
                "POST", left.path, left.body.encode(), created=self.state.created, key=left.key
            )
        except NoAnswer:
            self.send_at = self._backoff.until()
            return Sent(left, "again", None)
        said = verdict(reply)
        if said == "sign-again" and self._signed_again < SIGNED_AGAIN:
            self._signed_again += 1
            if self._mend_clock(reply):
                return self.send()
            self.send_at = self._backoff.until()
        elif said == "sign-again":
            said = "refused"
        elif said == "again":
            self.send_at = self._backoff.until(retry_after_ms(reply))
        else:
            self._backoff.over()
        return Sent(left, said, reply)
