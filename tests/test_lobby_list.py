"""GET /v1/rooms: the public rooms that anybody may come into, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.adapters.cursors import sealed
from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.ports import Saving
from infra.local import embedded
from tests.conftest import fresh_tables
from tests.fakes import BEGIN
from tests.lasting import lasting, wait
from tests.test_calls import Counted
from tests.world import DiceRoom, Person, Reply, World

ROOMS = 1_000
GAMES = ("liars-dice", "almost-even", "crossed-coordinates")
LATER = BEGIN // 1_000 + 3_600


def listed(number: int) -> Saving:
    """Room `number` of a thousand, made a second after the one before."""
    code = f"{number:06}".translate(str.maketrans("0123456789", "23456789AB"))
    game = GAMES[number % 3]
    shown = {"code": code, "game": game, "created_at": BEGIN + number * 1_000}
    return Saving(code, "{}", 1, None, LATER, json.dumps(shown), game, BEGIN + number * 1_000)


class Lobby:
    """A lobby with a thousand rooms, and how often it was asked for."""

    def __init__(self, moto: embedded.Locked) -> None:
        self.tables = fresh_tables()
        embedded.create_tables(moto, self.tables)
        self.client = Counted(moto)
        self.world = lasting(self.client, self.tables)
        for number in range(ROOMS):
            self.world.service.rooms.put(listed(number), None, BEGIN)

    def get(self, query: str = "") -> Reply:
        return self.world.send("GET", f"/v1/rooms{query}")

    def pages(self, query: str) -> Iterator[list[Any]]:
        at = ""
        while True:
            self.client.calls.clear()
            reply = self.get(f"?{query}{at}")
            assert reply.status == 200, reply.text
            assert self.client.calls == {"Query": 1}
            yield reply.body["items"]
            if reply.body["next_cursor"] is None:
                return
            at = f"&cursor={reply.body['next_cursor']}"


@pytest.fixture(scope="module")
def lobby(moto: embedded.Locked) -> Iterator[Lobby]:
    lobby = Lobby(moto)
    yield lobby
    for name in lobby.tables.values():  # moto copies all tables for every transaction
        moto.delete_table(TableName=name)


def test_a_thousand_rooms_are_each_shown_once_by_one_query_a_page(lobby: Lobby) -> None:
    pages = list(lobby.pages("limit=100"))
    assert [len(page) for page in pages[:10]] == [100] * 10
    assert sum(map(len, pages)) == ROOMS
    assert {each["code"] for page in pages for each in page} == {
        listed(number).code for number in range(ROOMS)
    }


@pytest.mark.parametrize("game", GAMES)
def test_the_rooms_of_one_game_are_its_own_newest_first(lobby: Lobby, game: str) -> None:
    rooms = [each for page in lobby.pages(f"game={game}&limit=64") for each in page]
    assert [each["created_at"] for each in rooms] == [
        BEGIN + number * 1_000 for number in reversed(range(ROOMS)) if GAMES[number % 3] == game
    ]


def test_a_page_has_twenty_unless_told(lobby: Lobby) -> None:
    assert len(lobby.get().body["items"]) == 20
    assert len(lobby.get("?limit=1").body["items"]) == 1


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.0", "ten", "", "01", "٣"])
def test_a_limit_is_a_whole_number_up_to_a_hundred(lobby: Lobby, limit: str) -> None:
    reply = lobby.get(f"?limit={limit}")
    assert reply.code == "bad-request"
    assert reply.body["errors"][0]["pointer"] == "?limit"


def test_a_cursor_that_was_not_given_out_is_refused(lobby: Lobby) -> None:
    cursor = lobby.get("?game=liars-dice").body["next_cursor"]
    wrong = ["", "x", "AAAA", "%C3%B1", cursor[:-1], cursor + "A", cursor[1:], cursor.swapcase()]
    for made_up in wrong:
        reply = lobby.get(f"?game=liars-dice&cursor={made_up}")
        assert reply.code == "bad-request", made_up
        assert reply.body["errors"][0]["pointer"] == "?cursor"


def test_a_made_up_cursor_is_refused_or_shows_what_is_listed(lobby: Lobby) -> None:
    """tests/adapters/test_cursors.py has more of them."""
    for key in ("", "x", "liars-dice#1#" + "A" * 3_000, "liars-dice#-1#AAAAAA"):
        assert lobby.get(f"?cursor={sealed('lobby/', key)}").code == "bad-request"
    for key in ("1/abc/xyz", f"1/1e999/{'a' * 26}", f"-7/1502/{'a' * 26}", f"1/1/{'a' * 4_000}"):
        reply = lobby.world.send("GET", f"/v1/leaderboard?cursor={sealed('temple', key)}")
        assert reply.code == "bad-request"
        assert reply.body["errors"][0]["pointer"] == "?cursor"
    items = lobby.get(f"?cursor={sealed('lobby/', 'liars-dice#1#AAAAAA')}").body["items"]
    assert {each["game"] for each in items} < set(GAMES)


def test_a_cursor_of_another_list_is_refused(lobby: Lobby) -> None:
    cursor = lobby.get("?game=liars-dice").body["next_cursor"]
    assert lobby.get(f"?cursor={cursor}").code == "bad-request"
    assert lobby.get(f"?game=almost-even&cursor={cursor}").code == "bad-request"
    assert lobby.world.send("GET", f"/v1/leaderboard?cursor={cursor}").code == "bad-request"
    ana = lobby.world.person("Ana")
    assert ana.send("GET", f"/v1/me/results?cursor={cursor}").code == "bad-request"


def test_a_game_that_there_is_not_is_refused(lobby: Lobby) -> None:
    for game in ("chess", "", "LIARS-DICE"):
        assert lobby.get(f"?game={game}").code == "bad-request"


def test_a_page_that_was_deleted_meanwhile_does_not_end_the_list(
    moto: embedded.Locked, tables: dict[str, str]
) -> None:
    world = lasting(moto, tables)
    for number in range(30):
        world.service.rooms.put(listed(number), None, BEGIN)
    reply = world.send("GET", "/v1/rooms?limit=10")
    for each in reply.body["items"]:
        moto.delete_item(TableName=tables["RoomsTable"], Key={"pk": {"S": each["code"]}})
    rest = world.send("GET", f"/v1/rooms?limit=100&cursor={reply.body['next_cursor']}")
    assert len(rest.body["items"]) == 20


# --- which rooms are on the list ------------------------------------------------------------------


class Public:
    """Ana hosts a public room of liar's dice."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ana = world.person("Ana")
        body = {"game": "liars-dice", "visibility": "public", "name": "Ana"}
        self.code = self.ana.send("POST", "/v1/rooms", body).body["room"]["code"]

    @property
    def rows(self) -> list[Any]:
        items: list[Any] = self.world.send("GET", "/v1/rooms").body["items"]
        return [each for each in items if each["code"] == self.code]

    def does(self, kind: str, **fields: Any) -> None:
        reply = self.ana.act(self.code, kind, **fields)
        assert reply.status == 200, reply.text

    def joined(self, number: int) -> Person:
        guest = self.world.person(f"Guest {number}")
        guest.join(self.code)
        return guest


@pytest.fixture
def public(moto: embedded.Locked, tables: dict[str, str]) -> Public:
    return Public(lasting(moto, tables))


def test_a_public_room_is_listed_as_api_md_says(public: Public) -> None:
    (row,) = public.rows
    assert row == {
        "code": public.code,
        "game": "liars-dice",
        "settings": public.ana.view(public.code)["room"]["settings"],
        "players": 1,
        "seats": 6,
        "host_name": "Ana",
        "created_at": BEGIN,
    }


def test_a_private_room_is_not_listed(public: Public) -> None:
    public.does("configure", visibility="private")
    assert public.rows == []
    public.does("configure", visibility="public")
    assert len(public.rows) == 1
    room = DiceRoom(public.world, 2)
    assert room.code not in public.world.send("GET", "/v1/rooms").text


def test_a_locked_room_is_not_listed(public: Public) -> None:
    public.does("configure", locked=True)
    assert public.rows == []
    public.does("configure", locked=False)
    assert len(public.rows) == 1


def test_a_full_room_is_not_listed_until_somebody_leaves(public: Public) -> None:
    guests = [public.joined(number) for number in range(1, 6)]
    assert public.rows == []
    guests[0].act(public.code, "leave")
    assert public.rows[0]["players"] == 5


def test_who_merely_observes_takes_no_seat(public: Public) -> None:
    guest = public.joined(1)
    assert public.rows[0]["players"] == 2
    guest.act(public.code, "observe")
    assert public.rows[0]["players"] == 1


def test_a_room_that_plays_is_not_listed_and_comes_back_after_the_match(public: Public) -> None:
    guest = public.joined(1)
    public.does("start", match=1)
    assert public.rows == []
    guest.act(public.code, "leave")
    assert public.ana.view(public.code)["room"]["status"] == "finished"
    assert public.rows[0]["players"] == 1


def test_the_list_shows_the_game_that_will_be_played(public: Public) -> None:
    public.does("configure", game="almost-even")
    assert (public.rows[0]["game"], public.rows[0]["seats"]) == ("almost-even", 12)
    other = public.world.send("GET", "/v1/rooms?game=liars-dice").body["items"]
    assert other == []


def test_a_room_that_everybody_left_is_not_listed(public: Public) -> None:
    public.does("leave")
    assert public.rows == []


def test_a_lobby_with_one_person_vanishes_after_an_hour(public: Public) -> None:
    wait(public.world, 3_599)
    assert len(public.rows) == 1
    wait(public.world, 1)
    assert public.rows == []  # although it still lies there: DynamoDB deletes late
    assert public.ana.read(public.code).code == "not-found"


def test_a_lobby_with_two_lives_a_day(public: Public) -> None:
    public.joined(1)
    wait(public.world, 86_399)
    assert len(public.rows) == 1
    wait(public.world, 1)
    assert public.rows == []


def test_the_adapter_lists_nothing_that_has_expired(
    moto: embedded.Locked, tables: dict[str, str]
) -> None:
    rooms = DynamoRooms(moto, tables["RoomsTable"])
    rooms.put(listed(1), None, BEGIN)
    assert len(rooms.lobby(None, 10, None, LATER * 1_000 - 1).items) == 1
    assert rooms.lobby(None, 10, None, LATER * 1_000).items == []
