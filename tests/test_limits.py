"""How much anybody may ask for, and that the limits cost the game nothing."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.kernel.actions import MOST_IN_A_ROW, REST_SECONDS
from chalicelib.limits import ENTERED_ROOMS, GUESSES_AN_HOUR, OPEN_ROOMS, ROOMS_AN_HOUR
from infra.local import embedded
from tests.lasting import lasting
from tests.test_calls import Counted
from tests.world import AUTHORITY, DiceRoom, Person, Reply, World, event

BODY = {"game": "liars-dice", "visibility": "private", "name": "Ana"}


def create(person: Person, **how: Any) -> Reply:
    return person.send("POST", "/v1/rooms", BODY, **how)


def refused(reply: Reply, at_most: int) -> None:
    """It says when to come back."""
    assert (reply.status, reply.code) == (429, "too-many-requests"), reply.text
    assert 0 < reply.body["retry_after_ms"] <= at_most * 1_000
    assert reply.headers["Retry-After"] == str(-(-reply.body["retry_after_ms"] // 1_000))


# --- rooms ----------------------------------------------------------------------------------------


def test_so_many_rooms_an_hour_and_no_more(world: World) -> None:
    ana = world.person("Ana")
    for _ in range(ROOMS_AN_HOUR):
        assert create(ana).status == 201
    refused(create(ana), 3_600)
    assert create(world.person("Bo")).status == 201  # everybody for themselves
    world.clock.wait(3_600)
    assert create(ana).status == 201


def test_the_same_room_again_is_no_other_room(world: World) -> None:
    ana = world.person("Ana")
    code = create(ana, key="once").body["room"]["code"]
    for _ in range(ROOMS_AN_HOUR + 5):
        reply = create(ana, key="once")
        assert (reply.status, reply.body["room"]["code"]) == (201, code)
    assert create(ana).status == 201


def test_to_be_refused_and_to_insist_makes_no_room(world: World) -> None:
    ana = world.person("Ana")
    for _ in range(ROOMS_AN_HOUR):
        create(ana)
    before = len(world.rooms.items)
    for _ in range(3):
        refused(create(ana, key="insisting"), 3_600)
    assert len(world.rooms.items) == before
    world.clock.wait(3_600)
    other = BODY | {"name": "Ana the other"}
    reply = ana.send("POST", "/v1/rooms", other, key="insisting")  # it was not consumed
    assert reply.status == 201


def test_a_creation_that_died_halfway_counts_when_it_is_repeated(world: World) -> None:
    """Else whoever has the answer lost on purpose could have any number of rooms."""
    ana = world.person("Ana")
    put = world.rooms.put

    def dying(*_: Any) -> None:
        raise ConnectionError("the power is out")

    setattr(world.rooms, "put", dying)  # noqa: B010
    for number in range(ROOMS_AN_HOUR):
        assert create(ana, key=f"key-{number}").status == 500
    world.rooms.put = put  # type: ignore[method-assign]
    refused(create(ana, key="key-0"), 3_600)


def joined(world: World, person: Person, number: int) -> list[str]:
    """Codes of so many rooms that the person is in, and others too."""
    codes: list[str] = []
    while len(codes) < number:
        host = world.person(f"Host {len(world.rooms.items) // ROOMS_AN_HOUR}")
        codes.append(host.create())
        person.join(codes[-1])
    return codes


def test_so_many_rooms_open_at_once_and_no_more(world: World) -> None:
    ana, bo = world.person("Ana"), world.person("Bo")
    rooms = joined(world, ana, OPEN_ROOMS)
    code = bo.create()
    refused(create(ana), 3_600)
    refused(ana.act(code, "join", name="Ana"), 3_600)
    assert [each["name"] for each in bo.view(code)["room"]["members"]] == ["Bo"]
    ana.join(rooms[0])  # where she is already
    ana.act(rooms[-1], "leave")
    ana.join(code)
    refused(create(ana), 3_600)
    ana.act(code, "leave")
    assert create(ana).status == 201


def test_rooms_that_were_left_count_as_long_as_they_are_there(world: World) -> None:
    """They tell who has left, so whoever is to be forgotten has to be found there."""
    ana, bo = world.person("Ana"), world.person("Bo")
    rooms = joined(world, ana, OPEN_ROOMS)
    for code in rooms:
        ana.act(code, "leave")
    rooms += joined(world, ana, ENTERED_ROOMS - OPEN_ROOMS)
    refused(create(ana), 3_600)
    refused(ana.act(bo.create(), "join", name="Ana"), 3_600)
    ana.join(rooms[0])  # back into one of them
    world.clock.wait(86_400)
    assert create(ana).status == 201


def test_a_join_into_the_last_place_may_meet_conflicts(world: World) -> None:
    """The room is among hers before it says so."""
    ana, bo = world.person("Ana"), world.person("Bo")
    joined(world, ana, OPEN_ROOMS - 1)
    code = bo.create()
    world.rooms.conflicts = 3
    ana.join(code)


# --- guesses --------------------------------------------------------------------------------------


class Guesser:
    """Tries codes from an address, each time with a fresh key."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._tried = 0

    def guess(self, code: str, source: str = "192.0.2.7", kind: str = "join") -> Reply:
        self._tried += 1
        person = self.world.person(f"Guesser {self._tried}")
        path, raw = f"/v1/rooms/{code}/actions", b'{"action":{"type":"%s"}}' % kind.encode()
        headers = person.device.sign(
            "POST",
            f"https://{AUTHORITY}{path}",
            raw,
            f"key-{self._tried}",
            created=self.world.clock.real() // 1_000,
        )
        sent = event("POST", path, headers, raw)
        sent["requestContext"]["http"]["sourceIp"] = source
        return self.world.handle(sent)


def test_codes_cannot_be_guessed_without_end(world: World) -> None:
    room, guesser = DiceRoom(world, 1), Guesser(world)
    for _ in range(GUESSES_AN_HOUR):
        assert guesser.guess("ZZZZZZ").code == "not-found"
    refused(guesser.guess("ZZZZZZ"), 3_600)
    refused(guesser.guess(room.code), 3_600)  # nor does a right one say so
    assert guesser.guess(room.code, "192.0.2.8").status == 200  # another address
    world.clock.wait(3_600)
    assert guesser.guess(room.code).status == 200


def test_a_right_code_is_no_guess(world: World) -> None:
    room, guesser = DiceRoom(world, 1), Guesser(world)
    for _ in range(GUESSES_AN_HOUR + 5):
        assert guesser.guess(room.code).code in ("200", "room-full")


def test_what_cannot_be_a_code_is_no_guess_and_costs_no_call(world: World) -> None:
    guesser = Guesser(world)
    for _ in range(GUESSES_AN_HOUR + 5):
        assert guesser.guess("OIL10U").code == "not-found"
    assert world.calls() == []
    assert guesser.guess("ZZZZZZ").code == "not-found"


def test_only_a_join_tells_whether_there_is_a_room_so_only_joins_are_counted(world: World) -> None:
    room, guesser = DiceRoom(world, 1), Guesser(world)
    world.players.calls.clear()
    for code in (room.code, "ZZZZZZ"):
        for _ in range(GUESSES_AN_HOUR):
            assert guesser.guess(code, kind="observe").code == "not-found"
    assert not any(call.startswith("tall") for call in world.players.calls)


def test_a_network_of_2_to_the_64_addresses_is_one_source(world: World) -> None:
    guesser = Guesser(world)
    for number in range(GUESSES_AN_HOUR):
        assert guesser.guess("ZZZZZZ", f"2001:db8:1:2::{number + 1:x}").code == "not-found"
    refused(guesser.guess("ZZZZZZ", "2001:db8:1:2:ffff:ffff:ffff:ffff"), 3_600)
    assert guesser.guess("ZZZZZZ", "2001:db8:1:3::1").code == "not-found"


# --- actions in a row -----------------------------------------------------------------------------


def test_whoever_asks_a_room_without_end_has_to_rest(world: World) -> None:
    room = DiceRoom(world, 2)
    (guest,) = room.guests
    for number in range(MOST_IN_A_ROW - 1):  # and the join
        assert guest.act(room.code, "entropy", value=f"{number}").status == 200
    writes = sum(call.startswith("put") for call in world.rooms.calls)
    reply = guest.act(room.code, "entropy", value="more")
    refused(reply, REST_SECONDS)
    assert reply.view["you"]["player_id"] == guest.id
    assert sum(call.startswith("put") for call in world.rooms.calls) == writes
    assert guest.read(room.code).status == 200  # looking is free
    assert room.host.act(room.code, "entropy", value="x").status == 200  # and so are others
    world.clock.wait(REST_SECONDS)
    assert guest.act(room.code, "entropy", value="more").status == 200


def test_a_move_in_the_game_is_never_held_up_and_ends_the_row(world: World) -> None:
    room = DiceRoom(world, 2).start()
    turn = room.on_turn
    while turn.act(room.code, "entropy", value="x").status == 200:
        pass
    room.bid(1, 3)
    assert turn.act(room.code, "entropy", value="x").status == 200


def test_a_repeated_request_is_not_counted(world: World) -> None:
    room = DiceRoom(world, 1)
    for _ in range(MOST_IN_A_ROW + 5):
        reply = room.host.act(room.code, "entropy", value="x", how={"key": "once"})
        assert reply.status == 200


def test_no_limit_costs_a_move_a_call(moto: embedded.Locked, tables: dict[str, str]) -> None:
    client = Counted(moto)
    room = DiceRoom(lasting(client, tables), 2).start()
    turn, decision = room.on_turn, room.decision
    for number in range(10):  # refused ones, and one that is not
        client.calls.clear()
        turn.act(room.code, "bid", decision, quantity=11 if number < 9 else 1, face=3)
        assert client.calls == {"GetItem": 1} | ({} if number < 9 else {"PutItem": 1})
    client.calls.clear()
    room.host.act(room.code, "entropy", value="x")
    assert client.calls == {"GetItem": 1, "PutItem": 1}


def test_what_is_not_signed_or_goes_astray_costs_no_call(world: World) -> None:
    room = DiceRoom(world, 1)
    before = len(world.calls())
    paths = ("/v1/me", "/v1/me/rooms", "/v1/me/results", "/v1/me/export", f"/v1/rooms/{room.code}")
    for path in (*paths, f"/v1/rooms/{room.code}/matches/1"):
        assert world.send("GET", path).code == "signature-missing"
    assert world.send("DELETE", "/v1/me").code == "signature-missing"
    assert world.send("GET", "/v1/nothing").code == "not-found"
    assert world.send("GET", "/v1/players/nobody").code == "not-found"
    assert len(world.calls()) == before


# --- a host who vanishes --------------------------------------------------------------------------


def test_a_match_without_its_host_runs_to_its_end_by_itself(world: World) -> None:
    room = DiceRoom(world, 3).start()
    item = world.rooms.items
    while (wake_at := item[room.code].wake_at) is not None:
        world.clock.at = max(world.clock.at, wake_at)
        world.service.fire(room.code)
    (guest, _) = room.guests
    assert guest.view(room.code)["room"]["status"] == "finished"
    assert guest.act(room.code, "start", match=2).code == "not-host"
    assert guest.act(room.code, "claim-host").status == 200
    claim = guest.view(room.code)["room"]["claim"]
    assert claim == {"player_id": guest.id, "due_at": world.clock.now() + 60_000}
    world.clock.wait(59.999)
    assert guest.view(room.code)["room"]["host"] == room.host.id
    world.clock.wait(0.001)
    assert guest.view(room.code)["room"]["host"] == guest.id
    assert guest.act(room.code, "start", match=2).status == 200


STIRS = {
    "a poll": lambda room: room.host.read(room.code),
    "a poll that finds nothing new": lambda room: room.host.read(room.code, '"x"'),
    "an action": lambda room: room.host.act(room.code, "entropy", value="x"),
    "an action that is refused": lambda room: room.host.act(room.code, "start", match=9),
}


@pytest.mark.parametrize("how", STIRS)
def test_a_slow_host_keeps_the_room_by_any_request(world: World, how: str) -> None:
    room = DiceRoom(world, 2)
    (guest,) = room.guests
    guest.act(room.code, "claim-host")
    world.clock.wait(59)
    STIRS[how](room)
    assert guest.view(room.code)["room"]["claim"] is None
    world.clock.wait(60)
    assert guest.view(room.code)["room"]["host"] == room.host.id


@pytest.mark.parametrize("ends", ["leave", "kick"])
def test_the_rights_of_a_seat_end_with_it(world: World, ends: str) -> None:
    room = DiceRoom(world, 3).start()
    guest = next(each for each in room.guests if each is not room.on_turn)
    assert guest.view(room.code)["match"]["private"]["dice"]
    if ends == "leave":
        guest.act(room.code, "leave")
    else:
        room.host.act(room.code, "kick", player_id=guest.id)
    assert guest.read(room.code).code == "not-found"
    bid = guest.act(room.code, "bid", room.decision, quantity=1, face=3)
    assert bid.code == "not-found"
    again = guest.act(room.code, "join", name="Again")
    if ends == "kick":
        assert again.code == "not-found"
        return
    assert again.view["you"]["role"] == "observer"
    assert again.view["match"]["private"] is None
    assert guest.act(room.code, "bid", room.decision, quantity=1, face=3).code == "not-seated"
