"""How late deadlines fire with nobody polling: `python -m infra.aws.beat_load` runs the real beat
over so many live matches, by a clock that every call and the function's share of a processor move.

A match here is liar's dice for four at the shortest turns, which everybody has left alone: the most
work that a match can give a beat by deadlines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from chalicelib import beat as beats
from chalicelib.games import GAMES
from chalicelib.kernel import store
from chalicelib.kernel.model import SECOND, Instant
from chalicelib.kernel.room import Room, wake_at
from chalicelib.ports import Rooms, Saving, Stored
from chalicelib.service import CODE_LETTERS
from infra.aws import cost
from tests.fakes import FakeClock, MemoryRooms
from tests.world import DiceRoom, World

TURN_SECONDS: Final = 15
START_MS: Final = 1_500
"""From a match's start until the beat that it wakes asks for the first time: a cold start."""


class Lateness(NamedTuple):
    """Of all deadlines that fell due, in milliseconds."""

    deadlines: int
    median: int
    of_95: int
    """95 of 100 were not later."""
    within_a_second: float
    """Which part of all."""
    most: int


def lateness(late: Sequence[int]) -> Lateness:
    """Never empty."""
    ordered = sorted(late)
    count = len(ordered)
    good = sum(each <= SECOND for each in ordered) / count
    return Lateness(
        count, ordered[count // 2], ordered[min(count - 1, count * 95 // 100)], good, ordered[-1]
    )


class SlowRooms(MemoryRooms):
    """Every call takes its time, and each firing is noted: (due, stored)."""

    def __init__(self, clock: FakeClock, memory_mb: int) -> None:
        super().__init__()
        self._clock = clock
        measured = cost.measured()
        share = cost.PROCESSOR_MB / memory_mb
        self._call_ms = measured["call_ms"] * share + cost.CALL_MS
        self._step_ms = measured["handler_ms"]["fire"] * share
        self.fired: list[tuple[Instant, Instant]] = []

    def get(self, code: str, now: Instant) -> Stored | None:
        self._take(self._call_ms + self._step_ms)
        return super().get(code, now)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        due_at = self.items[saving.code].wake_at
        self._take(self._call_ms)
        super().put(saving, was, now)
        if due_at is not None and saving.wake_at != due_at:
            self.fired.append((due_at, self._clock.at))

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        self.calls.clear()
        self._take(self._call_ms)
        return super().due(lane, since, limit)

    def lease(self, lane: str) -> tuple[str, Instant]:
        self._take(self._call_ms)
        return super().lease(lane)

    def take_lease(self, lane: str, holder: str, seen_at: Instant) -> None:
        self._take(self._call_ms)
        super().take_lease(lane, holder, seen_at)

    def _take(self, milliseconds: float) -> None:
        self._clock.wait(milliseconds / SECOND)


def abandoned() -> Room:
    """A match of four that has just begun."""
    room = DiceRoom(World(), 4, {"turn_seconds": TURN_SECONDS}).start()
    return store.load(room.world.rooms.items[room.code].doc, GAMES)


def code(number: int) -> str:
    """A room's code, another for each number."""
    letters = []
    for _ in range(6):
        number, letter = divmod(number, len(CODE_LETTERS))
        letters.append(CODE_LETTERS[letter])
    return "".join(letters)


def begun(room: Room, number: int, at: Instant) -> Saving:
    """The match in a room of its own, begun at this instant."""
    assert room.match is not None
    match = room.match.evolve(began_at=at, opened_at=at)
    other = room.evolve(code=code(number), at=at, match=match)
    expires_at = at // SECOND + 86_400
    return Saving(other.code, store.dump(other), other.version, wake_at(other, GAMES), expires_at)


def fill(rooms: Rooms, count: int, begin: Instant, over_ms: int) -> None:
    """So many matches begin, evenly over that long."""
    room = abandoned()
    for number in range(count):
        at = begin + over_ms * number // count
        rooms.put(begun(room, number, at), None, begin)


def simulated(count: int, memory_mb: int = cost.BEAT_MB, seconds: float = 150) -> Lateness:
    """`count` matches begin over as long as a turn takes; the first wakes the beat, which is
    alone for all of its time."""
    clock = FakeClock()
    rooms = SlowRooms(clock, memory_mb)
    room = abandoned()
    for number in range(count):
        saving = begun(room, number, clock.at + TURN_SECONDS * SECOND * number // count)
        rooms.items[saving.code] = saving
    world = World(rooms=rooms, clock=clock)
    clock.wait(START_MS / SECOND)
    beats.beat(world.service, woken=True, seconds=seconds)
    waiting = [each.wake_at for each in rooms.items.values() if each.wake_at is not None]
    overdue = [clock.at - each for each in waiting if each < clock.at]
    return lateness([at - due_at for due_at, at in rooms.fired] + overdue)


def main() -> None:
    rows: list[dict[str, Any]] = []
    for memory_mb in (128, 256, 512, 1_769):
        for count in (1, 100, 200, 400, 1_000, 2_000):
            found = simulated(count, memory_mb)
            rows.append({"matches": count, "memory_mb": memory_mb, **found._asdict()})
            print(json.dumps(rows[-1]))


if __name__ == "__main__":
    main()
