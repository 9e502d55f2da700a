"""Where lists go on: what is given out is taken back, and what is made up leads nowhere else. The
emulator, unlike moto, refuses to start where a question does not reach."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.adapters.cursors import going_on, sealed
from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.ports import Finish, Page, Result, Saving
from chalicelib.ratings import NEWCOMER, Rating
from tests.adapters.conftest import Stores, stores_on

NOW: Final = 1_800_000_000_000
LATER: Final = NOW // 1_000 + 3_600
PEOPLE: Final = [letter * 26 for letter in "abcd"]
ANA: Final = PEOPLE[0]
CODE: Final = "ABCDEF"


@pytest.fixture(params=["moto", "ministack"])
def stores(request: pytest.FixtureRequest) -> Stores:
    """Four public rooms, and four matches of four players who are on the ladder."""
    stores = stores_on(request.getfixturevalue(request.param))
    for number in range(4):
        code, game = f"AAAAA{number + 2}", ("liars-dice", "almost-even")[number % 2]
        listing = json.dumps({"code": code, "game": game})
        stores.rooms.put(Saving(code, "{}", 1, None, LATER, listing, game, NOW + number), None, NOW)
    for number in range(1, 5):
        results = tuple(
            Result(
                player=player,
                ended_at=NOW + number,
                code=CODE,
                match=number,
                game="liars-dice",
                status="completed",
                players=4,
                position=1,
                tied=True,
                points=None,
                before=Rating() if number == 1 else Rating(1_500 + at / 4, NEWCOMER + number - 2),
                after=Rating(1_500 + at / 4, NEWCOMER + number - 1),
            )
            for at, player in enumerate(PEOPLE)
        )
        finish = Finish(CODE, NOW, number, NOW, NOW + number, '{"record":1}', results, None)
        stores.players.archive(finish)
    return stores


Pages = Callable[[Stores, str | None], Page]
LISTS: Final[dict[str, tuple[str, Pages]]] = {
    "lobby": ("lobby/", lambda s, at: s.rooms.lobby(None, 1, at, NOW)),
    "lobby of a game": ("lobby/liars-dice", lambda s, at: s.rooms.lobby("liars-dice", 1, at, NOW)),
    "results": (f"results/{ANA}", lambda s, at: s.players.results(ANA, 1, at)),
    "ladder": ("temple", lambda s, at: s.players.ladder(1, at)),
}


@pytest.mark.parametrize("name", LISTS)
def test_every_list_goes_on_to_its_end(stores: Stores, name: str) -> None:
    _, page = LISTS[name]
    seen: list[Any] = []
    at = None
    while True:
        found = page(stores, at)
        seen += found.items
        if found.cursor is None:
            break
        at = found.cursor
    assert len(seen) == (2 if name == "lobby of a game" else 4)
    assert len({json.dumps(each) for each in seen}) == len(seen)
    if name == "ladder":
        assert [row["rank"] for row in seen] == [1, 2, 3, 4]


MADE_UP: Final = {
    "lobby": [
        *("", "x", "x#1#" + "A" * 3_000, "liars-dice#9#", "#9#AAAAA2", "liars-dice#-9#AAAAA2"),
        *("liars-dice#9#AAAAA2\n", "liars-dice#٣#AAAAA2", "liars-dice#9#aaaaa2", "a#b#9#AAAAA2"),
    ],
    "lobby of a game": [f"almost-even#{NOW}#AAAAA2", f"liars-dic#{NOW}#AAAAA2"],
    "results": ["", "profile", "in/ABCDEF", "result/", "result/x/ABCDEF/1", "result/1/ABCDEF/-1"],
    "ladder": [
        *(f"1/abc/{ANA}", f"1/1e999/{ANA}", f"1/nan/{ANA}", f"1//{ANA}", f"1/1500/{ANA}/x"),
        *(f"-7/1500/{ANA}", f"0/1500/{ANA}", f"{'9' * 4_000}/1500/{ANA}", f"/1500/{ANA}"),
        *(f"1/{'9' * 40}/{ANA}", f"1/1500.000/{ANA}", "1/1500/match", "1/1500/", "1", "٣/1500/a"),
    ],
}


@pytest.mark.parametrize("name", LISTS)
def test_a_made_up_cursor_that_names_no_place_of_the_list_is_refused(
    stores: Stores, name: str
) -> None:
    of, page = LISTS[name]
    for key in MADE_UP[name]:
        with pytest.raises(ValueError, match="curs"):
            page(stores, sealed(of, key))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("lobby", f"crossed-coordinates#{NOW}#ZZZZZZ"),
        ("lobby of a game", "liars-dice#999999999999999#222222"),
        ("results", "result/1/222222/9"),
        ("ladder", f"999999999/-999999.99/{ANA}"),
        ("ladder", f"1/999999/{'z' * 26}"),
    ],
)
def test_a_made_up_place_shows_what_the_list_shows(stores: Stores, name: str, key: str) -> None:
    of, page = LISTS[name]
    honest: list[Any] = []
    at = None
    while not honest or at is not None:
        found = page(stores, at)
        honest += found.items
        at = found.cursor
    for item in page(stores, sealed(of, key)).items:
        assert item | {"rank": 0} in [each | {"rank": 0} for each in honest]


class Refusing:
    """A client of tables that take no start, as DynamoDB says it."""

    def __init__(self, client: Any) -> None:
        self.exceptions = client.exceptions

    def query(self, **_: Any) -> Any:
        problem = {"Error": {"Code": "ValidationException"}}
        raise self.exceptions.ClientError(problem, "Query")


def test_a_place_that_dynamodb_refuses_is_no_cursor(moto: Any) -> None:
    client = Refusing(moto)
    stores = Stores(DynamoRooms(client, "rooms"), DynamoPlayers(client, "players"))
    for name, key in {
        "lobby": f"liars-dice#{NOW}#AAAAA2",
        "results": f"result/1/{CODE}/1",
        "ladder": f"1/1500/{ANA}",
    }.items():
        of, page = LISTS[name]
        with pytest.raises(ValueError, match="not a cursor"):
            page(stores, sealed(of, key))
        with pytest.raises(client.exceptions.ClientError):  # then it is the question
            page(stores, None)


def test_the_emulator_says_it_as_dynamodb_does(ministack: Any) -> None:
    """A start outside of what is asked for, which no cursor leads to any more."""
    table = stores_on(ministack).players._table  # type: ignore[attr-defined]

    def asked() -> None:
        ministack.query(
            TableName=table,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={":pk": {"S": ANA}, ":prefix": {"S": "result/"}},
            ExclusiveStartKey={"pk": {"S": ANA}, "sk": {"S": "profile"}},
        )

    with pytest.raises(ValueError, match="not a cursor"), going_on(ministack, "AAAA"):
        asked()
