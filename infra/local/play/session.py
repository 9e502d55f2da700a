"""One player at one server: does what is typed, repeats what has no answer, and polls.

What was refused for good is forgotten, and the room looked at anew; all else is the outbox's. Polls
come no sooner than the server says, and ask only for what has changed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from queue import Empty, Queue
from typing import Any, Protocol

from .. import verify
from ..client import Reply
from . import lookups, screen
from .commands import Local, Where, Wrong, actions_path, available, parse
from .home import Home, Unanswered
from .offers import Offers
from .outbox import FIRST_WAIT_SECONDS, Backoff, Outbox, what
from .seats import View
from .text import Section, columns, fresh, plain
from .wire import Clock, NoAnswer, Wire, problem, retry_after_ms, verdict
from .words import Words

BRIEFLY_SECONDS = 0.02
"""Between polls at least: a server may run fast."""
REFUSED_SECONDS = 30
"""After a poll that was refused."""
HURRY_MS = 10_000
"""With so much left of the own time it is said once more, also to who cannot see a toolbar."""


class Out(Protocol):
    """Where text goes."""

    def show(self, sections: Sequence[Section], status: str) -> None:
        """What is new on the screen, and the status line where there is no better place for it."""

    def say(self, text: str) -> None:
        """A sentence of the client itself."""


class Session:
    """What is known of the room, and when something is due."""

    def __init__(
        self, url: str, wire: Wire, clock: Clock, home: Home, offers: Offers, words: Words, out: Out
    ) -> None:
        self.view: View | None = None
        self._url = url
        self._wire = wire
        self._clock = clock
        self._home = home
        self._offers = offers
        self._words = words
        self._out = out
        self._outbox = Outbox(url, wire, clock, home)
        self._backoff = Backoff(clock)
        self._etag: str | None = None
        self._shown: list[Section] = []
        self._poll_at = 0.0
        self._hurry_at: float | None = None
        """When it is said that the own time runs out."""
        self._silent = False
        """Was the last request without an answer?"""
        self._unsure = ""
        """The line before, if it waits for a yes."""

    # --- the loop --------------------------------------------------------------------------------

    def run(self, lines: Queue[str | None]) -> None:
        """Until a line is None. What is typed is done at once, the rest when it is due."""
        self.begin()
        while True:
            try:
                line = lines.get(timeout=self.rest())
            except Empty:
                self.tick()
                continue
            if line is None:
                break
            self.typed(line)
        if left := self._outbox.state.unanswered:
            self._say("unanswered-at-end", what=what(left))

    def begin(self) -> None:
        """What the last run left behind is taken up again."""
        state = self._outbox.state
        if state.unanswered is not None and self._outbox.too_old():
            self._say("too-old", what=what(state.unanswered))
            self._outbox.keep(unanswered=None)
        elif state.unanswered is not None:
            self._say("sending-again", what=what(state.unanswered))
            self._send()
        if not self._outbox.state.code:
            self._welcome()
        self.tick()

    def rest(self) -> float | None:
        """Seconds until something is due; None if nothing is."""
        state = self._outbox.state
        due = [self._outbox.send_at] if state.unanswered else []
        due += [self._poll_at] if state.code else []
        due += [] if self._hurry_at is None else [self._hurry_at]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def tick(self) -> None:
        """Whatever is due is sent."""
        if self._outbox.state.unanswered and time.monotonic() >= self._outbox.send_at:
            self._send()
        if self._outbox.state.code and time.monotonic() >= self._poll_at:
            self.poll()
        if self._hurry_at is not None and time.monotonic() >= self._hurry_at:
            self._hurry_at = None
            self._out.say(self.status())

    def status(self) -> str:
        return screen.status(self.view, self._clock.now(), self._words)

    def commands(self) -> list[str]:
        """What may be typed now, as this language has it."""
        named = self._words.commands
        return [(named[verb]["also"] or [verb])[0] for verb in available(self._where())]

    # --- what is typed ---------------------------------------------------------------------------

    def typed(self, line: str) -> None:
        unsure, self._unsure = self._unsure, ""
        if unsure and plain(line) == plain(self._words.text("no")):
            return
        sure = bool(unsure) and (self._words.is_yes(line) or plain(line) == plain(unsure))
        line = unsure if sure else line
        found = parse(line, self._where())
        if isinstance(found, Wrong):
            self._out.say(found.text)
        elif isinstance(found, Local):
            self._local(found)
        elif left := self._outbox.state.unanswered:
            self._say("still-sending", what=what(left))
        elif found.warning and not sure:
            self._unsure = line
            self._out.say(found.warning)
        else:
            self._outbox.put(found.path, found.body)
            self._send()

    def _where(self) -> Where:
        state = self._outbox.state
        return Where(self._words, self._offers, self.view, state.code, state.name)

    def _local(self, found: Local) -> None:
        if found.verb == "look" and self.view is None:
            self._welcome()
        elif found.verb == "look":
            self._out.show([*self._shown, Section("status", f"[{self.status()}]")], "")
        elif found.verb == "help":
            usages = [self._words.commands[verb] for verb in available(self._where())]
            rows = columns([[f"  {each['usage']}", each["about"]] for each in usages])
            self._out.show([Section("help", self._words.text("help"), tuple(rows))], "")
        elif found.verb == "name":
            self._outbox.keep(name=found.argument)
            self._say("named", name=found.argument or "—")
        elif found.verb == "drop":
            self._drop()
        elif found.verb == "save":
            self._save()
        else:
            self._look_up(found)

    def _drop(self) -> None:
        left = self._outbox.state.unanswered
        if left is None:
            self._say("nothing-to-drop")
            return
        self._outbox.keep(unanswered=None)
        self._say("dropped", what=what(left))
        self._poll_at = 0.0

    def _save(self) -> None:
        view = self.view
        if view is None or view["match"] is None:
            self._say("how-no-match")
            return
        name = f"{view['room']['code']}-{view['match']['number']}-{view['match']['decision']}.json"
        path = self._home.save(name, json.dumps(view, ensure_ascii=False, indent=1))
        dice = "fairness" in view["match"]["public"]
        self._say("saved-dice" if dice else "saved", path=path)

    def _look_up(self, found: Local) -> None:
        game = self.view["room"]["game"] if self.view else ""
        try:
            if found.verb == "rooms":
                mine = self._outbox.get("/v1/me/rooms")
                listed = self._wire.call("GET", "/v1/rooms")
                shown = lookups.rooms(mine.body, listed.body, self._words)
            else:
                path = lookups.rules_path(found.argument, game, self._offers)
                shown = lookups.rules(self._wire.call("GET", path).body)
        except NoAnswer:
            self._say("no-answer-now", url=self._url)
            return
        self._out.show(shown, "")

    # --- what is sent ----------------------------------------------------------------------------

    def _send(self) -> None:
        sent = self._outbox.send()
        self._heard(sent.reply)
        if sent.reply is not None and sent.verdict == "done":
            self._done(sent.request, sent.reply)
        elif sent.reply is not None and sent.verdict == "refused":
            self._refused(sent.reply)

    def _done(self, request: Unanswered, reply: Reply) -> None:
        """Answered: the room is known before the request is forgotten, in one write."""
        body = reply.body if isinstance(reply.body, dict) else {}
        acted = "receipt" in body
        view, here = body.get("view") if acted else body, self._outbox.state.code
        left = acted and view is None and request.path == actions_path(here)
        self._outbox.keep(unanswered=None, code=view["room"]["code"] if view else here * (not left))
        if reply.headers.get("Idempotency-Replayed") == "true":
            self._say("same-answer")
        if what(request) == "entropy":
            self._say("entropy-taken")
        if view:
            self._see(view, reply)
        elif left:
            self._outside("left-room", here)

    def _refused(self, reply: Reply) -> None:
        """For good: it is said why, and the room is looked at anew."""
        self._outbox.keep(unanswered=None)
        self._explain(reply)
        view = problem(reply).get("view")
        if view and view["room"]["code"] == self._outbox.state.code:
            self._see(view, reply)
        else:
            self._etag, self._poll_at = None, 0.0

    # --- what is seen ----------------------------------------------------------------------------

    def poll(self) -> None:
        """The room is looked at, as far as it has changed."""
        code = self._outbox.state.code
        try:
            reply = self._outbox.get(f"/v1/rooms/{code}", self._etag)
        except NoAnswer:
            self._heard(None)
            self._poll_at = self._backoff.until()
            return
        self._heard(reply)
        if reply.status == 304:
            self._poll_later(reply)
        elif reply.status == 200 and isinstance(reply.body, dict):
            self._see(reply.body, reply)
        elif reply.status == 404:
            self._outbox.keep(code="")
            self._outside("gone-room", code)
        elif verdict(reply) == "refused":
            self._explain(reply)
            self._poll_at = time.monotonic() + REFUSED_SECONDS
        else:
            self._poll_at = self._backoff.until(retry_after_ms(reply))

    def _see(self, view: View, reply: Reply) -> None:
        """The view is on the screen, as far as it is new."""
        if self.view is None or self.view["room"]["code"] != view["room"]["code"]:
            self._shown = []
        self._outbox.keep(noted=verify.noted(view, self._outbox.state.noted))
        self.view = {**view, "noted": self._outbox.state.noted}
        self._etag = reply.headers.get("ETag")
        shown = screen.sections(self.view, self._words, self._offers)
        if news := fresh(self._shown, shown):
            self._out.show(news, self.status())
        self._shown = shown
        self._poll_later(reply)
        match, self._hurry_at = view["match"], None
        if match is not None and match["your_move"] and match["due_at"] is not None:
            left = match["due_at"] - self._clock.now() - HURRY_MS
            self._hurry_at = time.monotonic() + self._clock.seconds(left) if left > 0 else None

    def _poll_later(self, reply: Reply) -> None:
        self._backoff.over()
        told = reply.headers.get("Poll-After-Ms", "")
        wait = self._clock.seconds(int(told)) if told.isdecimal() else FIRST_WAIT_SECONDS
        self._poll_at = time.monotonic() + max(wait, BRIEFLY_SECONDS)

    def _outside(self, key: str, code: str) -> None:
        self.view, self._etag, self._shown, self._hurry_at = None, None, [], None
        self._say(key, code=code)
        self._welcome()

    # --- what is said ----------------------------------------------------------------------------

    def _welcome(self) -> None:
        self._say("welcome-outside" if self._outbox.state.name else "welcome-name")

    def _heard(self, reply: Reply | None) -> None:
        """Silence is told once, and so is its end."""
        if reply is not None:
            self._clock.heard(reply.headers)
        if self._silent != (reply is None):
            self._silent = reply is None
            self._say("no-answer" if self._silent else "answered-again", url=self._url)

    def _explain(self, reply: Reply) -> None:
        for text in lookups.refusal(reply, self._words, self._offers):
            self._out.say(text)

    def _say(self, key: str, **values: Any) -> None:
        self._out.say(self._words.text(key, **values))
