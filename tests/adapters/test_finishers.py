"""Several at the same instant, over one store: a match is kept once, a last seat is given once, a
rematch is one."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from chalicelib.ports import Players
from tests.adapters.conftest import Stores, stores_on
from tests.fakes import FakeChance, FakeClock
from tests.lasting import RANKED, me, results
from tests.world import DiceRoom, Person, Reply, World, together

FINISHERS = 20


class Machines:
    """As many machines as are wanted over one store."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._made = 0
        self.world = self.another()

    def another(self, players: Players | None = None, later: float = 0) -> World:
        self._made += 1
        clock = FakeClock()
        clock.wait(later)
        return World(
            rooms=self.stores.rooms,
            players=players or self.stores.players,
            clock=clock,
            chance=FakeChance(f"machine {self._made}"),
        )


@pytest.fixture
def machines(ministack: Any) -> Machines:
    return Machines(stores_on(ministack))


class Broken:
    """Players of whom nothing can be kept."""

    def __init__(self, players: Players) -> None:
        self._players = players

    def __getattr__(self, name: str) -> Any:
        return getattr(self._players, name)

    def archive(self, *_: Any) -> None:
        raise ConnectionError("nobody there")


def kept_once(room: DiceRoom, loser: Person) -> None:
    for person in room.people:
        assert me(person)["matches"] == 1
        (row,) = results(person)
        assert row["temple_after"] == (1480 if person.id == loser.id else 1520)
    record = room.host.send("GET", f"/v1/rooms/{room.code}/matches/1")
    assert record.status == 200


def test_twenty_who_keep_the_same_match_at_once_count_it_once(machines: Machines) -> None:
    players: Any = Broken(machines.stores.players)
    world = machines.another(players)
    room = DiceRoom(world, 2, RANKED).start()
    (guest,) = room.guests
    assert guest.act(room.code, "leave").status == 200  # the match is over, and not kept
    assert world.service.rooms.due("0", 0, 5) != []
    beats = [machines.another().service for _ in range(FINISHERS)]
    together([partial(each.fire, room.code) for each in beats])
    assert world.service.rooms.due("0", 0, 5) == []
    room.host.world = guest.world = machines.another()
    kept_once(room, guest)


def test_twenty_who_see_a_match_end_at_once_count_it_once(machines: Machines) -> None:
    room = DiceRoom(machines.world, 2, RANKED).start()
    turn = room.on_turn
    eyes = [turn.elsewhere(machines.another(later=61 + 8 + 1)) for _ in range(FINISHERS)]
    replies = together([partial(who.read, room.code) for who in eyes])
    assert {reply.code for reply in replies} == {"200"}
    assert {reply.body["room"]["status"] for reply in replies} == {"finished"}
    kept_once(room, turn)
    assert machines.world.service.rooms.due("0", 0, 5) == []


def test_matches_that_end_at_once_with_a_player_in_common_all_count(machines: Machines) -> None:
    """Their transactions meet in one rating; each counts, at once or by the beat."""
    guests = [machines.world.person(f"Guest {number}") for number in range(4)]
    rooms = []
    for guest in guests:
        room = DiceRoom(machines.world, 1, RANKED)
        guest.join(room.code)
        room.guests.append(guest)
        rooms.append(room.start())
    leaving = [guest.elsewhere(machines.another()) for guest in guests]
    replies = together(
        [partial(who.act, room.code, "leave") for who, room in zip(leaving, rooms, strict=True)]
    )
    assert {reply.code for reply in replies} == {"200"}
    for _, code in machines.world.service.rooms.due("0", 0, 9):
        machines.world.service.fire(code)
    assert me(rooms[0].host)["matches"] == 4
    assert len(results(rooms[0].host)) == 4
    for guest in guests:
        assert me(guest)["matches"] == 1


def codes(replies: list[Reply]) -> list[str]:
    return sorted(reply.code for reply in replies)


def test_of_two_who_want_the_last_seat_one_gets_it_and_the_other_observes(
    machines: Machines,
) -> None:
    room = DiceRoom(machines.world, 5)
    two = [Person(machines.another(), name) for name in ("Zoe", "Zita")]
    replies = together([partial(who.act, room.code, "join", name=who.name) for who in two])
    assert codes(replies) == ["200", "200"]
    room.start()
    roles = [who.view(room.code)["you"]["role"] for who in two]
    assert sorted(roles) == ["observer", "player"]


def test_where_there_is_no_room_to_observe_either_the_other_finds_it_full(
    machines: Machines,
) -> None:
    room = DiceRoom(machines.world, 5)
    for number in range(24):
        person = machines.world.person(f"Eye {number}")
        person.join(room.code)
        assert person.act(room.code, "observe").status == 200
    two = [Person(machines.another(), name) for name in ("Zoe", "Zita")]
    replies = together([partial(who.act, room.code, "join", name=who.name) for who in two])
    assert codes(replies) == ["200", "room-full"]


def test_a_rematch_by_two_at_once_is_one(machines: Machines) -> None:
    """The host, and whoever the role passes to at that moment."""
    room = DiceRoom(machines.world, 3, RANKED).start()
    one, two = room.guests
    for guest in (one, two):
        guest.act(room.code, "leave")
        guest.join(room.code)
    room.host.act(room.code, "promote", player_id=one.id)
    pressing = [person.elsewhere(machines.another()) for person in (one, one, room.host)]
    replies = together([partial(who.act, room.code, "start", match=2) for who in pressing])
    assert codes(replies) == ["200", "match-running", "not-host"]
    assert room.match["number"] == 2
    again = one.act(room.code, "start", match=2)
    assert again.code == "match-running"
