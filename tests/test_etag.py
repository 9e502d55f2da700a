"""An ETag moves if and only if what its viewer sees moves; and every look says when to look
again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.content import LOCALES
from tests.world import DiceRoom, Person, World


@pytest.fixture
def room(world: World) -> DiceRoom:
    """A match of three that has just begun; Oto observes it."""
    room = DiceRoom(world, 3).start()
    world.person("Oto").join(room.code)
    return room


@pytest.fixture
def oto(room: DiceRoom) -> Person:
    return room.world.person("Oto")


def accepted(who: Person, room: DiceRoom, kind: str, **fields: Any) -> None:
    reply = who.act(room.code, kind, **fields)
    assert reply.status == 200, reply.text


Change = Callable[[DiceRoom], object]

MOVES = [
    pytest.param(lambda r: r.bid(2, 3), id="a bid"),
    pytest.param(lambda r: r.world.clock.wait(60), id="a turn that lapses"),
    pytest.param(lambda r: r.world.clock.wait(60 + 8), id="a reveal that ends"),
    pytest.param(lambda r: accepted(r.guests[0], r, "leave"), id="somebody leaves"),
    pytest.param(lambda r: accepted(r.guests[0], r, "observe"), id="somebody gives a seat up"),
    pytest.param(lambda r: r.world.person("Sol").join(r.code), id="somebody comes to watch"),
    pytest.param(lambda r: accepted(r.host, r, "configure", locked=True), id="the host locks"),
    pytest.param(
        lambda r: accepted(r.host, r, "configure", visibility="public"), id="it becomes public"
    ),
    pytest.param(
        lambda r: accepted(r.host, r, "promote", player_id=r.guests[0].id), id="another host"
    ),
    pytest.param(lambda r: accepted(r.guests[0], r, "claim-host"), id="a claim"),
]

STAYS = [
    pytest.param(lambda r: None, id="nothing"),
    pytest.param(lambda r: r.world.clock.wait(59.999), id="time that brings nothing"),
    pytest.param(lambda r: [each.read(r.code) for each in r.people], id="others look"),
    pytest.param(
        lambda r: accepted(r.waiting, r, "entropy", value="a"), id="entropy, which nobody sees"
    ),
    pytest.param(lambda r: accepted(r.waiting, r, "join"), id="a member who joins again"),
    pytest.param(
        lambda r: r.waiting.act(r.code, "bid", r.decision, quantity=1, face=2), id="a refused bid"
    ),
    pytest.param(lambda r: r.world.person("Sol").read(r.code), id="a stranger looks"),
    pytest.param(
        lambda r: r.host.send("PATCH", "/v1/me", {"name": "Anna"}), id="a name in the profile"
    ),
    pytest.param(lambda r: DiceRoom(r.world, 2).start(), id="another room plays"),
]


@pytest.mark.parametrize("change", MOVES)
def test_it_moves_with_what_is_seen(room: DiceRoom, oto: Person, change: Change) -> None:
    etag = oto.read(room.code).etag
    change(room)
    reply = oto.read(room.code, etag)
    assert reply.status == 200
    assert reply.etag != etag


@pytest.mark.parametrize("change", STAYS)
def test_it_stays_with_what_is_seen(room: DiceRoom, oto: Person, change: Change) -> None:
    before = oto.read(room.code)
    change(room)
    reply = oto.read(room.code, before.etag)
    assert (reply.status, reply.text) == (304, "")
    assert reply.etag == before.etag


def test_a_claim_that_ends_moves_it(room: DiceRoom, oto: Person) -> None:
    accepted(room.guests[0], room, "claim-host")
    etag = oto.read(room.code).etag
    room.host.read(room.code)
    reply = oto.read(room.code, etag)
    assert reply.status == 200
    assert reply.body["room"]["claim"] is None


def test_my_own_dice_move_mine_alone(world: World) -> None:
    room = DiceRoom(world, 2).start()
    views = [person.read(room.code) for person in room.people]
    assert views[0].body["match"]["private"] != views[1].body["match"]["private"]
    assert views[0].etag != views[1].etag


def test_it_is_weak_and_names_the_decision(room: DiceRoom, oto: Person) -> None:
    assert oto.read(room.code).etag.startswith(f'W/"{room.decision}-')


def test_each_language_has_its_own(room: DiceRoom, oto: Person) -> None:
    etags = {locale: oto.read(room.code, locale=locale).etag for locale in LOCALES}
    assert len(set(etags.values())) == len(LOCALES)
    for locale in LOCALES:
        for other, etag in etags.items():
            status = oto.read(room.code, etag, locale=locale).status
            assert status == (304 if other == locale else 200)


def test_it_may_be_one_of_several(room: DiceRoom, oto: Person) -> None:
    etag = oto.read(room.code).etag
    assert oto.read(room.code, f'W/"0-gone", {etag}').status == 304
    assert oto.read(room.code, 'W/"0-gone", W/"1-gone"').status == 200
    assert oto.read(room.code, etag.removesuffix('"')).status == 200


def test_an_answer_to_an_action_carries_the_one_that_a_look_gives(room: DiceRoom) -> None:
    turn = room.on_turn
    acted = turn.act(room.code, "bid", room.decision, quantity=1, face=2)
    assert turn.read(room.code, acted.etag).status == 304


def test_a_304_says_what_a_200_says_but_for_the_body(room: DiceRoom, oto: Person) -> None:
    full = oto.read(room.code)
    short = oto.read(room.code, full.etag)
    same = ("ETag", "Cache-Control", "Server-Now", "Poll-After-Ms", "Access-Control-Allow-Origin")
    assert {name: short.headers[name] for name in same} == {
        name: full.headers[name] for name in same
    }
    assert short.headers["Cache-Control"] == "no-store"


def test_over_a_whole_match_of_bots_equal_etags_are_equal_views_and_nothing_else(
    world: World,
) -> None:
    """Everything that everybody sees from the lobby to the end, in both languages."""
    room = DiceRoom(world, 2, {"bullets": 5})
    for _ in range(2):
        accepted(room.host, room, "add-bot")
    seen: dict[str, str] = {}
    shown: dict[str, str] = {}
    looks = 0

    def look() -> None:
        nonlocal looks
        for person in room.people:
            for locale in LOCALES:
                reply = person.read(room.code, locale=locale)
                text = reply.text[: reply.text.rindex('"server_now"')]
                assert seen.setdefault(reply.etag, locale + text) == locale + text
                assert shown.setdefault(locale + text, reply.etag) == reply.etag
                looks += 1

    look()
    room.start()
    while room.match["outcome"] is None:
        look()
        for person in room.people:
            match = person.view(room.code)["match"]
            if match["your_move"] and match["public"]["bids"]:
                accepted(person, room, "challenge", decision=match["decision"])
                look()
        world.clock.wait(1)
    look()
    assert 20 < len(seen) < looks


# --- when to look again -------------------------------------------------------------------------


def poll_after(who: Person, room: DiceRoom) -> int:
    reply = who.read(room.code)
    assert reply.headers["Poll-After-Ms"] == str(reply.body["poll_after_ms"])
    assert reply.headers["Server-Now"] == str(reply.body["server_now"])
    assert reply.body["server_now"] == room.world.clock.now()
    return int(reply.body["poll_after_ms"])


def test_who_waits_for_others_looks_sooner_than_who_is_awaited(room: DiceRoom) -> None:
    assert 0 < poll_after(room.waiting, room) <= 2_000
    assert poll_after(room.waiting, room) < poll_after(room.on_turn, room) <= 5_000


@pytest.mark.parametrize("left", [30_000, 3_000, 1_000, 100, 1])
def test_nobody_waits_long_past_the_deadline(room: DiceRoom, oto: Person, left: int) -> None:
    room.world.clock.wait(60 - left / 1_000)
    for person in (*room.people, oto):
        assert 0 < poll_after(person, room) <= left + 2_000


def test_near_the_deadline_each_seat_waits_its_own_while_past_it(room: DiceRoom) -> None:
    room.world.clock.wait(59.9)
    past = [poll_after(person, room) - 100 for person in room.people]
    assert len(set(past)) == 3
    assert all(300 <= each <= 2_000 for each in past)


def test_in_a_reveal_one_looks_again_when_it_may_end(room: DiceRoom, oto: Person) -> None:
    room.world.clock.wait(60)
    assert oto.view(room.code)["match"]["phase"] == "reveal"
    assert 3_000 < poll_after(oto, room) <= 3_000 + 2_000


def test_a_lobby_and_an_ended_match_are_in_no_hurry(world: World) -> None:
    room = DiceRoom(world, 2)
    assert poll_after(room.host, room) >= 4_000
    room.start()
    world.clock.wait(100)
    assert room.match["outcome"] is not None
    assert poll_after(room.host, room) >= 4_000


def test_a_host_never_waits_longer_than_twenty_seconds(world: World) -> None:
    room = DiceRoom(world, 2, {"turn_seconds": 180}).start()
    for _ in range(200):
        assert 0 < poll_after(room.host, room) <= 20_000
        world.clock.wait(1)
