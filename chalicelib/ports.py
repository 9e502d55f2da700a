"""What the service needs from outside, as it says it; `adapters/` and tests provide it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .kernel.model import Instant

LANE = "0"
"""The partition of the due index that rooms are in; one holds thousands of live matches."""


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


class Profile(NamedTuple):
    """What a player chose. `created`: when the last change was signed, epoch seconds."""

    name: str | None = None
    locale: str | None = None
    created: int = 0


class Created(NamedTuple):
    """The memory of a room's creation: which room a key was given, for which body."""

    code: str
    body_tag: str


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

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        """(instant, code) of the rooms that time changes next, from `since` on, earliest first."""
        ...

    def lease(self, lane: str) -> tuple[str, Instant]:
        """(who beats, when last seen by real time); ("", 0) if nobody ever did."""
        ...

    def take_lease(self, lane: str, holder: str, seen_at: Instant) -> None:
        """`holder` beats from now on."""
        ...


class Players(Protocol):
    """What outlives rooms."""

    def profile(self, player: str) -> Profile: ...

    def change_profile(self, player: str, changes: Profile) -> Profile | None:
        """The profile after the change (None fields stay); None if a later-signed change
        has been made already."""
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

    def wake(self) -> None:
        """A beat is running soon, if none is now."""
        ...
