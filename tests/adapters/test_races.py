"""Many at the same instant, each on a machine of its own, over one store: nobody is turned away
for it, and nothing happens twice."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from tests.adapters.conftest import Stores
from tests.fakes import FakeChance
from tests.world import DiceRoom, Person, Reply, World, together

JOINS = 12
DUPLICATES = 50


class Machines:
    """A room over a store, and as many machines as are wanted. Each has its own clock, which all
    show the same time; waiting for one's turn takes none."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._made = 0
        self.world = self.another()

    def another(self) -> World:
        self._made += 1
        chance = FakeChance(f"machine {self._made}")
        return World(rooms=self._stores.rooms, players=self._stores.players, chance=chance)

    def reached_by(self, person: Person) -> Person:
        """The same person, on a machine of their own."""
        return person.elsewhere(self.another())


@pytest.fixture
def machines(atomic_stores: Stores) -> Machines:
    return Machines(atomic_stores)


def act_at_once(machines: Machines, code: str, *acts: tuple[Person, dict[str, Any]]) -> list[Reply]:
    """What they are told who do this at the same instant."""

    ready = [(machines.reached_by(who), what) for who, what in acts]
    return together([partial(who.act, code, **what) for who, what in ready])


def codes(replies: list[Reply]) -> dict[str, int]:
    return dict(Counter(reply.code for reply in replies))


def test_twelve_joins_at_once_are_twelve_members_of_whom_six_are_seated(
    machines: Machines,
) -> None:
    room = DiceRoom(machines.world, 1)
    people = [room.host, *(machines.world.person(f"Guest {n}") for n in range(1, JOINS))]
    joins = [(person, {"kind": "join", "name": person.name}) for person in people]
    assert codes(act_at_once(machines, room.code, *joins)) == {"200": JOINS}
    view = room.host.view(room.code)
    members = view["room"]["members"]
    assert {each["player_id"] for each in members} == {person.id for person in people}
    assert len(members) == JOINS
    assert len({each["name"] for each in members}) == JOINS

    room.start()
    members = room.host.view(room.code)["room"]["members"]
    seated = [each for each in members if each["role"] == "player"]
    assert sorted(each["seat"] for each in seated) == [0, 1, 2, 3, 4, 5]
    assert len(members) == JOINS
    assert seated == members[:6]  # the earliest-joined


def test_one_action_sent_fifty_times_at_once_has_one_effect_and_fifty_equal_receipts(
    machines: Machines,
) -> None:
    room = DiceRoom(machines.world, 2).start()
    decision = room.decision
    what = {"kind": "bid", "decision": decision, "quantity": 2, "face": 3, "how": {"key": "once"}}
    replies = act_at_once(machines, room.code, *[(room.on_turn, what)] * DUPLICATES)
    assert codes(replies) == {"200": DUPLICATES}
    receipts = [reply.body["receipt"] for reply in replies]
    assert receipts == [{"idempotency_key": "once", "decision": decision}] * DUPLICATES
    assert len({reply.text for reply in replies}) == 1
    assert len(room.match["public"]["bids"]) == 1
    assert room.decision == decision + 1


def test_of_two_bids_for_one_decision_at_once_one_is_accepted_and_the_other_is_stale(
    machines: Machines,
) -> None:
    room = DiceRoom(machines.world, 2).start()
    turn, decision = room.on_turn, room.decision
    bids = [
        (turn, {"kind": "bid", "decision": decision, "quantity": quantity, "face": 3})
        for quantity in (2, 3)
    ]
    replies = act_at_once(machines, room.code, *bids)
    assert codes(replies) == {"200": 1, "stale-decision": 1}
    accepted = 2 + [reply.code for reply in replies].index("200")
    assert [bid["quantity"] for bid in room.match["public"]["bids"]] == [accepted]
    assert all(reply.view == turn.view(room.code) for reply in replies)


def test_two_starts_at_once_start_one_match(machines: Machines) -> None:
    room = DiceRoom(machines.world, 3)
    starts = [(room.host, {"kind": "start", "match": 1})] * 2
    assert codes(act_at_once(machines, room.code, *starts)) == {"200": 1, "match-running": 1}
    assert room.match["number"] == 1
    assert room.decision == 1


def test_a_turn_that_lapses_before_twenty_eyes_lapses_once(machines: Machines) -> None:
    room = DiceRoom(machines.world, 3).start()
    machines.world.clock.wait(61)
    eyes = [machines.reached_by(person) for person in room.people * 7]
    for person in eyes:
        person.world.clock.wait(61)
    replies = together([partial(who.read, room.code) for who in eyes])
    assert codes(replies) == {"200": len(eyes)}
    matches = [reply.body["match"] for reply in replies]
    assert {(match["phase"], match["decision"]) for match in matches} == {("reveal", 2)}
    assert len({str(match["public"]) for match in matches}) == 1
    assert sum(player["alive"] for player in matches[0]["public"]["players"]) == 2


def test_six_who_leave_at_once_have_all_left(machines: Machines) -> None:
    room = DiceRoom(machines.world, 6).start()
    leaves = [(person, {"kind": "leave"}) for person in room.people]
    replies = act_at_once(machines, room.code, *leaves)
    assert codes(replies) == {"200": 6}
    assert {person.read(room.code).code for person in room.people} == {"not-found"}


def test_one_room_asked_for_from_eight_machines_at_once_is_one_room(machines: Machines) -> None:
    ana = machines.world.person("Ana")
    body = {"game": "liars-dice", "visibility": "private", "name": "Ana"}
    everywhere = [machines.reached_by(ana) for _ in range(8)]
    replies = together(
        [partial(who.send, "POST", "/v1/rooms", body, key="once") for who in everywhere]
    )
    assert codes(replies) == {"201": 8}
    assert len({reply.body["room"]["code"] for reply in replies}) == 1
