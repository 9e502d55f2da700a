"""A room: its members, its lobby, its matches one after another; and what time does to it.

Everything that happens to a room is (room, command, instant) -> room. `version` counts steps, so
a settle gives the same number whoever makes it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, Literal

from pydantic import Field

from . import match as matches
from .decks import Pile
from .draws import Draws
from .match import AnyGame, Games, Match
from .model import SECOND, Instant, Model, Seat, Secret

MAX_OBSERVERS: Final = 24
MAX_KICKED: Final = 100
MAX_DEPARTED: Final = 24
CLAIM_SECONDS: Final = 60
DEPARTED_SECONDS: Final = 600
ALONE_SECONDS: Final = 3_600
IDLE_SECONDS: Final = 86_400

Status = Literal["lobby", "playing", "finished"]
Visibility = Literal["private", "public"]


class Member(Model):
    """One identity in the room, in order of joining. A leaver's row stays, `gone`, while the
    match still shows the seat."""

    id: str
    name: str
    locale: str = "es"
    """What this member reads where a request does not say."""
    observer: bool = False
    """Wants no seat."""
    seat: Seat | None = None
    """The seat in the current match, also once given up."""
    out: bool = False
    """Gave the seat up: left, was removed, or observes now."""
    gone: bool = False
    bot: bool = False
    created: int = 0
    """When the last accepted action was signed, epoch seconds by the device."""
    entropy: str = ""
    """For the next match's dice."""
    pushed: bool = False
    """Is woken by push, so may poll seldom."""
    erased: bool = False
    """Has been forgotten on demand: no result is kept."""
    busy: int = 0
    """Requests to the room in a row, without a minute's rest or a move in the game."""
    receipts: tuple[str, ...] = ()

    @property
    def human(self) -> bool:
        return not self.bot and not self.gone

    @property
    def playing_seat(self) -> Seat | None:
        """The seat whose rights this member has."""
        return None if self.out or self.gone else self.seat


class Departed(Model):
    """Somebody who left lately: late duplicates of what they sent must not count."""

    id: str
    created: int
    receipts: tuple[str, ...] = ()


class Claim(Model):
    """Somebody asks for the host role and gets it at `due_at` unless the host stirs (C-10)."""

    by: str
    due_at: Instant


class Room(Model):
    """One table. Stored as one item."""

    code: str
    version: int = 0
    at: Instant
    """The last step's instant: time never runs backwards in a room."""
    created_at: Instant
    visibility: Visibility
    locked: bool = False
    game: str
    settings: dict[str, Any]
    """The next match's, in full."""
    host: str | None
    made_by: str
    """The tag of the request that created it."""
    members: tuple[Member, ...]
    kicked: tuple[str, ...] = ()
    departed: tuple[Departed, ...] = ()
    claim: Claim | None = None
    master: Secret
    """The seed of the match to come; its commitment is public."""
    shuffle: Secret
    """What new piles are shuffled from."""
    piles: dict[str, Pile] = Field(default_factory=dict)
    bots_made: int = 0
    archived: int = 0
    """The number of the last match whose result is kept outside the room."""
    match: Match | None = None

    def member(self, player: str) -> Member | None:
        """The present member with this identity."""
        return next((each for each in self.members if each.id == player and not each.gone), None)

    def with_member(self, changed: Member) -> tuple[Member, ...]:
        """All rows, the one of the same identity replaced."""
        return tuple(changed if each.id == changed.id else each for each in self.members)

    @property
    def match_number(self) -> int:
        return 0 if self.match is None else self.match.number

    @property
    def decision(self) -> int:
        """The open or last question's number; 0 before the first match."""
        # every State has it (Game.State), which its type here does not say
        return 0 if self.match is None else self.match.state.decision  # type: ignore[attr-defined]


def master_and_shuffle(seed: bytes) -> tuple[bytes, bytes]:
    """Two seeds of which neither tells the other: the master is shown one day."""
    draws = Draws(seed)
    return draws.seed("master"), draws.seed("shuffle")


def game_of(room: Room, games: Games) -> AnyGame:
    """The game of the match if there is one, else of the lobby."""
    return games[room.game if room.match is None else room.match.game]


def status(room: Room, games: Games) -> Status:
    if room.match is None:
        return "lobby"
    return "finished" if matches.awaiting(game_of(room, games), room.match) is None else "playing"


def candidates(room: Room, games: Games) -> tuple[Member, ...]:
    """Who would be seated if a match began now: the earliest-joined who do not merely observe."""
    willing = [each for each in room.members if not each.gone and not each.observer]
    return tuple(willing[: games[room.game].seats.stop - 1])


def can_seat_one_more(room: Room, games: Games) -> bool:
    return len(candidates(room, games)) < games[room.game].seats.stop - 1


def stepped(room: Room, now: Instant, **changes: Any) -> Room:
    """`room` one step on, at `now`."""
    return room.evolve(version=room.version + 1, at=max(now, room.at), **changes)


def settle(room: Room, games: Games, now: Instant) -> Room:
    """The room after everything that was due by `now` has happened, each step at its own
    instant and in order. Settling in two goes gives the same room as in one."""
    game = game_of(room, games)
    while (step := _next(room, game)) is not None and step[0] <= now:
        at, event = step
        match = room.match
        if event is None or match is None:
            assert room.claim is not None
            room = stepped(room, at, host=room.claim.by, claim=None)
        elif event.step == "close":
            room = with_match(room, matches.close(game, match, room.code, at), at)
        else:
            assert event.seat is not None
            moved = matches.move_bot(game, match, room.code, event.seat, at)
            room = with_match(room, moved, at)
    return room


def _next(room: Room, game: AnyGame) -> tuple[Instant, matches.Due | None] | None:
    """The next step that time brings; with None for a claim that comes true."""
    event = None if room.match is None else matches.due(game, room.match, room.code)
    if room.claim is not None and (event is None or room.claim.due_at < event.at):
        return room.claim.due_at, None
    return None if event is None else (event.at, event)


def wake_at(room: Room, games: Games) -> Instant | None:
    """When time next changes this room by itself; None if it never does. A finished match stays
    due until it has been archived, so that a lost archive is made again."""
    if awaits_archive(room, games):
        return room.at
    step = _next(room, game_of(room, games))
    return None if step is None else step[0]


def awaits_archive(room: Room, games: Games) -> bool:
    """The last match is over and its result is not kept outside the room yet."""
    return room.archived < room.match_number and status(room, games) == "finished"


def archived(room: Room) -> Room:
    """The room one step on, its last match's result being kept outside."""
    return stepped(room, room.at, archived=room.match_number)


def with_match(room: Room, match: Match, now: Instant) -> Room:
    """The room one step on with its match changed; a bot that failed has lost its seat."""
    assert room.match is not None
    lost = set(room.match.bots) - set(match.bots)
    members = room.members
    if lost:
        members = tuple(
            each.evolve(out=True, gone=True) if each.bot and each.seat in lost else each
            for each in members
        )
    return stepped(room, now, match=match, members=members)


def touched(room: Room, player: str, now: Instant) -> Room:
    """The room after a request of `player`: the host's ends a claim, whatever it asks for."""
    if room.claim is None or room.host != player:
        return room
    return stepped(room, now, claim=None)


def reached(room: Room, players: Collection[str], now: Instant, *, pushed: bool) -> Room:
    """The room knows of these members whether push reaches them, or they have to ask often."""
    rows = tuple(
        each.evolve(pushed=pushed) if each.id in players and each.pushed != pushed else each
        for each in room.members
    )
    return room if rows == room.members else stepped(room, now, members=rows)


def expires_at(room: Room) -> int:
    """When the room is forgotten, epoch seconds: an hour alone in a lobby, a day otherwise."""
    alone = room.match is None and sum(each.human for each in room.members) <= 1
    return room.at // SECOND + (ALONE_SECONDS if alone else IDLE_SECONDS)


def heir(room: Room) -> str | None:
    """Who hosts when the host has left: the earliest-joined active member, else the earliest
    human who is here (C-10)."""
    here = [each for each in room.members if each.human]
    if room.match is None:
        active = [each for each in here if not each.observer]
    else:
        active = [each for each in here if each.playing_seat is not None]
    return next((each.id for each in active or here), None)


def short_id(player: str) -> str:
    """Enough of an id to know it again."""
    return player[:12]
