"""GET /v1/me/rooms: where I sit, and where a move of mine is awaited, so that a push that was lost
stalls no match."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.limits import ENTERED_ROOMS
from infra.local import embedded
from tests.lasting import everything, lasting, wait
from tests.test_calls import Counted
from tests.world import DiceRoom, Person, World


@pytest.fixture
def client(moto: embedded.Locked) -> Counted:
    return Counted(moto)


@pytest.fixture
def world(client: Counted, tables: dict[str, str]) -> World:
    return lasting(client, tables)


def inbox(person: Person) -> list[Any]:
    reply = person.send("GET", "/v1/me/rooms")
    assert reply.status == 200, reply.text
    assert reply.body["next_cursor"] is None
    items: list[Any] = reply.body["items"]
    return items


def test_a_stranger_has_none(world: World) -> None:
    assert inbox(world.person("Sol")) == []


def test_a_lobby_is_in_it_without_a_deadline(world: World) -> None:
    room = DiceRoom(world, 2)
    for person in room.people:
        assert inbox(person) == [
            {
                "code": room.code,
                "game": "liars-dice",
                "status": "lobby",
                "your_move": False,
                "due_at": None,
                "phase": None,
            }
        ]


def test_my_move_comes_first_and_then_what_is_due_first(world: World) -> None:
    rooms = [
        DiceRoom(world, 3, {"turn_seconds": seconds}).start() for seconds in (180, 60, 30, 120, 90)
    ]
    lobby = DiceRoom(world, 2)
    for person in rooms[0].people:
        rows = inbox(person)
        mine = [row["your_move"] for row in rows]
        assert mine == sorted(mine, reverse=True)
        for yours in (True, False):
            due = [row["due_at"] for row in rows if row["your_move"] is yours]
            timed = [at for at in due if at is not None]
            assert due == sorted(timed) + [None] * (len(due) - len(timed))
        if person in lobby.people:
            assert rows[-1]["code"] == lobby.code
    moves = sum(row["your_move"] for person in rooms[0].people for row in inbox(person))
    assert moves == len(rooms)


def test_it_says_what_the_view_says(world: World) -> None:
    room = DiceRoom(world, 2).start()
    room.bid(2, 3)
    for person in room.people:
        match = person.view(room.code)["match"]
        (row,) = inbox(person)
        assert row == {
            "code": room.code,
            "game": "liars-dice",
            "status": "playing",
            "your_move": match["your_move"],
            "due_at": match["due_at"],
            "phase": match["phase"],
        }


def test_nothing_is_shown_closed_that_is_not_stored(
    world: World, client: Counted, tables: dict[str, str]
) -> None:
    room = DiceRoom(world, 3).start()
    turn = room.on_turn
    wait(world, 61)
    (row,) = inbox(turn)
    assert (row["phase"], row["your_move"]) == ("reveal", False)
    stored = client.get_item(
        TableName=tables["RoomsTable"], Key={"pk": {"S": room.code}}, ConsistentRead=True
    )["Item"]["doc"]["S"]
    assert '"kind":"timeout"' in stored


def test_it_costs_one_query_and_one_batch(world: World, client: Counted) -> None:
    room = DiceRoom(world, 2)
    for _ in range(5):
        room.host.create()
    room.start()
    client.calls.clear()
    assert len(inbox(room.host)) == 6
    assert client.calls == {"Query": 1, "BatchGetItem": 1}


def entries(client: Counted, tables: dict[str, str], person: Person) -> set[str]:
    """The codes that are kept as the person's."""
    kept = everything(client, tables["PlayersTable"])
    return {
        item["sk"]["S"].removeprefix("in/")
        for item in kept
        if item["pk"]["S"] == person.id and item["sk"]["S"].startswith("in/")
    }


def test_what_is_gone_is_asked_for_once_more_and_then_never(
    world: World, client: Counted, tables: dict[str, str]
) -> None:
    room = DiceRoom(world, 1)
    for _ in range(2):
        room.host.create()
    wait(world, 3_600)
    client.calls.clear()
    assert inbox(room.host) == []
    assert client.calls == {"Query": 1, "BatchGetItem": 1, "DeleteItem": 3}
    client.calls.clear()
    assert inbox(room.host) == []
    assert client.calls == {"Query": 1}
    assert entries(client, tables, room.host) == set()


def test_what_was_left_is_kept_until_the_room_is_gone(
    world: World, client: Counted, tables: dict[str, str]
) -> None:
    """It tells who has left, and that is to be forgotten with the rest."""
    room = DiceRoom(world, 3)
    (guest, _) = room.guests
    guest.act(room.code, "leave")
    wait(world, 3_600)
    assert inbox(guest) == []
    assert entries(client, tables, guest) == {room.code}
    wait(world, 86_400)
    assert inbox(guest) == []
    assert entries(client, tables, guest) == set()


def test_whoever_looks_while_coming_in_does_not_lose_the_room(
    world: World, client: Counted, tables: dict[str, str]
) -> None:
    """The entry is there before the room says so."""
    room = DiceRoom(world, 1)
    guest = world.person("Guest 1")
    rooms: Any = world.service.rooms
    put = rooms.put

    def slow(saving: Any, was: Any, now: Any) -> None:
        rooms.put = put
        assert inbox(guest) == []
        put(saving, was, now)

    rooms.put = slow
    guest.join(room.code)
    assert [row["code"] for row in inbox(guest)] == [room.code]


@pytest.mark.parametrize("entered", [ENTERED_ROOMS, 3 * ENTERED_ROOMS])
def test_an_inbox_reads_a_hundred_rooms_at_most(
    world: World, client: Counted, entered: int
) -> None:
    """Nobody gets to more; many requests at the same instant might."""
    room = DiceRoom(world, 1)
    for number in range(entered):
        world.service.players.enter(room.host.id, f"AA{number:04}", 1 << 40)
    client.calls.clear()
    rows = inbox(room.host)
    assert client.calls == {"Query": 1, "BatchGetItem": 1}
    assert len(rows) <= 1


def test_who_left_or_was_kicked_has_it_no_more(world: World) -> None:
    room = DiceRoom(world, 3)
    one, two = room.guests
    one.act(room.code, "leave")
    room.host.act(room.code, "kick", player_id=two.id)
    assert inbox(one) == inbox(two) == []
    one.join(room.code)
    assert len(inbox(one)) == 1


def test_a_room_that_has_expired_is_gone(world: World) -> None:
    room = DiceRoom(world, 1)
    wait(world, 3_600)
    assert inbox(room.host) == []


def test_a_room_that_cannot_be_moved_now_is_shown_open_and_holds_up_none_of_the_others(
    world: World, client: Counted
) -> None:
    room, other = DiceRoom(world, 2).start(), DiceRoom(world, 2).start()
    wait(world, 61)
    rooms: Any = world.service.rooms
    put = rooms.put

    def refused(saving: Any, was: Any, now: Any) -> None:
        put(saving, -1 if saving.code == room.code else was, now)

    rooms.put = refused
    rows = {row["code"]: row["phase"] for row in inbox(room.host)}
    assert rows == {room.code: "turn", other.code: "reveal"}


def test_a_finished_match_is_shown_as_that(world: World) -> None:
    room = DiceRoom(world, 2).start()
    room.guests[0].act(room.code, "leave")
    (row,) = inbox(room.host)
    assert (row["status"], row["your_move"], row["due_at"], row["phase"]) == (
        "finished",
        False,
        None,
        None,
    )


def test_an_observer_is_never_asked(world: World) -> None:
    room = DiceRoom(world, 2).start()
    oto = world.person("Oto")
    oto.join(room.code)
    (row,) = inbox(oto)
    assert not row["your_move"]
    assert row["phase"] == "turn"
