"""What every store promises (chalicelib/ports.py): the fakes that other tests trust, too."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from chalicelib.kernel.store import SCHEMA
from chalicelib.ports import FIRST_LANE, Conflict, Created, Players, Profile, Rooms, Saving, Stored
from tests.adapters.conftest import Stores

NOW = 1_800_000_000_000
LATER = NOW // 1_000 + 3_600
CODE = "ABCDEF"


@pytest.fixture
def rooms(stores: Stores) -> Rooms:
    return stores.rooms


@pytest.fixture
def players(stores: Stores) -> Players:
    return stores.players


def saving(
    doc: str = "{}",
    version: int = 1,
    *,
    code: str = CODE,
    wake_at: int | None = None,
    expires_at: int = LATER,
) -> Saving:
    return Saving(code, doc, version, wake_at, expires_at)


def refused(rooms: Rooms, new: Saving, was: int | None, now: int = NOW) -> Stored | None:
    """What is there instead, as the refusal tells it."""
    with pytest.raises(Conflict) as conflict:
        rooms.put(new, was, now)
    return conflict.value.current


# --- rooms --------------------------------------------------------------------------------------


def test_an_unknown_room_is_none(rooms: Rooms) -> None:
    assert rooms.get(CODE, NOW) is None


def test_a_new_room_is_read_as_it_was_written(rooms: Rooms) -> None:
    rooms.put(saving('{"a":"ñ \N{FOX FACE} \u2028"}', 3), None, NOW)
    assert rooms.get(CODE, NOW) == Stored('{"a":"ñ \N{FOX FACE} \u2028"}', 3, SCHEMA)


def test_a_document_of_100_kilobytes_survives(rooms: Rooms) -> None:
    rooms.put(saving("x" * 100_000), None, NOW)
    stored = rooms.get(CODE, NOW)
    assert stored is not None
    assert stored.doc == "x" * 100_000


def test_a_write_on_the_version_that_is_there_is_made(rooms: Rooms) -> None:
    rooms.put(saving("old", 1), None, NOW)
    rooms.put(saving("new", 4), 1, NOW)
    assert rooms.get(CODE, NOW) == Stored("new", 4, SCHEMA)


@pytest.mark.parametrize("was", [0, 2, 10])
def test_a_write_on_another_version_is_refused_and_told_what_is_there(
    rooms: Rooms, was: int
) -> None:
    rooms.put(saving("old", 1), None, NOW)
    assert refused(rooms, saving("new", 3), was) == Stored("old", 1, SCHEMA)
    assert rooms.get(CODE, NOW) == Stored("old", 1, SCHEMA)


def test_versions_are_numbers_and_not_text(rooms: Rooms) -> None:
    rooms.put(saving("old", 10), None, NOW)
    rooms.put(saving("new", 11), 10, NOW)
    assert refused(rooms, saving("newer", 12), 9) == Stored("new", 11, SCHEMA)


def test_a_write_on_a_room_that_is_not_there_is_refused(rooms: Rooms) -> None:
    assert refused(rooms, saving(version=2), 1) is None
    assert rooms.get(CODE, NOW) is None


def test_a_new_room_does_not_replace_one_that_is_there(rooms: Rooms) -> None:
    rooms.put(saving("old", 7), None, NOW)
    assert refused(rooms, saving("new", 1), None) == Stored("old", 7, SCHEMA)
    assert rooms.get(CODE, NOW) == Stored("old", 7, SCHEMA)


def test_a_write_whose_answer_was_lost_is_told_about_itself(rooms: Rooms) -> None:
    rooms.put(saving("old", 1), None, NOW)
    rooms.put(saving("new", 2), 1, NOW)
    assert refused(rooms, saving("new", 2), 1) == Stored("new", 2, SCHEMA)


@pytest.mark.parametrize(
    ("seconds", "there"),
    [
        pytest.param(-1, True, id="a second before"),
        pytest.param(0, False, id="at the second"),
        pytest.param(1, False, id="a second after"),
    ],
)
def test_a_room_is_absent_from_when_it_expires_though_nobody_deleted_it(
    rooms: Rooms, seconds: int, there: bool
) -> None:
    now = (LATER + seconds) * 1_000
    rooms.put(saving("old", 1), None, NOW)
    assert (rooms.get(CODE, now) is not None) is there
    conflict = refused(rooms, saving("new", 9), 5, now)
    assert (conflict is not None) is there
    if there:
        assert refused(rooms, saving("new", 1, expires_at=LATER * 2), None, now) is not None
    else:
        rooms.put(saving("new", 1, expires_at=LATER * 2), None, now)
        assert rooms.get(CODE, now) == Stored("new", 1, SCHEMA)


def test_a_write_renews_when_it_expires(rooms: Rooms) -> None:
    rooms.put(saving(version=1), None, NOW)
    rooms.put(saving(version=2, expires_at=LATER + 10), 1, NOW)
    assert rooms.get(CODE, LATER * 1_000) is not None


def test_rooms_do_not_touch_each_other(rooms: Rooms) -> None:
    rooms.put(saving("one", 1, code="AAAAAA"), None, NOW)
    rooms.put(saving("two", 5, code="BBBBBB"), None, NOW)
    rooms.put(saving("one more", 2, code="AAAAAA"), 1, NOW)
    assert rooms.get("BBBBBB", NOW) == Stored("two", 5, SCHEMA)


# --- what falls due -----------------------------------------------------------------------------


def test_nothing_is_due_in_an_empty_store(rooms: Rooms) -> None:
    assert rooms.due(FIRST_LANE, 0, 10) == []


def test_what_falls_due_comes_earliest_first_and_only_what_does(rooms: Rooms) -> None:
    for code, wake_at in (("BBBBBB", NOW + 2), ("AAAAAA", NOW + 10), ("CCCCCC", NOW - 5)):
        rooms.put(saving(code=code, wake_at=wake_at), None, NOW)
    rooms.put(saving(code="DDDDDD", wake_at=None), None, NOW)
    assert rooms.due(FIRST_LANE, 0, 10) == [
        (NOW - 5, "CCCCCC"),
        (NOW + 2, "BBBBBB"),
        (NOW + 10, "AAAAAA"),
    ]


def test_what_was_due_before_an_instant_is_left_out_and_what_is_due_at_it_is_not(
    rooms: Rooms,
) -> None:
    for number in range(5):
        rooms.put(saving(code=f"AAAAA{number}", wake_at=NOW + number), None, NOW)
    assert [at - NOW for at, _ in rooms.due(FIRST_LANE, NOW + 3, 10)] == [3, 4]


def test_no_more_than_asked_for_come(rooms: Rooms) -> None:
    for number in range(5):
        rooms.put(saving(code=f"AAAAA{number}", wake_at=NOW + number), None, NOW)
    assert [at - NOW for at, _ in rooms.due(FIRST_LANE, 0, 2)] == [0, 1]


def test_a_write_moves_when_a_room_falls_due(rooms: Rooms) -> None:
    rooms.put(saving(version=1, wake_at=NOW + 1), None, NOW)
    rooms.put(saving(version=2, wake_at=NOW + 9), 1, NOW)
    assert rooms.due(FIRST_LANE, 0, 10) == [(NOW + 9, CODE)]
    rooms.put(saving(version=3, wake_at=None), 2, NOW)
    assert rooms.due(FIRST_LANE, 0, 10) == []


def test_a_refused_write_moves_nothing(rooms: Rooms) -> None:
    rooms.put(saving(version=1, wake_at=NOW + 1), None, NOW)
    refused(rooms, saving(version=2, wake_at=None), 7)
    assert rooms.due(FIRST_LANE, 0, 10) == [(NOW + 1, CODE)]


def test_two_rooms_may_fall_due_at_the_same_instant(rooms: Rooms) -> None:
    for code in ("AAAAAA", "BBBBBB"):
        rooms.put(saving(code=code, wake_at=NOW), None, NOW)
    assert sorted(code for _, code in rooms.due(FIRST_LANE, 0, 10)) == ["AAAAAA", "BBBBBB"]


# --- the lease ----------------------------------------------------------------------------------


def test_nobody_beats_at_first(rooms: Rooms) -> None:
    assert rooms.lease(FIRST_LANE) == ("", 0)


def test_whoever_took_the_lease_last_has_it(rooms: Rooms) -> None:
    rooms.take_lease(FIRST_LANE, "one", NOW)
    assert rooms.lease(FIRST_LANE) == ("one", NOW)
    rooms.take_lease(FIRST_LANE, "two", NOW + 5)
    assert rooms.lease(FIRST_LANE) == ("two", NOW + 5)
    rooms.take_lease(FIRST_LANE, "", 0)
    assert rooms.lease(FIRST_LANE) == ("", 0)


def test_a_lease_falls_due_for_nobody_and_is_no_room(rooms: Rooms) -> None:
    rooms.take_lease(FIRST_LANE, "one", NOW)
    assert rooms.due(FIRST_LANE, 0, 10) == []
    assert rooms.get(FIRST_LANE, NOW) is None


# --- players ------------------------------------------------------------------------------------


def test_a_player_who_said_nothing_has_an_empty_profile(players: Players) -> None:
    assert players.profile("ana") == Profile(None, None, 0)


def test_a_change_keeps_what_it_does_not_name(players: Players) -> None:
    assert players.change_profile("ana", Profile("Ana", None, 10)) == Profile("Ana", None, 10)
    assert players.change_profile("ana", Profile(None, "en", 11)) == Profile("Ana", "en", 11)
    assert players.change_profile("ana", Profile("Ann", None, 12)) == Profile("Ann", "en", 12)
    assert players.profile("ana") == Profile("Ann", "en", 12)
    assert players.profile("bo") == Profile(None, None, 0)


def test_a_change_that_was_signed_before_the_last_is_refused(players: Players) -> None:
    players.change_profile("ana", Profile("Ana", "es", 10))
    assert players.change_profile("ana", Profile("Old", None, 9)) is None
    assert players.profile("ana") == Profile("Ana", "es", 10)


def test_a_change_that_was_signed_in_the_same_second_is_made(players: Players) -> None:
    players.change_profile("ana", Profile("Ana", None, 10))
    assert players.change_profile("ana", Profile("Ann", None, 10)) == Profile("Ann", None, 10)


def test_the_first_memory_of_a_key_stays(players: Players) -> None:
    first, second = Created("AAAAAA", "body"), Created("BBBBBB", "other")
    assert players.remember_creation("ana", "key", first, NOW, LATER) == first
    assert players.remember_creation("ana", "key", second, NOW, LATER) == first
    assert players.remember_creation("ana", "key", first, NOW, LATER) == first


def test_memories_are_each_players_and_each_keys_own(players: Players) -> None:
    one, two, three = (Created(f"AAAAA{number}", "body") for number in range(3))
    assert players.remember_creation("ana", "key", one, NOW, LATER) == one
    assert players.remember_creation("ana", "other", two, NOW, LATER) == two
    assert players.remember_creation("bo", "key", three, NOW, LATER) == three
    assert players.profile("ana") == Profile(None, None, 0)


def test_a_memory_that_has_expired_is_none_though_nobody_deleted_it(players: Players) -> None:
    first, second = Created("AAAAAA", "body"), Created("BBBBBB", "other")
    players.remember_creation("ana", "key", first, NOW, LATER)
    before = LATER * 1_000 - 1
    assert players.remember_creation("ana", "key", second, before, LATER * 2) == first
    assert players.remember_creation("ana", "key", second, before + 1, LATER * 2) == second


def test_a_room_that_is_renumbered_keeps_its_body(players: Players) -> None:
    players.remember_creation("ana", "key", Created("AAAAAA", "body"), NOW, LATER)
    players.renumber_creation("ana", "key", Created("BBBBBB", "body"))
    other = Created("CCCCCC", "other")
    assert players.remember_creation("ana", "key", other, NOW, LATER) == Created("BBBBBB", "body")


# --- all at once --------------------------------------------------------------------------------

WRITERS = 8


def at_once(write: Callable[[int], object]) -> list[int]:
    """The numbers of those writers that were not refused."""
    barrier = threading.Barrier(WRITERS)
    won: list[int] = []
    told: list[Stored | None] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            write(number)
        except Conflict as conflict:
            told.append(conflict.current)
        else:
            won.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) + len(told) == WRITERS
    assert None not in told
    return won


def test_of_many_writers_on_one_version_one_wins(rooms: Rooms) -> None:
    rooms.put(saving("old", 1), None, NOW)
    won = at_once(lambda number: rooms.put(saving(f"{number}", 2), 1, NOW))
    assert len(won) == 1
    assert rooms.get(CODE, NOW) == Stored(f"{won[0]}", 2, SCHEMA)


def test_of_many_who_make_the_same_room_one_wins(rooms: Rooms) -> None:
    won = at_once(lambda number: rooms.put(saving(f"{number}"), None, NOW))
    assert len(won) == 1
    assert rooms.get(CODE, NOW) == Stored(f"{won[0]}", 1, SCHEMA)


def test_of_many_memories_of_one_key_all_are_told_the_same(players: Players) -> None:
    told: list[Created] = []
    at_once(
        lambda number: told.append(
            players.remember_creation("ana", "key", Created(f"{number}", "body"), NOW, LATER)
        )
    )
    assert len(told) == WRITERS
    assert len(set(told)) == 1
