"""Laws that hold for every game, over random histories (ARCHITECTURE 3 and 9)."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib import content
from chalicelib.games import GAMES
from chalicelib.kernel import match as matches
from chalicelib.kernel import room as rooms
from tests.games.histories import begun, history
from tests.games.secrets import DISGUISES
from tests.table import Table, person, stored

every_game = pytest.mark.parametrize("game", GAMES)
some = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@every_game
@some
@given(data=st.data())
def test_settling_in_two_goes_is_settling_in_one(game: str, data: st.DataObject) -> None:
    for table in history(begun(game, data), data, 12):
        first = data.draw(st.integers(0, 200_000), "first")
        second = first + data.draw(st.integers(0, 200_000), "second")
        at_once = rooms.settle(table.room, GAMES, table.now + second)
        halfway = rooms.settle(table.room, GAMES, table.now + first)
        assert rooms.settle(halfway, GAMES, table.now + second) == at_once


@every_game
@some
@given(data=st.data())
def test_settling_again_changes_nothing(game: str, data: st.DataObject) -> None:
    for table in history(begun(game, data), data, 12):
        assert rooms.settle(table.room, GAMES, table.now) is table.room


@every_game
@some
@given(data=st.data())
def test_a_stored_room_is_the_room(game: str, data: st.DataObject) -> None:
    for table in history(begun(game, data), data):
        assert stored(table.room) == table.room


@every_game
@some
@given(data=st.data())
def test_an_abandoned_match_ends_by_itself(game: str, data: st.DataObject) -> None:
    *_, table = history(begun(game, data), data, 10)
    for _ in range(400):
        if rooms.wake_at(table.room, GAMES) is None:
            break
        before = table.room.decision
        table.wait_for_next()
        assert table.room.decision >= before
    assert table.status == "finished"
    assert not table.room.match or not table.room.match.broken


@every_game
@some
@given(data=st.data())
def test_decisions_only_grow_and_go_on_over_matches(game: str, data: st.DataObject) -> None:
    last = (0, 0)
    for table in history(begun(game, data), data, 20):
        now = (table.room.decision, table.room.version)
        assert now >= last
        last = now
    while rooms.wake_at(table.room, GAMES) is not None:
        table.wait_for_next()
    willing = rooms.candidates(table.room, GAMES)
    host = table.room.host
    if host is not None and len(willing) >= GAMES[game].seats.start:
        before = table.room.decision
        table.act(int(host[:2]), {"type": "start", "match": 2})
        assert table.room.decision > before


@every_game
@some
@given(data=st.data())
def test_bots_play_a_whole_match_and_none_is_thrown_out(game: str, data: st.DataObject) -> None:
    seats = GAMES[game].seats
    players = data.draw(st.integers(seats.start, seats.stop - 1))
    table = Table(game, 1, master=data.draw(st.text(max_size=3)))
    for _ in range(players - 1):
        table.act(0, {"type": "add-bot"})
    table.act(0, {"type": "observe"})
    table.act(0, {"type": "add-bot"})
    table.start()
    while rooms.wake_at(table.room, GAMES) is not None:
        table.wait_for_next()
    assert table.room.match is not None
    assert len(table.room.match.bots) == players
    assert not any(each.gone for each in table.room.members)
    assert matches.outcome(table.game, table.room.match).status == "completed"


@every_game
@some
@given(data=st.data())
def test_the_same_request_again_changes_nothing(game: str, data: st.DataObject) -> None:
    table = begun(game, data)
    action = {"type": "entropy", "value": "again"}
    first = table.act(0, action, key="once")
    tag = table.request(0, b"", "once").key_tag
    for _ in history(table, data, 6):
        me = table.room.member(person(0))
        if me is None or not any(line.startswith(tag) for line in me.receipts):
            return  # gone, or pushed out by three later ones
        table.room = rooms.touched(table.room, me.id, table.now)
        before = table.room
        assert table.act(0, action, key="once") == first
        assert table.room is before


@every_game
@some
@given(data=st.data())
def test_secrecy(game: str, data: st.DataObject) -> None:
    """Two states that differ only in what a viewer may not know give that viewer equal bytes:
    the view, so its ETag and length, and the poll hint."""
    for table in history(begun(game, data), data, 20):
        if table.status != "playing":
            continue
        number = data.draw(st.integers(0, 3), "viewer")
        me = table.room.member(person(number))
        if me is None:
            continue
        other = DISGUISES[game](table.state, me.playing_seat, data)
        before = table.view(number), table.poll_after_ms(number), table.bytes_stored
        real = table.room
        assert real.match is not None
        table.room = real.evolve(match=real.match.evolve(state=other))
        after = table.view(number), table.poll_after_ms(number)
        assert json.dumps(after[0]) == json.dumps(before[0])
        assert after[1] == before[1]
        table.room = real


@every_game
@some
@given(data=st.data())
def test_views_are_in_the_viewers_language_and_are_json(game: str, data: st.DataObject) -> None:
    for table in history(begun(game, data), data, 12):
        for number in range(3):
            if table.room.member(person(number)) is None:
                continue
            spanish, english = table.view(number, "es"), table.view(number, "en")
            assert json.loads(json.dumps(spanish)) == json.loads(json.dumps(spanish))
            assert spanish["room"] == english["room"]
            assert spanish["you"] == english["you"]


@every_game
def test_words_are_complete_in_both_languages(game: str) -> None:
    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [shape(inner) for inner in value]
        assert isinstance(value, str)
        assert value == value.strip() != ""
        return sorted(part.split("}")[0] for part in value.split("{")[1:])

    spanish, english = (content.of_game(game, locale)["words"] for locale in content.LOCALES)
    numbers = [section["number"] for section in spanish["rules"]["sections"]]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert shape(spanish) == shape(english)
