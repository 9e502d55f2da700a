"""The use cases: what a request does to the store, in which order (ARCHITECTURE 5)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from . import content, finish, limits
from .games import GAMES
from .kernel import actions, store
from .kernel.actions import Guest
from .kernel.errors import GameError, KeyReused, NotFound, StaleRequest, TooManyRequests, TryAgain
from .kernel.lobby import forgotten
from .kernel.match import AnyGame, Games
from .kernel.model import SECOND, Instant, Model
from .kernel.notices import Notice, notices
from .kernel.receipts import Receipt, Request
from .kernel.room import (
    Member,
    Room,
    Visibility,
    archived,
    awaits_archive,
    expires_at,
    reached,
    settle,
    short_id,
    touched,
    wake_at,
)
from .kernel.view import listing, poll_after_ms, view
from .ports import (
    Beat,
    Chance,
    Clock,
    Conflict,
    Created,
    Page,
    Players,
    Profile,
    Push,
    Rooms,
    Saving,
    Stored,
    lane_of,
)
from .profanity import fit_for_public
from .waking import wake

log = logging.getLogger("sobremesa")

CODE_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH: Final = 6
ATTEMPTS: Final = 40
"""Tries at one conditional write; twelve people may vote at once."""
FIRING_ATTEMPTS: Final = 3
"""The same for the beat, for which other rooms wait."""
JUST_BEGUN_MS: Final = 10_000
"""For so long a start that comes again wakes the beat again."""
BACKOFF_MS: Final = 20
STALE_AFTER_MS: Final = 5_000
ENTERED_SECONDS: Final = 30 * 86_400
"""How long a room stays among a player's, if it lives."""
ENTERING_SECONDS: Final = 60
"""By then whoever has come in is in the room: it is noted before."""
REMEMBERED_SECONDS: Final = 86_400


class Seen(NamedTuple):
    """A viewer's room: JSON text without the two moving fields, and those."""

    text: str
    etag: str
    server_now: Instant
    poll_after_ms: int
    locale: str
    """Whose words are in it."""

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
    push: Push
    lanes: int = 1
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
        guest = self._guest(request, name, locale)
        fit_for_public(visibility, guest.name)
        creation = Created(self._code(), request.body_tag)
        until = now // SECOND + REMEMBERED_SECONDS
        first = self.players.remember_creation(
            request.player, request.key_tag, creation, now, until
        )
        if first.body_tag != request.body_tag:
            raise KeyReused
        replayed = first != creation
        if replayed and self._is_made(first.code, request, now):
            return self.read(first.code, request.player, locale), True
        try:
            limits.another_room(self.players, request.player, now)
            self._not_too_many_open(request.player, first.code)
        except TooManyRequests:
            if not replayed:
                self.players.forget_creation(request.player, request.key_tag)
            raise
        for _ in range(ATTEMPTS):
            room = actions.create(
                code=first.code,
                game=game,
                settings=full,
                visibility=visibility,
                name=guest.name,
                entropy=entropy,
                locale=guest.locale,
                pushed=guest.pushed,
                request=request,
                seed=self.chance.seed(),
                now=now,
            )
            self._enter(request.player, first.code, now)
            try:
                self._save(room, None, now)
            except Conflict as conflict:
                there = conflict.current and self.load(conflict.current)
                if there is not None and there.made_by == request.key_tag:
                    return self.read(there.code, request.player, locale), replayed
                first = Created(self._code(), request.body_tag)
                self.players.renumber_creation(request.player, request.key_tag, first)
                continue
            self._unless_forgotten(first.code, request)
            return self._seen(room, room.members[0], locale, now), replayed
        raise TryAgain

    def _is_made(self, code: str, request: Request, now: Instant) -> bool:
        """The request's room is there already."""
        stored = self.rooms.get(code, now)
        return stored is not None and self.load(stored).made_by == request.key_tag

    def lobby(self, game: str | None, limit: int, cursor: str | None) -> Page:
        """Public rooms that anybody may come into."""
        return self.rooms.lobby(game, limit, cursor, self.clock.now())

    def read(self, code: str, player: str, locale: str | None) -> Seen:
        """The caller's view, after everything that is due has happened and been stored.
        Raises `NotFound` for whoever is not a member."""

        def nothing_more(room: Room, now: Instant) -> Room:
            return room

        room, now = self.change(code, nothing_more, player=player, insider=True, only_looks=True)
        me = room.member(player)
        if me is None:
            raise NotFound
        return self._seen(room, me, locale, now)

    def act(
        self, code: str, request: Request, body: Any, locale: str | None, source: str = ""
    ) -> Acted:
        """The action is in the room, once, and the room is stored. Raises `Refused`, or
        `NotFound` for whoever is not a member. `source` is where the request comes from: codes
        cannot be guessed from there without end."""
        joins = _joins(body)
        guest = self._guest_who_joins(request, body, locale) if joins else Guest("", "")
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
                if joins or body["action"]["type"] == "configure":
                    for each in accepted.room.members:
                        if each.id == request.player or not joins:
                            fit_for_public(accepted.room.visibility, each.name)
            except NotFound:  # to an outsider nothing shows, not even that something was due
                raise
            except GameError as error:
                refusal = error
                return room
            if joins and room.member(request.player) is None:
                limits.may_guess(self.players, source, now)
                self._not_too_many_open(request.player, code)
                self._enter(request.player, code, now)
            return accepted.room

        try:
            room, now = self.change(code, apply, player=request.player, insider=not joins)
        except NotFound:
            if joins and not attempts:  # whoever was kicked has guessed nothing
                limits.guessed(self.players, source, self.clock.now())
            raise
        if joins and refusal is None:
            self._unless_forgotten(code, request)
        me = room.member(request.player)
        seen = None if me is None else self._seen(room, me, locale, now)
        if refusal is not None:
            raise Refused(refusal, seen)
        assert accepted is not None
        if body["action"]["type"] == "start" and self._has_just_begun(room, now):
            self._wake(code)
        # a conflict that shows our own receipt is our own write, whose answer was lost
        return Acted(accepted.receipt, seen, accepted.replayed and attempts == 1)

    def fire(self, code: str) -> list[Notice]:
        """What was due in this room has happened and is stored, unless others write all the time:
        then they have made it happen. Returns whom that concerns, for `notify`."""
        found: list[Notice] = []

        def nothing_more(room: Room, now: Instant) -> Room:
            return room

        with suppress(NotFound, TryAgain):  # whoever is faster has made happen what was due
            self.change(code, nothing_more, attempts=FIRING_ATTEMPTS, tell=found.extend)
        return found

    def notify(self, found: Sequence[Notice]) -> None:
        """The phones of those concerned have been woken, best effort."""
        asleep = wake(self.push, self.players, found)
        for code in {each.code for each in found if each.player in asleep}:
            self._poll_often(code, asleep)

    def _has_just_begun(self, room: Room, now: Instant) -> bool:
        """A start that comes again later wakes nobody: the schedule does."""
        match = room.match
        return match is not None and now - match.began_at < JUST_BEGUN_MS * self.clock.speed

    def _wake(self, code: str) -> None:
        """After the commit, best effort; also for a start that comes again, since whoever stored
        the first may have died before waking anybody."""
        try:
            self.beating.wake(lane_of(code, self.lanes))
        except Exception:  # the start is stored: the scheduled beat comes anyway
            log.exception("the beat could not be woken")

    def change(
        self,
        code: str,
        change: Callable[[Room, Instant], Room],
        *,
        player: str = "",
        insider: bool = False,
        only_looks: bool = False,
        attempts: int = ATTEMPTS,
        tell: Callable[[Sequence[Notice]], None] | None = None,
    ) -> tuple[Room, Instant]:
        """The room after what was due and after `change`, stored unless nothing has changed; and
        when that was. `tell` is given whom it concerns; without it, their phones are woken.
        A conflict starts again from what the other writer left, at the instant received.
        `only_looks`: what could not be archived is not tried again, which polls would do too often.
        Raises `NotFound`, also if `player` must be an `insider` and was never here: found out
        before anything else, so that not even the time tells a room from none."""
        received = self.clock.now()
        stored = self.rooms.get(code, received)
        for attempt in range(attempts):
            if stored is None:
                raise NotFound
            if insider and short_id(player) not in stored.doc:
                raise NotFound
            before = self.load(stored)
            now = max(received, before.at)
            if now - received >= STALE_AFTER_MS * self.clock.speed:
                raise TryAgain
            room = settle(before, self.games, now)
            # only an end that is stored may be kept outside; one that is not comes first
            ends = awaits_archive(room, self.games) and not awaits_archive(before, self.games)
            if not ends:
                kept = room if only_looks else self._archived(room)
                room = change(touched(kept, player, now), now)
            if room.version == before.version:
                return room, now
            try:
                self._save(room, stored.version, now)
            except Conflict as conflict:
                log.info("somebody else wrote first", extra={"metric": "Conflicts"})
                stored = conflict.current
                wait = BACKOFF_MS * min(attempt + 1, 10) * self.chance.jitter()
                self.clock.pause(wait * self.clock.speed)
                continue
            self._after(before, room, player, now, tell or self.notify)
            if not ends:
                return room, now
            stored = self.rooms.get(code, received)
        raise TryAgain

    def _after(
        self,
        before: Room,
        room: Room,
        player: str,
        now: Instant,
        tell: Callable[[Sequence[Notice]], None],
    ) -> None:
        """What follows a commit, best effort: the archive, which the beat would make too, and
        push, which nobody relies on."""
        _note_broken(before, room)
        # what ended before has been tried just now
        kept = room if awaits_archive(before, self.games) else self._archived(room)
        if kept is not room:
            try:
                self._save(kept, room.version, now)
            except Conflict:  # somebody else is at it
                pass
            except Exception:  # what was asked for is stored: the rest is done again later
                log.exception("a room could not be marked as archived")
        if self.push.configured:
            tell(notices(before, room, self.games, player))

    def _poll_often(self, code: str, players: set[str]) -> None:
        """They have lost their last device: from now on they are told to ask often."""

        def mark(room: Room, now: Instant) -> Room:
            return reached(room, players, now, pushed=False)

        try:
            self.change(code, mark)
        except Exception:  # they ask, if seldom; the next notice tries again
            log.exception("a room could not note whom push no longer reaches")

    def _archived(self, room: Room) -> Room:
        """The room, its last match kept outside if that was not so yet and can be done now."""
        if not awaits_archive(room, self.games):
            return room
        try:
            finish.archive(room, self.games, self.players)
        except Exception:  # the room stays due until this succeeds: the beat repeats it
            log.exception("a finished match could not be archived")
            return room
        log.info("a match has ended", extra={"metric": "MatchesFinished"})
        return archived(room)

    def entered(self, player: str) -> dict[str, Room]:
        """The rooms that know the player, by code: who has left is told from a stranger while the
        room lives. Others are not among the player's any more."""
        now = self.clock.now()
        codes = self.players.rooms(player, limits.ENTERED_ROOMS)
        stored = self.rooms.many([*codes], now)
        entering = now // SECOND + ENTERED_SECONDS - ENTERING_SECONDS * self.clock.speed
        found = {}
        for code, until in codes.items():
            if code in stored and short_id(player) in stored[code].doc:
                found[code] = self.load(stored[code])
            elif until <= entering:
                self.players.drop_room(player, code, until)
        return found

    def _not_too_many_open(self, player: str, code: str) -> None:
        """The room may be one more of the player's: all of them can still be read at once."""
        codes = self.players.rooms(player, limits.ENTERED_ROOMS)
        if code in codes or len(codes) < limits.OPEN_ROOMS:
            return
        rooms = self.entered(player).values()
        open_ = sum(room.member(player) is not None for room in rooms)
        if open_ >= limits.OPEN_ROOMS or len(rooms) >= limits.ENTERED_ROOMS:
            raise TooManyRequests(limits.HOUR_MS)

    def _enter(self, player: str, code: str, now: Instant) -> None:
        self.players.enter(player, code, now // SECOND + ENTERED_SECONDS)

    def load(self, stored: Stored) -> Room:
        return store.load(stored.doc, self.games, stored.schema)

    def _save(self, room: Room, was: int | None, now: Instant) -> None:
        listed = listing(room, self.games)
        self.rooms.put(
            Saving(
                code=room.code,
                doc=store.dump(room),
                version=room.version,
                wake_at=wake_at(room, self.games),
                expires_at=expires_at(room),
                listing=None if listed is None else json.dumps(listed, ensure_ascii=False),
                game=room.game,
                created_at=room.created_at,
                lane=lane_of(room.code, self.lanes),
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
            poll_after_ms=poll_after_ms(room, self.games, me, now, pushed=me.pushed),
            locale=words,
        )

    def _code(self) -> str:
        return self.chance.pick(CODE_LETTERS, CODE_LENGTH)

    def _guest(self, request: Request, name: str | None, locale: str | None) -> Guest:
        """Who comes in, from the request or else from the profile. Raises `StaleRequest` if the
        player has asked since to be forgotten."""
        profile = self.players.profile(request.player)
        if _asked_before(request, profile):
            raise StaleRequest
        pushed = self.push.configured and bool(self.players.devices(request.player))
        locale = locale or profile.locale or content.LOCALES[0]
        name = name or profile.name or str(content.of_service(locale)["words"]["guest"])
        return Guest(name, locale, pushed)

    def _unless_forgotten(self, code: str, request: Request) -> None:
        """Who has just come in and asked meanwhile to be forgotten is out again, without a name.
        One of the two requests sees what the other has written."""
        if _asked_before(request, self.players.profile(request.player)):
            self.change(code, lambda room, now: forgotten(room, self.games, request.player, now))
            raise StaleRequest

    def _guest_who_joins(self, request: Request, body: Any, locale: str | None) -> Guest:
        name = body["action"].get("name")
        return self._guest(request, name if isinstance(name, str) else None, locale)


def _asked_before(request: Request, profile: Profile) -> bool:
    """It was signed before the player asked to be forgotten, or at the same time."""
    return profile.deleted_at > 0 and request.created <= profile.created


def _joins(body: Any) -> bool:
    action = body.get("action") if isinstance(body, dict) else None
    return isinstance(action, dict) and action.get("type") == "join"


def _note_broken(before: Room, after: Room) -> None:
    """A rule that failed has ended a match: somebody should look."""
    if after.match is not None and after.match.broken:
        if before.match is not None and before.match.broken:
            return
        log.error("a rule failed and ended a match of %s", after.match.game)
