"""How late deadlines fire with nobody polling: `python -m infra.aws.beat_load` runs the real beat
over so many live matches, by a clock that every call and the function's share of a processor move.

A match here is liar's dice for four at the shortest turns, which everybody has left alone: the most
work that a match can give a beat by deadlines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib import beat as beats
from chalicelib.games import GAMES
from chalicelib.kernel import store
from chalicelib.kernel.model import SECOND, Instant
from chalicelib.kernel.room import Room, wake_at
from chalicelib.ports import Rooms, Saving, Stored, lane_of
from chalicelib.service import CODE_LETTERS
from infra.aws import cost
from tests.fakes import FakeClock, MemoryRooms
from tests.world import DiceRoom, World

TURN_SECONDS: Final = 15
TURN_MS: Final = TURN_SECONDS * SECOND
BEAT_SECONDS: Final = 150
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

    def take_lease(self, lane: str, holder: str, since: Instant) -> None:
        self._take(self._call_ms)
        super().take_lease(lane, holder, since)

    def drop_lease(self, lane: str, holder: str) -> None:
        self._take(self._call_ms)
        super().drop_lease(lane, holder)

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


def begun(room: Room, number: int, at: Instant, lanes: int = 1) -> Saving:
    """The match in a room of its own, begun at this instant."""
    assert room.match is not None
    match = room.match.evolve(began_at=at, opened_at=at)
    other = room.evolve(code=code(number), at=at, match=match)
    expires_at = at // SECOND + 86_400
    return Saving(
        other.code,
        store.dump(other),
        other.version,
        wake_at(other, GAMES),
        expires_at,
        lane=lane_of(other.code, lanes),
    )


def fill(rooms: Rooms, count: int, begin: Instant, over_ms: int) -> None:
    """So many matches begin, evenly over that long."""
    room = abandoned()
    for number in range(count):
        at = begin + over_ms * number // count
        rooms.put(begun(room, number, at), None, begin)


def simulated(
    count: int, memory_mb: int = cost.BEAT_MB, *, lanes: int = 1, over_ms: int = TURN_MS
) -> Lateness:
    """`count` matches begin over that long, evenly, in so many lanes; the first of each lane wakes
    its beat, which is alone for all of its time."""
    late: list[int] = []
    for lane in map(str, range(lanes)):
        late += _in_lane(lane, lanes, count, memory_mb, over_ms)
    return lateness(late)


def _in_lane(lane: str, lanes: int, count: int, memory_mb: int, over_ms: int) -> list[int]:
    """How late each deadline of the lane fired. Lanes have no more in common than the store, so
    each can be looked at by itself."""
    clock = FakeClock()
    rooms = SlowRooms(clock, memory_mb)
    world = World(rooms=rooms, clock=clock, lanes=lanes)
    room = abandoned()
    for number in range(count):
        saving = begun(room, number, clock.at + over_ms * number // count, lanes)
        if saving.lane == lane:
            rooms.items[saving.code] = saving
    first = min(each.wake_at for each in rooms.items.values() if each.wake_at is not None)
    clock.wait((first - TURN_MS - clock.at + START_MS) / SECOND)
    beats.beat(world.service, lane, woken=True, seconds=BEAT_SECONDS)
    waiting = [each.wake_at for each in rooms.items.values() if each.wake_at is not None]
    overdue = [clock.at - each for each in waiting if each < clock.at]
    return [at - due_at for due_at, at in rooms.fired] + overdue


def main() -> None:
    for memory_mb, lanes, counts in (
        (128, 1, (1, 100, 200, 1_000)),
        (512, 1, (200, 400)),
        (1_769, 1, (400, 1_000)),
        (128, 10, (1_000,)),
        (128, 12, (1_000,)),
        (512, 4, (1_000,)),
    ):
        for count in counts:
            for over_ms in (TURN_MS, 0):
                found = simulated(count, memory_mb, lanes=lanes, over_ms=over_ms)
                row = {"matches": count, "memory_mb": memory_mb, "lanes": lanes, "over_ms": over_ms}
                print(json.dumps({**row, **found._asdict()}), flush=True)


if __name__ == "__main__":
    main()
