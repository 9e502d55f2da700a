"""The real app over the real adapters: what outlives a request lies in DynamoDB, by moto."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.ports import Push
from tests.fakes import FakeClock
from tests.world import DiceRoom, Person, World

RANKED = {"ranked": True}


def lasting(
    client: Any, tables: Mapping[str, str], *, push: Push | None = None, **how: Any
) -> World:
    """A world over these tables; several of them are several machines."""
    return World(
        rooms=DynamoRooms(client, tables["RoomsTable"]),
        players=DynamoPlayers(client, tables["PlayersTable"]),
        push=push,
        **how,
    )


def wait(world: World, seconds: float) -> None:
    """Time goes by."""
    assert isinstance(world.service.clock, FakeClock)
    world.service.clock.wait(seconds)


def everything(client: Any, table: str) -> list[dict[str, Any]]:
    """All items of a table."""
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        answer = client.scan(TableName=table, **start)
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def text(items: Any) -> str:
    """Whatever it is, as one text to look for something in."""
    return json.dumps(items, ensure_ascii=False)


def finished(room: DiceRoom, loser: Person) -> None:
    """The match of two has begun and is over: `loser` has left it, and is back in the lobby."""
    room.start()
    assert loser.act(room.code, "leave").status == 200
    loser.join(room.code)


def me(person: Person) -> Any:
    return person.send("GET", "/v1/me").body


def results(person: Person) -> list[Any]:
    """The person's history, newest first, from as many pages as there are."""
    rows: list[Any] = []
    at = ""
    while True:
        reply = person.send("GET", f"/v1/me/results?limit=100{at}")
        assert reply.status == 200, reply.text
        rows += reply.body["items"]
        if reply.body["next_cursor"] is None:
            return rows
        at = f"&cursor={reply.body['next_cursor']}"
