"""Every code of the contract is provoked over HTTP: by what is rude, and here by bad luck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from chalicelib.http import STATUS
from chalicelib.kernel.model import Instant
from chalicelib.kernel.room import MAX_OBSERVERS
from chalicelib.limits import GUESSES_AN_HOUR
from chalicelib.ports import Stored
from tests.agreement import contract
from tests.fakes import MemoryRooms
from tests.scene import check_problem
from tests.test_rude_input import ADDRESSES, BODIES, MOVES, ROOMS, SIGNATURES
from tests.world import DiceRoom, Reply, World

ACTIONS: Final = "/v1/rooms/ABCDEF/actions"


def stale_request(world: World) -> Reply:
    room = DiceRoom(world, 2)
    world.clock.wait(10)
    assert room.host.act(room.code, "entropy", value="new").status == 200
    late = world.clock.real() // 1_000 - 5
    return room.host.act(room.code, "entropy", value="old", how={"created": late})


def already_answered(world: World) -> Reply:
    people = [world.person(f"Person {number}") for number in range(4)]
    body = {"game": "crossed-coordinates", "visibility": "private"}
    code = people[0].send("POST", "/v1/rooms", body).body["room"]["code"]
    for person in people[1:]:
        person.join(code)
    people[0].act(code, "start", match=1)
    decision = people[0].view(code)["match"]["decision"]
    assert people[1].act(code, "ready", decision).status == 200
    return people[1].act(code, "ready", decision)


def too_early(world: World) -> Reply:
    room = DiceRoom(world, 3).start()
    world.clock.wait(61)
    return room.host.act(room.code, "continue", room.decision)


def room_full(world: World) -> Reply:
    room = DiceRoom(world, 6 + MAX_OBSERVERS)
    return world.person("Late").act(room.code, "join", name="Late")


def wrong_game(world: World) -> Reply:
    room = DiceRoom(world, 2).start()
    return room.host.act(room.code, "ready", room.decision)


def too_many_requests(world: World) -> Reply:
    guesser = world.person("Guesser")
    for _ in range(GUESSES_AN_HOUR):
        guesser.act("ZZZZZZ", "join")
    return guesser.act("ZZZZZZ", "join")


class BrokenRooms(MemoryRooms):
    """A store that fails in a way that nobody thought of."""

    def get(self, code: str, now: Instant) -> Stored | None:
        raise RuntimeError("broken")


def internal(world: World) -> Reply:
    return World(rooms=BrokenRooms()).person("Sol").act("ABCDEF", "leave")


def try_again(world: World) -> Reply:
    room = DiceRoom(world, 2)
    world.rooms.conflicts = 1_000
    return room.host.act(room.code, "entropy", value="a")


BAD_LUCK: Final[dict[str, Callable[[World], Reply]]] = {
    "stale-request": stale_request,
    "already-answered": already_answered,
    "too-early": too_early,
    "room-full": room_full,
    "wrong-game": wrong_game,
    "too-many-requests": too_many_requests,
    "internal": internal,
    "try-again": try_again,
}


@pytest.mark.parametrize("code", BAD_LUCK)
def test_bad_luck_has_its_code_and_is_documented(world: World, code: str) -> None:
    reply = BAD_LUCK[code](world)
    assert f"{reply.status} {reply.code}" == f"{STATUS[code]} {code}"
    check_problem(reply, "en")
    contract().check("POST", ACTIONS, reply)


def test_every_code_is_provoked() -> None:
    rude = [case.values[0].says for case in (*BODIES, *MOVES, *SIGNATURES, *ADDRESSES, *ROOMS)]
    assert {says.split()[1] for says in rude} | BAD_LUCK.keys() == STATUS.keys()
