"""A hundred matches live, nobody polling, one beat in real time over a real protocol."""

from __future__ import annotations

from typing import Any

from chalicelib import beat as beats
from chalicelib.adapters.system import SystemClock
from chalicelib.kernel.model import SECOND, Instant
from chalicelib.ports import Rooms, Saving
from infra.aws.beat_load import TURN_SECONDS, fill, lateness
from tests.adapters.conftest import stores_on
from tests.world import World

MATCHES = 100
OVER_MS = 8_000
"""In which all of them fall due: more a second than a hundred abandoned matches make."""


class Noting:
    """The adapter; each firing is noted: how late it was stored."""

    def __init__(self, rooms: Rooms, clock: SystemClock) -> None:
        self._rooms = rooms
        self._clock = clock
        self.due_at: dict[str, Instant] = {}
        self.late: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rooms, name)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        self._rooms.put(saving, was, now)
        if was is not None:
            self.late.append(self._clock.now() - self.due_at[saving.code])
        assert saving.wake_at is not None
        self.due_at[saving.code] = saving.wake_at


def test_95_of_100_deadlines_fire_within_a_second(ministack: Any) -> None:
    clock, stores = SystemClock(), stores_on(ministack)
    rooms = Noting(stores.rooms, clock)
    # as if they had begun a turn ago, but for the seconds that it takes to store them
    fill(rooms, MATCHES, clock.now() - (TURN_SECONDS - 5) * SECOND, OVER_MS)
    world = World(rooms=rooms, players=stores.players, clock=clock)
    beats.beat(world.service, woken=False, seconds=5 + OVER_MS / SECOND + 0.9)
    first = rooms.late[:MATCHES]
    assert len(first) == MATCHES
    assert lateness(first).within_a_second >= 0.95, lateness(first)
