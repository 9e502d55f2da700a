"""The same request again returns the first answer and changes nothing (C-5), whatever was lost
on the way; and a late duplicate does not undo what came after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.ports import FIRST_LANE
from infra.local.embedded import Locked
from tests.fakes import FakeBeat, FakeChance, FakeClock, LostResponse
from tests.world import DiceRoom, Person, Reply, World, room_doc, together

REPLAYED = "Idempotency-Replayed"


@pytest.fixture
def room(world: World) -> DiceRoom:
    """A match of three that has just begun."""
    return DiceRoom(world, 3).start()


def bid(who: Person, room: DiceRoom, decision: int, **how: Any) -> Reply:
    return who.act(room.code, "bid", decision, quantity=2, face=3, how=how)


# --- the same again -----------------------------------------------------------------------------


def test_the_first_status_and_receipt_come_again_with_a_fresh_view(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    first = bid(turn, room, decision, key="once")
    room.bid(3, 3)  # the next one goes on
    again = bid(turn, room, decision, key="once")
    assert (again.status, again.body["receipt"]) == (first.status, first.body["receipt"])
    assert first.body["receipt"] == {"idempotency_key": "once", "decision": decision}
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert again.view == turn.view(room.code)
    assert len(again.view["match"]["public"]["bids"]) == 2


def test_it_writes_nothing(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    bid(turn, room, decision, key="once")
    before = room.world.stored()
    for _ in range(3):
        assert bid(turn, room, decision, key="once").status == 200
    assert room.world.stored() == before


def test_it_may_be_signed_anew(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    bid(turn, room, decision, key="once")
    room.world.clock.wait(10)
    assert bid(turn, room, decision, key="once").headers[REPLAYED] == "true"


def test_quotes_around_the_key_do_not_make_it_another(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    first = bid(turn, room, decision, key='"once"')
    assert first.body["receipt"]["idempotency_key"] == "once"
    assert bid(turn, room, decision, key="once").headers[REPLAYED] == "true"


def test_another_body_under_the_same_key_is_refused(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    bid(turn, room, decision, key="once")
    before = room.world.stored()
    other = turn.act(room.code, "bid", decision, quantity=9, face=3, how={"key": "once"})
    assert f"{other.status} {other.code}" == "422 idempotency-key-reused"
    assert room.world.stored() == before


def test_the_same_body_means_the_same_bytes(room: DiceRoom) -> None:
    turn, raw = room.on_turn, b'{"action":{"type":"entropy","value":"a"}}'
    assert turn.send("POST", room.path, raw=raw, key="once").status == 200
    spaced = turn.send("POST", room.path, raw=raw + b" ", key="once")
    assert spaced.code == "idempotency-key-reused"


def test_another_players_same_key_is_another(room: DiceRoom) -> None:
    for person in room.people:
        reply = person.act(room.code, "entropy", value="a", how={"key": "once"})
        assert reply.status == 200
        assert REPLAYED not in reply.headers


def test_the_same_key_in_another_room_is_another(room: DiceRoom) -> None:
    other = DiceRoom(room.world, 3)
    for code in (room.code, other.code):
        reply = room.host.act(code, "entropy", value="a", how={"key": "once"})
        assert REPLAYED not in reply.headers


def test_a_refusal_does_not_consume_the_key(room: DiceRoom) -> None:
    waiting, turn = room.waiting, room.on_turn
    decision = room.decision
    assert bid(waiting, room, decision, key="once").code == "not-your-turn"
    bid(turn, room, decision)
    second = bid(room.on_turn, room, room.decision, key="once")
    assert second.code == "illegal-action"
    third = room.on_turn.act(
        room.code, "bid", room.decision, quantity=5, face=3, how={"key": "once"}
    )
    assert third.status == 200
    assert REPLAYED not in third.headers


def test_the_last_three_receipts_are_kept(world: World) -> None:
    host, code = world.person("Ana"), world.person("Ana").create()
    for number in range(4):
        host.act(code, "entropy", value=f"{number}", how={"key": f"key-{number}"})
    replayed = [
        REPLAYED
        in host.act(code, "entropy", value=f"{number}", how={"key": f"key-{number}"}).headers
        for number in (3, 2, 1)
    ]
    assert replayed == [True, True, True]


def test_a_replay_in_the_reveal_gives_the_reveal(room: DiceRoom) -> None:
    decision, turn = room.decision, room.on_turn
    bid(turn, room, decision, key="once")
    room.world.clock.wait(61)
    again = bid(turn, room, decision, key="once")
    assert again.headers[REPLAYED] == "true"
    assert again.view["match"]["phase"] == "reveal"


def test_a_leave_again_gives_its_receipt_and_no_view(room: DiceRoom) -> None:
    guest = room.guests[0]
    first = guest.act(room.code, "leave", how={"key": "once"})
    assert first.body == {"receipt": {"idempotency_key": "once", "decision": None}, "view": None}
    again = guest.act(room.code, "leave", how={"key": "once"})
    assert (again.status, again.text) == (first.status, first.text)
    assert again.headers[REPLAYED] == "true"
    assert guest.act(room.code, "leave").code == "not-found"


def test_a_start_again_starts_nothing(world: World) -> None:
    room = DiceRoom(world, 2)
    for _ in range(3):
        reply = room.host.act(room.code, "start", match=1, how={"key": "once"})
        assert reply.status == 200
    assert room.match["number"] == 1


# --- a room again -------------------------------------------------------------------------------

ROOM = {"game": "liars-dice", "visibility": "private", "name": "Ana"}


def make(who: Person, key: str = "once", **changes: Any) -> Reply:
    return who.send("POST", "/v1/rooms", ROOM | changes, key=key)


def test_a_room_asked_for_twice_is_one_room(world: World) -> None:
    ana = world.person("Ana")
    first, again = make(ana), make(ana)
    assert (first.status, again.status) == (201, 201)
    assert first.body == again.body
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert len(world.rooms.items) == 1


def test_a_room_asked_for_again_is_shown_as_it_is_now(world: World) -> None:
    room = DiceRoom(world, 1)
    ana = room.host
    code = make(ana).body["room"]["code"]
    world.person("Bo").join(code)
    ana.act(code, "start", match=1)
    world.clock.wait(61)
    again = make(ana)
    assert again.body == ana.view(code)
    assert again.body["match"]["phase"] == "reveal"


def test_another_room_under_the_same_key_is_refused(world: World) -> None:
    ana = world.person("Ana")
    make(ana)
    before = world.stored()
    other = make(ana, visibility="public")
    assert f"{other.status} {other.code}" == "422 idempotency-key-reused"
    assert world.stored() == before


def test_two_people_with_the_same_key_have_two_rooms(world: World) -> None:
    codes = {make(world.person(name)).body["room"]["code"] for name in ("Ana", "Bo")}
    assert len(codes) == 2


def test_a_refused_room_does_not_consume_the_key(world: World) -> None:
    ana = world.person("Ana")
    assert make(ana, game="chess").code == "bad-request"
    assert make(ana, settings={"bullets": 9}).code == "bad-request"
    assert make(ana).status == 201


def test_a_room_whose_maker_died_between_memory_and_room_is_made_by_the_retry(
    world: World,
) -> None:
    ana = world.person("Ana")

    def dies() -> None:
        raise ConnectionError("the machine is gone")

    world.rooms.before_put = [dies]
    assert make(ana).status == 500
    assert world.rooms.items == {}
    code = make(ana).body["room"]["code"]
    assert [code] == [made.code for made, _ in world.players.made.values()] == [*world.rooms.items]
    assert make(ana).body["room"]["code"] == code


@pytest.mark.parametrize("losing", ["retried", "lost"])
def test_a_room_whose_answer_was_lost_is_still_one_room(world: World, losing: str) -> None:
    ana = world.person("Ana")
    world.rooms.losing = [losing]
    first = make(ana)
    assert first.status == (201 if losing == "retried" else 500)
    again = make(ana)
    assert again.status == 201
    assert [again.body["room"]["code"]] == [*world.rooms.items]


def test_a_code_that_is_taken_is_drawn_again_and_remembered(world: World) -> None:
    ana, bo = world.person("Ana"), world.person("Bo")
    taken = make(bo).body["room"]["code"]
    rigged = World(
        rooms=world.rooms, players=world.players, clock=world.clock, chance=FakeChance()
    )  # draws what was drawn for Bo
    mine = make(ana.elsewhere(rigged)).body["room"]["code"]
    assert mine != taken
    assert make(ana).body["room"]["code"] == mine
    assert bo.view(taken)["you"]["host"]


def test_the_memory_of_a_room_ends_after_a_day(world: World) -> None:
    ana = world.person("Ana")
    make(ana)
    world.clock.wait(86_401)
    fresh = make(ana, visibility="public")
    assert fresh.status == 201, fresh.text
    assert REPLAYED not in fresh.headers


def test_a_room_asked_for_by_eight_at_once_is_one_room(world: World) -> None:
    machines = [
        World(
            rooms=world.rooms, players=world.players, clock=world.clock, chance=FakeChance(f"{n}")
        )
        for n in range(8)
    ]
    calls = [lambda world=world: make(world.person("Ana")) for world in machines]
    replies = together(calls)
    assert [reply.status for reply in replies] == [201] * 8
    assert {reply.body["room"]["code"] for reply in replies} == set(world.rooms.items)
    assert len(world.rooms.items) == 1


# --- order --------------------------------------------------------------------------------------


def test_a_late_duplicate_of_a_leave_does_not_undo_a_rejoin(world: World) -> None:
    room = DiceRoom(world, 2)
    guest = room.guests[0]
    leave = {"key": "leave", "created": world.clock.real() // 1_000}
    assert guest.act(room.code, "leave", how=leave).status == 200
    world.clock.wait(2)
    guest.join(room.code)
    for value in "abc":  # until no receipt of the leave can be there
        world.clock.wait(2)
        guest.act(room.code, "entropy", value=value)
    late = guest.act(room.code, "leave", how=leave)
    assert f"{late.status} {late.code}" == "409 stale-request"
    assert guest.read(room.code).status == 200


def test_not_even_when_both_were_signed_in_the_same_second(world: World) -> None:
    room = DiceRoom(world, 2)
    guest = room.guests[0]
    assert guest.act(room.code, "leave", how={"key": "leave"}).status == 200
    guest.join(room.code)
    late = guest.act(room.code, "leave", how={"key": "leave"})
    assert (late.status, late.headers.get(REPLAYED)) == (200, "true")
    assert guest.read(room.code).status == 200


def test_a_late_duplicate_of_a_join_does_not_undo_a_leave(world: World) -> None:
    room = DiceRoom(world, 1)
    guest = world.person("Guest")
    join = {"key": "join", "created": world.clock.real() // 1_000}
    guest.act(room.code, "join", name="Guest", how=join)
    for value in "ab":
        world.clock.wait(2)
        guest.act(room.code, "entropy", value=value)
    world.clock.wait(2)
    guest.act(room.code, "leave")
    late = guest.act(room.code, "join", name="Guest", how=join)
    assert f"{late.status} {late.code}" == "409 stale-request"
    assert guest.read(room.code).code == "not-found"


def test_what_was_signed_earlier_is_stale_and_in_the_same_second_is_not(room: DiceRoom) -> None:
    host, now = room.host, room.world.clock.real() // 1_000
    host.act(room.code, "entropy", value="a", how={"created": now})
    assert host.act(room.code, "entropy", value="b", how={"created": now}).status == 200
    before = room.world.stored()
    late = host.act(room.code, "entropy", value="c", how={"created": now - 1})
    assert late.code == "stale-request"
    assert room.world.stored() == before


def test_a_refused_request_does_not_make_earlier_ones_stale(room: DiceRoom) -> None:
    waiting, now = room.waiting, room.world.clock.real() // 1_000
    assert bid(waiting, room, room.decision, created=now + 20).code == "not-your-turn"
    assert waiting.act(room.code, "entropy", value="a", how={"created": now}).status == 200


def test_a_late_change_of_profile_is_stale(world: World) -> None:
    ana, now = world.person("Ana"), world.clock.real() // 1_000
    assert ana.send("PATCH", "/v1/me", {"name": "Ana"}, created=now).status == 200
    late = ana.send("PATCH", "/v1/me", {"name": "Ann"}, created=now - 1)
    assert f"{late.status} {late.code}" == "409 stale-request"
    assert ana.send("GET", "/v1/me").body["name"] == "Ana"


# --- lost on the way ----------------------------------------------------------------------------


class Retrying:
    """A client whose next write loses its answer, so that the SDK sends it a second time."""

    def __init__(self, client: Locked) -> None:
        self._client = client
        self.exceptions = client.exceptions
        self.losing = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name == "put_item" and self.losing:
            self.losing -= 1
            return lambda **arguments: (call(**arguments), call(**arguments))[1]
        return call


class Flaky:
    """A match over DynamoDB by a client that can lose answers."""

    def __init__(self, moto: Locked, tables: Mapping[str, str]) -> None:
        self.client = Retrying(moto)
        self.beating = FakeBeat()
        self.world = World(
            rooms=DynamoRooms(self.client, tables["RoomsTable"]),
            players=DynamoPlayers(self.client, tables["PlayersTable"]),
            beating=self.beating,
            clock=FakeClock(),
        )
        self.room = DiceRoom(self.world, 3)


@pytest.fixture
def flaky(moto: Locked, tables: Mapping[str, str]) -> Flaky:
    return Flaky(moto, tables)


def test_a_write_that_fails_on_itself_returns_the_receipt(flaky: Flaky) -> None:
    room = flaky.room.start()
    decision, turn = room.decision, room.on_turn
    flaky.client.losing = 1
    reply = bid(turn, room, decision, key="once")
    assert flaky.client.losing == 0
    assert reply.status == 200
    assert reply.body["receipt"] == {"idempotency_key": "once", "decision": decision}
    assert REPLAYED not in reply.headers
    assert len(reply.view["match"]["public"]["bids"]) == 1
    assert reply.view["match"]["decision"] == decision + 1
    assert bid(turn, room, decision, key="once").headers[REPLAYED] == "true"


def test_a_leave_that_fails_on_itself_returns_the_receipt(flaky: Flaky) -> None:
    room = flaky.room.start()
    flaky.client.losing = 1
    reply = room.guests[0].act(room.code, "leave", how={"key": "once"})
    assert reply.body["receipt"]["idempotency_key"] == "once"
    assert reply.body["view"] is None


def test_a_start_that_fails_on_itself_still_wakes_the_beat(flaky: Flaky) -> None:
    flaky.client.losing = 1
    flaky.room.start()
    assert flaky.beating.woken == [FIRST_LANE]


def test_a_room_that_fails_on_itself_is_one_room(flaky: Flaky) -> None:
    ana = flaky.world.person("Ana")
    flaky.client.losing = 2  # its memory and itself
    first = make(ana)
    assert flaky.client.losing == 0
    assert first.status == 201
    assert make(ana).body["room"]["code"] == first.body["room"]["code"]


def test_an_answer_that_is_lost_for_good_is_a_500_and_the_retry_returns_the_receipt(
    room: DiceRoom, caplog: pytest.LogCaptureFixture
) -> None:
    decision, turn = room.decision, room.on_turn
    room.world.rooms.losing = ["lost"]
    lost = bid(turn, room, decision, key="once")
    assert f"{lost.status} {lost.code}" == "500 internal"
    assert LostResponse.__name__ in caplog.text
    again = bid(turn, room, decision, key="once")
    assert again.headers[REPLAYED] == "true"
    assert len(again.view["match"]["public"]["bids"]) == 1


def test_a_start_whose_answer_is_lost_for_good_wakes_the_beat_when_it_comes_again(
    world: World,
) -> None:
    room = DiceRoom(world, 2)
    world.rooms.losing = ["lost"]
    assert room.host.act(room.code, "start", match=1, how={"key": "once"}).status == 500
    assert room.host.act(room.code, "start", match=1, how={"key": "once"}).status == 200
    assert world.beating.woken == [FIRST_LANE]


def test_a_beat_that_cannot_be_woken_does_not_fail_the_start(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    room = DiceRoom(world, 2)
    world.beating.broken = True
    assert room.host.act(room.code, "start", match=1).status == 200
    assert "ConnectionError" in caplog.text


# --- conflicts ----------------------------------------------------------------------------------


def test_a_conflict_is_tried_again_on_what_the_other_left_without_a_second_read(
    room: DiceRoom,
) -> None:
    turn, other = room.on_turn, room.waiting
    decision = room.decision
    room.world.rooms.before_put = [lambda: entropy_of(other, room)]
    room.world.rooms.calls.clear()
    assert bid(turn, room, decision).status == 200
    assert room.world.rooms.calls.count(f"get {room.code}") == 2  # one each
    members = room_doc(room.world.rooms, room.code)["members"]
    assert [each.get("entropy") for each in members if each["id"] == other.id] == ["other"]
    assert room.decision == decision + 1


def entropy_of(who: Person, room: DiceRoom) -> None:
    assert who.act(room.code, "entropy", value="other").status == 200


def test_conflicts_are_waited_out_longer_and_longer_but_not_for_ever(room: DiceRoom) -> None:
    clock = room.world.clock
    decision, turn = room.decision, room.on_turn
    room.world.rooms.conflicts = 5
    assert bid(turn, room, decision).status == 200
    assert len(clock.pauses) == 5
    assert all(0 <= pause <= 200 for pause in clock.pauses)
    room.world.rooms.conflicts = 1_000
    before = room.world.stored()
    busy = room.on_turn.act(room.code, "bid", room.decision, quantity=3, face=3)
    assert f"{busy.status} {busy.code}" == "503 try-again"
    assert int(busy.headers["Retry-After"]) * 1_000 == busy.body["retry_after_ms"]
    assert room.world.stored() == before


def test_an_action_is_in_time_by_when_it_came_and_not_by_when_it_got_through(
    room: DiceRoom,
) -> None:
    clock = room.world.clock
    decision, turn = room.decision, room.on_turn
    clock.wait(59.99)
    room.world.rooms.conflicts = 3
    assert bid(turn, room, decision).status == 200
    assert clock.now() > room_doc(room.world.rooms, room.code)["match"]["opened_at"]


def test_a_closing_that_was_stored_first_stays_closed(room: DiceRoom) -> None:
    """Somebody has seen the phase closed: the action that was in time is stale all the same."""
    decision, turn, other = room.decision, room.on_turn, room.waiting
    room.world.clock.wait(59.99)

    def somebody_sees_it_closed() -> None:
        room.world.clock.wait(1)
        assert other.view(room.code)["match"]["phase"] == "reveal"

    room.world.rooms.before_put = [somebody_sees_it_closed]
    assert bid(turn, room, decision).code == "stale-decision"
    assert room.match["phase"] == "reveal"


def test_what_is_five_seconds_older_than_the_room_is_sent_back(room: DiceRoom) -> None:
    decision, turn, other = room.decision, room.on_turn, room.waiting

    def meanwhile() -> None:
        room.world.clock.wait(6)
        entropy_of(other, room)

    room.world.rooms.before_put = [meanwhile]
    assert bid(turn, room, decision).code == "try-again"
