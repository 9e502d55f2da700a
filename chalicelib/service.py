"""The use cases: what a request does to the store, in which order (ARCHITECTURE 5)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from . import content
from .games import GAMES
from .kernel import actions, store
from .kernel.actions import Guest
from .kernel.errors import GameError, KeyReused, NotFound, StaleRequest, TryAgain
from .kernel.match import AnyGame, Games
from .kernel.model import SECOND, Instant, Model
from .kernel.receipts import Receipt, Request
from .kernel.room import (
    IDLE_SECONDS,
    Member,
    Room,
    Visibility,
    expires_at,
    settle,
    touched,
    wake_at,
)
from .kernel.view import poll_after_ms, view
from .ports import (
    LANE,
    Beat,
    Chance,
    Clock,
    Conflict,
    Created,
    Players,
    Profile,
    Rooms,
    Saving,
    Stored,
)

log = logging.getLogger("sobremesa")

CODE_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH: Final = 6
ATTEMPTS: Final = 40
"""Tries at one conditional write; twelve people may vote at once."""
BACKOFF_MS: Final = 20
STALE_AFTER_MS: Final = 5_000
REMEMBERED_SECONDS: Final = 86_400

BEAT_STEP_MS: Final = 1_000
"""How long a beat sleeps at most: a deadline set meanwhile is seen within that."""
BEAT_BATCH: Final = 50
IDLE_MS: Final = IDLE_SECONDS * SECOND
"""What has been due for longer belongs to a room that has expired."""
LEASE_MS: Final = 5_000
"""How often a beat says by real time that it is alive, and looks whether it still should be."""


class Seen(NamedTuple):
    """A viewer's room: JSON text without the two moving fields, and those."""

    text: str
    etag: str
    server_now: Instant
    poll_after_ms: int

    @property
    def body(self) -> str:
        """The view's JSON."""
        moving = f'"server_now":{self.server_now},"poll_after_ms":{self.poll_after_ms}'
        return f"{self.text[:-1]},{moving}}}"


class Acted(NamedTuple):
    """The answer to an accepted action; `seen` is None for whoever has left."""

    receipt: Receipt
    seen: Seen | None
    replayed: bool


class Refused(Exception):  # names what happened
    """A refusal, with the fresh view of a member."""

    def __init__(self, error: GameError, seen: Seen | None) -> None:
        super().__init__(error.code)
        self.error = error
        self.seen = seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The use cases over one set of ports."""

    rooms: Rooms
    players: Players
    clock: Clock
    chance: Chance
    beating: Beat
    games: Games = field(default_factory=lambda: GAMES)

    # --- rooms ---------------------------------------------------------------------------------

    def create(
        self,
        request: Request,
        *,
        game: str,
        settings: Mapping[str, Any],
        visibility: Visibility,
        name: str | None,
        entropy: str,
        locale: str | None,
    ) -> tuple[Seen, bool]:
        """The caller hosts a new room: (its view, was this key's room there already). The same
        key gives the same room for 24 h."""
        full = actions.checked_settings(self.games, game, settings)
        now = self.clock.now()
        creation = Created(self._code(), request.body_tag)
        until = now // SECOND + REMEMBERED_SECONDS
        first = self.players.remember_creation(
            request.player, request.key_tag, creation, now, until
        )
        if first.body_tag != request.body_tag:
            raise KeyReused
        guest = self._guest(request.player, name, locale)
        replayed = first != creation
        for _ in range(ATTEMPTS):
            room = actions.create(
                code=first.code,
                game=game,
                settings=full,
                visibility=visibility,
                name=guest.name,
                entropy=entropy,
                locale=guest.locale,
                request=request,
                seed=self.chance.seed(),
                now=now,
            )
            try:
                self._save(room, None, now)
            except Conflict as conflict:
                there = conflict.current and self._load(conflict.current)
                if there is not None and there.made_by == request.key_tag:
                    return self.read(there.code, request.player, locale), replayed
                first = Created(self._code(), request.body_tag)
                self.players.renumber_creation(request.player, request.key_tag, first)
                continue
            return self._seen(room, room.members[0], locale, now), replayed
        raise TryAgain

    def read(self, code: str, player: str, locale: str | None) -> Seen:
        """The caller's view, after everything that is due has happened and been stored.
        Raises `NotFound` for whoever is not a member."""

        def nothing_more(room: Room, now: Instant) -> Room:
            return room

        room, now = self._change(code, player, nothing_more)
        return self._seen(room, _member(room, player), locale, now)

    def act(self, code: str, request: Request, body: Any, locale: str | None) -> Acted:
        """The action is in the room, once, and the room is stored. Raises `Refused`, or
        `NotFound` for whoever is not a member."""
        guest = self._guest_who_joins(request.player, body, locale)
        accepted: actions.Accepted | None = None
        refusal: GameError | None = None
        attempts = 0

        def apply(room: Room, now: Instant) -> Room:
            nonlocal accepted, refusal, attempts
            attempts += 1
            accepted = refusal = None
            context = actions.Context(self.games, request, now, self.chance.seed(), guest)
            try:
                accepted = actions.act(room, context, body)
            except GameError as error:
                refusal = error
                return room
            return accepted.room

        room, now = self._change(code, request.player, apply, strangers=True)
        me = room.member(request.player)
        seen = None if me is None else self._seen(room, me, locale, now)
        if refusal is not None:
            raise Refused(refusal, seen)
        assert accepted is not None
        if body["action"]["type"] == "start":
            self._wake()
        # a conflict that shows our own receipt is our own write, whose answer was lost
        return Acted(accepted.receipt, seen, accepted.replayed and attempts == 1)

    def _wake(self) -> None:
        """After the commit, best effort; also for a start that comes again, since whoever stored
        the first may have died before waking anybody."""
        try:
            self.beating.wake()
        except Exception:  # the start is stored: the scheduled beat comes anyway
            log.exception("the beat could not be woken")

    def _change(
        self,
        code: str,
        player: str,
        change: Callable[[Room, Instant], Room],
        *,
        strangers: bool = False,
    ) -> tuple[Room, Instant]:
        """The room after what was due and after `change`, stored unless nothing has changed.
        A conflict starts again from what the other writer left, at the instant received."""
        received = self.clock.now()
        stored = self.rooms.get(code, received)
        for attempt in range(ATTEMPTS):
            if stored is None:
                raise NotFound
            before = self._load(stored)
            now = max(received, before.at)
            if now - received >= STALE_AFTER_MS * self.clock.speed:
                raise TryAgain
            room = settle(before, self.games, now)
            if room.member(player) is None and not strangers:
                raise NotFound
            room = change(touched(room, player, now), now)
            if room.version == before.version:
                return room, now
            try:
                self._save(room, stored.version, now)
                _note_broken(before, room)
            except Conflict as conflict:
                stored = conflict.current
                wait = BACKOFF_MS * min(attempt + 1, 10) * self.chance.jitter()
                self.clock.pause(wait * self.clock.speed)
                continue
            return room, now
        raise TryAgain

    def _load(self, stored: Stored) -> Room:
        return store.load(stored.doc, self.games, stored.schema)

    def _save(self, room: Room, was: int | None, now: Instant) -> None:
        self.rooms.put(
            Saving(
                code=room.code,
                doc=store.dump(room),
                version=room.version,
                wake_at=wake_at(room, self.games),
                expires_at=expires_at(room),
            ),
            was,
            now,
        )

    def _seen(self, room: Room, me: Member, locale: str | None, now: Instant) -> Seen:
        words = locale or me.locale

        def say(game: AnyGame, seen: Model) -> dict[str, Any]:
            return game.words(seen, content.of_game(game.key, words))

        text = json.dumps(
            view(room, self.games, me, say), ensure_ascii=False, separators=(",", ":")
        )
        digest = sha256(f"{words}\n{text}".encode()).hexdigest()[:20]
        return Seen(
            text=text,
            etag=f'W/"{room.decision}-{digest}"',
            server_now=now,
            poll_after_ms=poll_after_ms(room, self.games, me, now, pushed=False),
        )

    def _code(self) -> str:
        return self.chance.pick(CODE_LETTERS, CODE_LENGTH)

    def _guest(self, player: str, name: str | None, locale: str | None) -> Guest:
        """Who comes in, from the request or else from the profile, which costs a read."""
        if name is None or locale is None:
            profile = self.players.profile(player)
            name, locale = name or profile.name, locale or profile.locale or content.LOCALES[0]
        if name is None:
            name = str(content.of_service(locale)["words"]["guest"])
        return Guest(name, locale)

    def _guest_who_joins(self, player: str, body: Any, locale: str | None) -> Guest:
        action = body.get("action") if isinstance(body, dict) else None
        if not isinstance(action, dict) or action.get("type") != "join":
            return Guest("", "")
        name = action.get("name")
        return self._guest(player, name if isinstance(name, str) else None, locale)

    # --- players -------------------------------------------------------------------------------

    def profile(self, player: str) -> Profile:
        return self.players.profile(player)

    def change_profile(self, player: str, changes: Profile) -> Profile:
        """The profile after the change. Raises `StaleRequest` if it was signed before the last."""
        after = self.players.change_profile(player, changes)
        if after is None:
            raise StaleRequest
        return after

    # --- the beat ------------------------------------------------------------------------------

    def fire(self, code: str) -> None:
        """What was due in this room has happened and is stored."""

        def nothing_more(room: Room, now: Instant) -> Room:
            return room

        try:
            self._change(code, "", nothing_more, strangers=True)
        except NotFound:
            return

    def beat(self, *, woken: bool, seconds: float) -> int:
        """Deadlines have fired as they came: (how many rooms). Returns at once when no match is
        live or, `woken`, when another beat is alive; when a successor has taken over; else
        after `seconds` of real time."""
        real = self.clock.real
        ends_at = real() + seconds * SECOND
        holder, seen_at = self.rooms.lease(LANE)
        if woken and holder and real() - seen_at < 3 * LEASE_MS:
            return 0
        me = self.chance.pick(CODE_LETTERS, 12)
        self.rooms.take_lease(LANE, me, real())
        marked_at, fired = real(), 0
        handled: dict[str, Instant] = {}  # the index may lag, and a room that fails must wait
        while real() < ends_at:
            coming = self.rooms.due(LANE, self.clock.now() - IDLE_MS, BEAT_BATCH)
            if not coming:
                self.rooms.take_lease(LANE, "", 0)
                return fired
            now = self.clock.now()
            open_ = [(at, code) for at, code in coming if handled.get(code) != at]
            due = [(at, code) for at, code in open_ if at <= now]
            for at, code in due:
                fired += self._fired(code)
                handled[code] = at
            if not due:
                step = BEAT_STEP_MS * self.clock.speed
                self.clock.pause(min([step, *(max(1, at - now) for at, _ in open_)]))
            if real() - marked_at >= LEASE_MS:
                if self.rooms.lease(LANE)[0] not in (me, ""):
                    return fired
                self.rooms.take_lease(LANE, me, real())
                marked_at = real()
                handled.clear()
        return fired

    def _fired(self, code: str) -> bool:
        """One room that fails must not hold up the others."""
        try:
            self.fire(code)
        except Exception:  # isolated, logged, tried again
            log.exception("beat: room failed")
            return False
        return True


def _note_broken(before: Room, after: Room) -> None:
    """A rule that failed has ended a match: somebody should look."""
    if after.match is not None and after.match.broken:
        if before.match is not None and before.match.broken:
            return
        log.error("a rule failed and ended a match of %s", after.match.game)


def _member(room: Room, player: str) -> Member:
    me = room.member(player)
    assert me is not None
    return me
