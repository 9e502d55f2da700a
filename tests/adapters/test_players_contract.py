"""What the stores promise about players, as far as the fakes do it: counts, rooms entered, phones,
and finished matches, kept once."""

from __future__ import annotations

import threading

import pytest

from chalicelib.ports import (
    Created,
    Device,
    Finish,
    Gone,
    Moved,
    Players,
    Profile,
    Result,
    Rooms,
    Saving,
)
from chalicelib.ratings import Rating
from tests.adapters.conftest import Stores

NOW = 1_800_000_000_000
LATER = NOW // 1_000 + 3_600
NEWER, BETTER, WORSE = Rating(), Rating(1520.25, 1), Rating(1479.75, 1)


@pytest.fixture
def players(stores: Stores) -> Players:
    return stores.players


@pytest.fixture
def rooms(stores: Stores) -> Rooms:
    return stores.rooms


def result(player: str, before: Rating | None = None, after: Rating | None = None) -> Result:
    return Result(
        player=player,
        ended_at=NOW,
        code="ABCDEF",
        match=1,
        game="liars-dice",
        status="completed",
        players=2,
        position=1,
        tied=False,
        points=None,
        before=before,
        after=after,
    )


def finished(*results: Result, match: int = 1, pair: str | None = None) -> Finish:
    return Finish("ABCDEF", NOW - 9_000, match, NOW - 1_000, NOW, '{"record":1}', results, pair)


RATED = finished(result("ana", NEWER, BETTER), result("bo", NEWER, WORSE))


def ratings(players: Players) -> tuple[Rating, Rating]:
    return players.profile("ana").rating, players.profile("bo").rating


def test_what_happens_is_counted_for_each_and_by_its_name(players: Players) -> None:
    assert players.tallied("ana", "rooms/1") == 0
    assert [players.tally("ana", "rooms/1", LATER) for _ in range(3)] == [1, 2, 3]
    assert players.tally("ana", "rooms/2", LATER) == 1
    assert players.tally("bo", "rooms/1", LATER) == 1
    assert players.tallied("ana", "rooms/1") == 3


def test_of_many_who_count_at_once_none_is_lost(players: Players) -> None:
    told: list[int] = []
    threads = [
        threading.Thread(target=lambda: told.append(players.tally("ana", "x", LATER)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_rooms_entered_are_each_players_own_and_each_is_there_once(players: Players) -> None:
    assert players.rooms("ana", 9) == {}
    for code, until in (("AAAAAA", LATER), ("BBBBBB", LATER), ("AAAAAA", LATER + 1)):
        players.enter("ana", code, until)
    assert players.rooms("ana", 9) == {"AAAAAA": LATER + 1, "BBBBBB": LATER}
    assert players.rooms("ana", 1).keys() < {"AAAAAA", "BBBBBB"}
    assert players.rooms("bo", 9) == {}


def test_a_room_is_dropped_unless_it_has_been_come_into_since(players: Players) -> None:
    players.enter("ana", "AAAAAA", LATER)
    players.drop_room("ana", "AAAAAA", LATER - 1)
    assert players.rooms("ana", 9) == {"AAAAAA": LATER}
    players.drop_room("ana", "AAAAAA", LATER)
    players.drop_room("ana", "AAAAAA", LATER)
    assert players.rooms("ana", 9) == {}


def test_several_rooms_are_read_at_once_and_those_that_are_gone_are_left_out(
    rooms: Rooms,
) -> None:
    rooms.put(Saving("AAAAAA", "a", 1, None, LATER), None, NOW)
    rooms.put(Saving("BBBBBB", "b", 1, None, LATER * 2), None, NOW)
    assert {code: stored.doc for code, stored in rooms.many(["AAAAAA", "CCCCCC"], NOW).items()} == {
        "AAAAAA": "a"
    }
    assert rooms.many(["AAAAAA", "BBBBBB"], LATER * 1_000).keys() == {"BBBBBB"}
    assert rooms.many([], NOW) == {}


def test_a_hundred_and_fifty_rooms_are_read_at_once(rooms: Rooms) -> None:
    """More than DynamoDB gives in one go."""
    codes = [f"AAA{number}" for number in range(100, 250)]
    for code in codes[::50]:
        rooms.put(Saving(code, code, 1, None, LATER), None, NOW)
    assert rooms.many(codes, NOW).keys() == set(codes[::50])


def test_a_phone_is_put_replaced_and_dropped(players: Players) -> None:
    one, two = Device("one", "apns", "arn/1"), Device("two", "fcm", "arn/2")
    players.put_device("ana", one)
    players.put_device("ana", two)
    players.put_device("ana", one._replace(endpoint="arn/3"))
    assert sorted(players.devices("ana")) == [one._replace(endpoint="arn/3"), two]
    assert players.devices("bo") == []
    assert players.drop_device("ana", "one") == one._replace(endpoint="arn/3")
    assert players.drop_device("ana", "one") is None
    assert players.devices("ana") == [two]


def test_an_endpoint_is_in_use_as_long_as_any_phone_is_reached_there(players: Players) -> None:
    phone, tablet = Device("phone", "fcm", "arn/1"), Device("tablet", "fcm", "arn/1")
    for player, device in (("ana", phone), ("ana", tablet), ("bo", phone), ("bo", phone)):
        players.put_device(player, device)
    assert not players.release("ana", phone)
    assert not players.release("ana", phone)
    assert not players.release("ana", tablet)
    assert players.release("bo", phone)
    assert players.release("bo", phone)  # again: whoever died halfway
    assert len(players.devices("ana")) == 2
    assert players.release("cleo", Device("phone", "fcm", "arn/2"))


def test_a_phone_that_was_dropped_or_erased_is_reached_nowhere(players: Players) -> None:
    phone = Device("phone", "fcm", "arn/1")
    for player in ("ana", "bo", "cleo"):
        players.put_device(player, phone)
    players.drop_device("ana", "phone")
    players.erase("bo")
    assert players.release("cleo", phone)


def test_a_finished_match_moves_all_ratings_once(players: Players) -> None:
    players.archive(RATED)
    assert ratings(players) == (BETTER, WORSE)
    players.archive(RATED)  # again: kept already
    assert ratings(players) == (BETTER, WORSE)


def test_a_rating_that_has_moved_meanwhile_moves_none(players: Players) -> None:
    players.archive(finished(result("bo", NEWER, BETTER), result("cleo", NEWER, WORSE), match=2))
    with pytest.raises(Moved):
        players.archive(RATED)
    assert ratings(players) == (NEWER, BETTER)
    again = finished(result("ana", NEWER, BETTER), result("bo", BETTER, Rating(1500, 2)))
    players.archive(again)
    assert ratings(players) == (BETTER, Rating(1500, 2))


def test_an_unrated_match_moves_nothing(players: Players) -> None:
    players.archive(finished(result("ana"), result("bo")))
    assert ratings(players) == (NEWER, NEWER)


def test_of_many_who_keep_the_same_match_at_once_one_moves_the_ratings(stores: Stores) -> None:
    refused: list[str] = []

    def keep() -> None:
        try:
            stores.players.archive(RATED)
        except Moved:
            refused.append("moved")

    threads = [threading.Thread(target=keep) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stores.players.archive(RATED)
    assert ratings(stores.players) == (BETTER, WORSE)


def test_names_and_ratings_of_several_are_read_at_once(players: Players) -> None:
    players.archive(RATED)
    found = players.profiles(["ana", "bo", "nobody"])
    assert {player: profile.rating for player, profile in found.items()} == {
        "ana": BETTER,
        "bo": WORSE,
    }
    assert players.profiles([]) == {}


def test_who_is_forgotten_leaves_nothing_but_that(players: Players) -> None:
    players.change_profile("ana", Profile("Ana", "en", 10))
    players.enter("ana", "AAAAAA", LATER)
    players.tally("ana", "rooms/1", LATER)
    players.put_device("ana", Device("one", "apns", "arn/1"))
    players.archive(RATED)
    assert players.bury("ana", NOW, 10, LATER)
    players.erase("ana")
    assert players.profile("ana") == Profile(created=10, deleted_at=NOW)
    assert players.rooms("ana", 9) == {}
    assert players.devices("ana") == []
    assert players.tallied("ana", "rooms/1") == 0
    assert players.profile("bo").rating == WORSE


def test_a_wish_to_be_forgotten_that_is_older_than_the_last_change_is_refused(
    players: Players,
) -> None:
    players.change_profile("ana", Profile("Ana", "en", 10))
    assert not players.bury("ana", NOW, 9, LATER)
    assert players.profile("ana") == Profile("Ana", "en", 10)


def test_what_was_signed_in_the_second_of_being_forgotten_is_forgotten_too(
    players: Players,
) -> None:
    assert players.bury("ana", NOW, 10, LATER)
    assert players.change_profile("ana", Profile("Ana", "en", 10)) is None
    assert players.bury("ana", NOW, 10, LATER)  # but for the wish itself, again
    assert players.profile("ana") == Profile(created=10, deleted_at=NOW)
    assert players.change_profile("ana", Profile("Ana", None, 11)) is not None
    assert players.change_profile("ana", Profile("Ann", None, 11)) is not None


def test_who_was_forgotten_since_the_match_began_is_named(players: Players) -> None:
    assert players.bury("bo", NOW, NOW // 1_000, LATER)
    with pytest.raises(Gone) as gone:
        players.archive(RATED)
    assert gone.value.player == "bo"
    assert ratings(players) == (NEWER, NEWER)


def test_who_was_forgotten_before_the_match_began_plays_like_anybody(players: Players) -> None:
    assert players.bury("bo", RATED.began_at - 1, 10, LATER)
    players.archive(RATED)
    assert ratings(players) == (BETTER, WORSE)


def test_a_creation_that_was_refused_leaves_its_key_free(players: Players) -> None:
    first, second = Created("AAAAAA", "body"), Created("BBBBBB", "other")
    assert players.remember_creation("ana", "key", first, NOW, LATER) == first
    players.forget_creation("ana", "key")
    players.forget_creation("ana", "key")
    assert players.remember_creation("ana", "key", second, NOW, LATER) == second
