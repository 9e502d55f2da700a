"""What the service needs from outside, as it says it; `adapters/` and tests provide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from zlib import crc32

from .kernel.model import Instant
from .ratings import Rating

FIRST_LANE = "0"


def lane_of(code: str, lanes: int) -> str:
    """The part of the due index that the room is in: a number below `lanes`, so that a beat of its
    own looks after as many rooms as it can bear."""
    return str(crc32(code.encode()) % lanes)


class Stored(NamedTuple):
    """A room as it is in the store."""

    doc: str
    version: int
    schema: int


class Saving(NamedTuple):
    """A room as it is to be in the store."""

    code: str
    doc: str
    version: int
    wake_at: Instant | None
    expires_at: int
    """Epoch seconds."""
    listing: str | None = None
    """JSON for the public list; None keeps the room off it."""
    game: str = ""
    created_at: Instant = 0
    lane: str = FIRST_LANE


class Profile(NamedTuple):
    """A player. `created`: when the last change was signed, epoch seconds; `deleted_at`: when
    the player was last forgotten, by the rooms' clock."""

    name: str | None = None
    locale: str | None = None
    created: int = 0
    rating: Rating = Rating()
    deleted_at: Instant = 0

    @property
    def known(self) -> bool:
        """Something is kept of the player, besides the memory of having been forgotten."""
        return self.name is not None or self.locale is not None or self.rating != Rating()


class Created(NamedTuple):
    """The memory of a room's creation: which room a key was given, for which body."""

    code: str
    body_tag: str


class Device(NamedTuple):
    """Where push reaches a player: `endpoint` is the push service's name for it."""

    device: str
    platform: str
    endpoint: str


class Result(NamedTuple):
    """What one match was for one player."""

    player: str
    ended_at: Instant
    code: str
    match: int
    game: str
    status: str
    players: int
    position: int | None
    tied: bool
    points: int | None
    before: Rating | None
    after: Rating | None
    """Both None unless the match was rated."""


class Finish(NamedTuple):
    """A finished match as it is kept: all of it at once, or nothing."""

    code: str
    created_at: Instant
    """The room's: codes come back one day."""
    match: int
    began_at: Instant
    ended_at: Instant
    record: str
    """JSON for the match's members."""
    results: tuple[Result, ...]
    pair: str | None
    """Two rated players and the day, as one opaque name, where a limit holds."""


class Gone(Exception):  # names what happened
    """A player has been forgotten meanwhile."""

    def __init__(self, player: str) -> None:
        super().__init__("forgotten meanwhile")
        self.player = player


class PairLimit(Exception):  # names what happened
    """These two have had their rated matches of the day."""


class Moved(Exception):  # names what happened
    """A rating has changed since it was read; nothing was written."""


class Page(NamedTuple):
    """Some of a list, and where it goes on."""

    items: list[dict[str, Any]]
    cursor: str | None


class Conflict(Exception):  # names what happened
    """Somebody else wrote first; nothing was written. `current` is the room as it is now."""

    def __init__(self, current: Stored | None) -> None:
        super().__init__("somebody else wrote first")
        self.current = current


class Rooms(Protocol):
    """One item a room; every write is conditional."""

    def get(self, code: str, now: Instant) -> Stored | None:
        """The room as last written; None if there is none or it has expired by `now`."""
        ...

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        """Stored, if its version is still `was`; None: if there is no such room.
        Raises `Conflict`."""
        ...

    def many(self, codes: Sequence[str], now: Instant) -> dict[str, Stored]:
        """Those of the rooms that there are."""
        ...

    def lobby(self, game: str | None, limit: int, cursor: str | None, now: Instant) -> Page:
        """Rooms on the public list, newest first within a game; a page may be short, but for the
        last. Raises `ValueError` for a cursor that was not given out."""
        ...

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        """(instant, code) of the lane's rooms that time changes next, from `since` on, earliest
        first."""
        ...

    def lease(self, lane: str) -> tuple[str, Instant]:
        """(who is in charge of the lane, since when by real time); ("", 0) if nobody is."""
        ...

    def take_lease(self, lane: str, holder: str, since: Instant) -> None:
        """`holder` is in charge from now on."""
        ...

    def drop_lease(self, lane: str, holder: str) -> None:
        """Nobody is in charge, if it was `holder`."""
        ...


class Players(Protocol):
    """What outlives rooms."""

    def profile(self, player: str) -> Profile:
        """Empty for somebody who has never said or done anything that lasts."""
        ...

    def profiles(self, players: Sequence[str]) -> dict[str, Profile]: ...

    def change_profile(self, player: str, changes: Profile) -> Profile | None:
        """The profile after the change of name, locale and `created` (None fields stay); None if
        a later-signed change has been made already, or it was forgotten in the same second."""
        ...

    def remember_creation(
        self, player: str, key_tag: str, creation: Created, now: Instant, expires_at: int
    ) -> Created:
        """What `key_tag` was first used for: `creation`, unless there was one before that has
        not expired by `now`. `expires_at` is in epoch seconds."""
        ...

    def renumber_creation(self, player: str, key_tag: str, creation: Created) -> None:
        """The room's code has changed, since the first one was taken."""
        ...

    def forget_creation(self, player: str, key_tag: str) -> None:
        """The key has created nothing."""
        ...

    def tally(self, whose: str, what: str, expires_at: int) -> int:
        """How often this has happened, this time included."""
        ...

    def tallied(self, whose: str, what: str) -> int:
        """How often this has happened."""
        ...

    def enter(self, player: str, code: str, expires_at: int) -> None:
        """The room is among the player's, whatever becomes of it."""
        ...

    def rooms(self, player: str, most: int) -> dict[str, int]:
        """Rooms that the player has come into lately, so many at most; some may be gone. Code ->
        until when it is among them, epoch seconds."""
        ...

    def drop_room(self, player: str, code: str, until: int) -> None:
        """The room is not among the player's, unless it is for longer than `until`: then it has
        been come into since."""
        ...

    def archive(self, finish: Finish) -> None:
        """The match is kept, with all its results and ratings, if it was not before. Raises
        `Moved`, `Gone` or `PairLimit`; then nothing has changed."""
        ...

    def archived(self, code: str, match: int) -> list[str]:
        """Records kept under this room's code and number, latest room first."""
        ...

    def results(self, player: str, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises `ValueError` for a cursor that was not given out."""
        ...

    def ladder(self, limit: int, cursor: str | None) -> Page:
        """TEMPLE, best first. Raises `ValueError` for a cursor that was not given out."""
        ...

    def devices(self, player: str) -> list[Device]: ...

    def put_device(self, player: str, device: Device) -> None: ...

    def drop_device(self, player: str, device: str) -> Device | None:
        """The device is gone; what it was, if it was there."""
        ...

    def release(self, player: str, device: Device) -> bool:
        """The player's device is not reached at its endpoint any more; whether nobody's is."""
        ...

    def report(self, player: str, tag: str, report: Mapping[str, Any]) -> bool:
        """Kept and counted; False if the same tag was before."""
        ...

    def reports(self, player: str) -> list[dict[str, Any]]:
        """What is kept of them, without saying who reported."""
        ...

    def everything(self, player: str) -> list[dict[str, Any]]:
        """All that is kept under the player's id."""
        ...

    def bury(self, player: str, now: Instant, created: int, expires_at: int) -> bool:
        """The profile is nothing but the memory of having been forgotten. False if a later-signed
        change has been made already."""
        ...

    def erase(self, player: str) -> None:
        """All else that is kept under the player's id is gone."""
        ...


class Clock(Protocol):
    """Time as rooms see it. It may run faster than real time; signatures use real time."""

    speed: int

    def now(self) -> Instant: ...

    def real(self) -> Instant:
        """Epoch milliseconds by real time."""
        ...

    def pause(self, milliseconds: float) -> None:
        """Returns after that long by this clock."""
        ...


class Chance(Protocol):
    """Randomness from outside."""

    def seed(self) -> bytes:
        """256 fresh bits."""
        ...

    def pick(self, items: str, k: int) -> str:
        """`k` characters of `items`."""
        ...

    def jitter(self) -> float:
        """From 0 up to 1."""
        ...


class Beat(Protocol):
    """The heart that fires deadlines."""

    def wake(self, lane: str) -> None:
        """A beat of the lane is running soon, if none is now."""
        ...

    def relieve(self, lane: str) -> None:
        """A beat of the lane is running soon, and takes over from the one that may be now."""
        ...


class Push(Protocol):
    """Mobile push."""

    configured: bool

    def register(self, platform: str, token: str) -> str | None:
        """The endpoint for this token; None if this platform is not configured."""
        ...

    def forget(self, endpoint: str) -> None: ...

    def send(self, endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        """False if the endpoint is dead and should be dropped."""
        ...
