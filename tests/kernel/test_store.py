"""Which stored forms are read (docs/aws.md, upgrading with matches running)."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.kernel.store import SCHEMA, UPGRADES
from chalicelib.ports import Stored
from tests.fakes import MemoryRooms
from tests.world import DiceRoom, World


def test_every_earlier_form_has_its_upgrade() -> None:
    assert sorted(UPGRADES) == list(range(1, SCHEMA))


class LaterForm(MemoryRooms):
    """As a later release would have left them."""

    later = False

    def _current(self, *where: Any) -> Stored | None:
        stored = super()._current(*where)
        if stored is None or not self.later:
            return stored
        return stored._replace(schema=SCHEMA + 1)


@pytest.mark.parametrize("way", ["poll", "act"])
def test_a_later_releases_room_is_left_to_it(way: str) -> None:
    rooms = LaterForm()
    world = World(rooms=rooms)
    room = DiceRoom(world, 2).start()
    before = dict(rooms.items)
    rooms.later = True
    if way == "poll":
        reply = room.host.send("GET", f"/v1/rooms/{room.code}")
    else:
        reply = room.host.act(room.code, "bid", 1, quantity=1, face=2)
    assert (reply.status, reply.body["code"]) == (503, "try-again")
    world.clock.wait(60)
    world.service.fire(room.code)
    assert rooms.items == before
