"""What answers say."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict

from ..kernel.model import Instant, Model, Seat
from ..kernel.room import Status, Visibility
from .matches import Match
from .parts import DOCUMENTED, Code, GameKey, PlayerId, RoomCode, Settings


class Claim(Model):
    """Somebody asks for the host role, and gets it at `due_at` unless the host stirs."""

    player_id: PlayerId
    due_at: Instant


class Member(Model):
    """Somebody in the room. Equal names are told apart by a number in the name."""

    model_config = DOCUMENTED

    player_id: PlayerId
    name: str
    role: Literal["player", "observer"]
    seat: Seat | None
    bot: bool
    left: bool
    """Gave the seat up; the row stays while the match still shows it."""


class Room(Model):
    """What every member sees of the room."""

    model_config = DOCUMENTED

    code: RoomCode
    visibility: Visibility
    locked: bool
    game: GameKey
    """The next match's."""
    settings: Settings
    host: PlayerId | None
    status: Status
    match_number: int
    """Of the running or last match; 0 before the first."""
    next_commitment: str
    """SHA-256 of the master seed of the match to come, in hexadecimal."""
    claim: Claim | None
    members: tuple[Member, ...]


class You(Model):
    """Who is looking."""

    player_id: PlayerId
    role: Literal["player", "observer"]
    seat: Seat | None
    host: bool


class View(Model):
    """What one member sees of a room."""

    model_config = DOCUMENTED

    room: Room
    you: You
    match: Match | None
    """The running or last match; null before the first."""
    server_now: Instant
    poll_after_ms: int
    """How long a polite client waits before it asks again."""


class Receipt(Model):
    """What an accepted action leaves."""

    idempotency_key: str
    decision: int | None


class Acted(Model):
    """The receipt and the fresh view; none for whoever has left."""

    receipt: Receipt
    view: View | None


class FieldError(Model):
    """One place where a request is wrong: a JSON pointer, or `?name` of a query parameter."""

    model_config = DOCUMENTED

    pointer: str
    detail: str
    """What is expected there, in the caller's language."""


class Problem(Model):
    """Why something was refused (RFC 9457). Clients go by `code`, and show `title`."""

    model_config = DOCUMENTED

    type: str
    code: Code
    title: str
    status: int
    detail: str
    server_now: Instant
    """As the header says; but real time, which `created` goes by, with a 401."""
    errors: tuple[FieldError, ...] = ()
    retry_after_ms: int = 0
    view: View = None  # type: ignore[assignment]  # left out, never null
    """The fresh view, for members of the room only."""


class Health(Model):
    """The service is up."""

    status: Literal["ok"]
    release: str


class Document(Model):
    """An OpenAPI document."""

    model_config = ConfigDict(extra="allow")

    openapi: str


class Seats(Model):
    """How many can play."""

    min: int
    max: int


class GameSummary(Model):
    """A game, with a JSON schema of its settings."""

    game: GameKey
    name: str
    summary: str
    seats: Seats
    settings: dict[str, Any]


class Games(Model):
    """All games."""

    items: tuple[GameSummary, ...]


class Section(Model):
    """A part of a rules page."""

    number: str
    title: str
    text: str


class RulesPage(Model):
    """The rules of a game as players read them."""

    game: GameKey
    title: str
    sections: tuple[Section, ...]


class OddsTable(Model):
    """Probabilities from 0 to 1, by how many."""

    model_config = DOCUMENTED

    ones_wild: bool
    unknown_dice: int
    at_least: tuple[float, ...]
    """Of at least 1, 2, ... dice."""
    exactly: tuple[float, ...]
    """Of exactly 0, 1, ... dice."""


class Odds(Model):
    """Odds tables."""

    tables: tuple[OddsTable, ...]


class Player(Model):
    """What everybody may know of a player."""

    model_config = DOCUMENTED

    player_id: PlayerId
    name: str | None
    temple: int
    """What ranked matches of liar's dice have made of 1500: see the tag `players`."""
    provisional: bool
    """Fewer than 10 ranked matches: shown with "?"."""
    matches: int


class Me(Player):
    """The own profile."""

    locale: Literal["es", "en"] | None


class Ranked(Model):
    """A row of the ladder."""

    rank: int
    player_id: PlayerId
    name: str | None
    temple: int
    matches: int


class Leaderboard(Model):
    """A page of the ladder."""

    items: tuple[Ranked, ...]
    next_cursor: str | None


class OpenRoom(Model):
    """A public room with a seat to take."""

    code: RoomCode
    game: GameKey
    settings: Settings
    players: int
    seats: int
    host_name: str
    created_at: Instant


class Lobby(Model):
    """A page of public rooms."""

    items: tuple[OpenRoom, ...]
    next_cursor: str | None


class InboxRoom(Model):
    """A room of mine."""

    model_config = DOCUMENTED

    code: RoomCode
    game: GameKey
    status: Status
    your_move: bool
    due_at: Instant | None
    phase: str | None
    """Null where no match runs."""


class Inbox(Model):
    """My rooms; all of them at once."""

    items: tuple[InboxRoom, ...]
    next_cursor: str | None


class Result(Model):
    """What one match was for me."""

    model_config = DOCUMENTED

    ended_at: Instant
    code: RoomCode
    match: int
    game: GameKey
    status: Literal["completed", "interrupted"]
    players: int
    position: int | None
    tied: bool
    points: int | None
    temple_before: int | None
    """Null, like `temple_after`, unless the match was ranked."""
    temple_after: int | None


class Results(Model):
    """A page of results."""

    items: tuple[Result, ...]
    next_cursor: str | None


class ReportedFor(Model):
    """A report about the player: when, in days since 1970, and for what."""

    day: int
    reason: Literal["name", "conduct"]


class Export(Model):
    """All that is kept about a player: rows as they are stored, and the own rows in rooms."""

    player_id: PlayerId
    items: tuple[dict[str, Any], ...]
    rooms: tuple[dict[str, Any], ...]
    reports: tuple[ReportedFor, ...]


class Reported(Model):
    """The report is stored."""

    reported: PlayerId
