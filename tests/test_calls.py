"""What a request costs: calls to DynamoDB, counted at its client (ARCHITECTURE 5).

These are real calls of boto3, answered by moto: what is counted here is what AWS would bill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from infra.local.embedded import Locked
from tests.fakes import FakeClock
from tests.world import AUTHORITY, DiceRoom, Reply, World, fresh_key

ACTION = {"GetItem": 1, "PutItem": 1}
POLL = {"GetItem": 1}
NOTHING: dict[str, int] = {}


class Counted(Locked):
    """A client that counts what is sent to DynamoDB; `calls` is by operation."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        operation = "".join(part.capitalize() for part in name.split("_"))
        call = super().__getattr__(name)

        def counted(**arguments: Any) -> Any:
            self.calls[operation] += 1
            return call(**arguments)

        return counted


class Counting:
    """A world over DynamoDB whose calls are counted."""

    def __init__(self, moto: Locked, tables: Mapping[str, str]) -> None:
        self.client = Counted(moto)
        self.clock = FakeClock()
        self.world = World(
            rooms=DynamoRooms(self.client, tables["RoomsTable"]),
            players=DynamoPlayers(self.client, tables["PlayersTable"]),
            clock=self.clock,
        )
        self.room = DiceRoom(self.world, 3)
        self.room.start()
        self.decision = self.room.decision
        self.turn, self.waiting = self.room.on_turn, self.room.waiting
        self.forget()

    def forget(self) -> None:
        self.client.calls.clear()

    @property
    def calls(self) -> dict[str, int]:
        return dict(self.client.calls)

    def bid(self, **how: Any) -> Reply:
        return self.turn.act(self.room.code, "bid", self.decision, quantity=1, face=3, how=how)


@pytest.fixture
def counting(moto: Locked, tables: Mapping[str, str]) -> Counting:
    """A match of three that has just begun."""
    return Counting(moto, tables)


def test_an_accepted_action_costs_one_read_and_one_write(counting: Counting) -> None:
    assert counting.bid().status == 200
    assert counting.calls == ACTION


def test_an_action_that_closes_what_is_due_costs_no_more(counting: Counting) -> None:
    counting.clock.wait(61)
    reply = counting.waiting.act(counting.room.code, "entropy", value="late")
    assert reply.view["match"]["phase"] == "reveal"
    assert counting.calls == ACTION


def test_a_poll_costs_one_read(counting: Counting) -> None:
    assert counting.turn.read(counting.room.code).status == 200
    assert counting.calls == POLL


def test_a_poll_that_finds_nothing_new_costs_one_read(counting: Counting) -> None:
    etag = counting.turn.read(counting.room.code).etag
    counting.forget()
    assert counting.turn.read(counting.room.code, etag).status == 304
    assert counting.calls == POLL


def test_a_poll_that_closes_a_phase_stores_it_before_it_is_shown(counting: Counting) -> None:
    counting.clock.wait(61)
    assert counting.turn.read(counting.room.code).view["match"]["phase"] == "reveal"
    assert counting.calls == {"GetItem": 1, "PutItem": 1}
    counting.forget()
    assert counting.waiting.read(counting.room.code).view["match"]["phase"] == "reveal"
    assert counting.calls == POLL


def test_a_replay_costs_one_read(counting: Counting) -> None:
    counting.bid(key="once")
    counting.forget()
    assert counting.bid(key="once").headers["Idempotency-Replayed"] == "true"
    assert counting.calls == POLL


def test_a_refusal_costs_one_read(counting: Counting) -> None:
    reply = counting.waiting.act(counting.room.code, "bid", counting.decision, quantity=1, face=3)
    assert reply.code == "not-your-turn"
    assert counting.calls == POLL


def test_a_refusal_that_finds_something_due_stores_it(counting: Counting) -> None:
    counting.clock.wait(61)
    assert counting.bid().code == "stale-decision"
    assert counting.calls == ACTION


def test_a_strangers_look_costs_the_same_whether_or_not_there_is_a_room(
    counting: Counting,
) -> None:
    sol = counting.world.person("Sol")
    for code in (counting.room.code, "ZZZZZZ"):
        counting.forget()
        assert sol.read(code).code == "not-found"
        assert counting.calls == POLL


def test_a_room_costs_a_memory_a_count_an_entry_and_itself(counting: Counting) -> None:
    counting.room.host.create()
    # who asks, before and after: forgotten since?; the rooms that are open already
    assert counting.calls == {"GetItem": 2, "Query": 1, "PutItem": 3, "UpdateItem": 1}


@pytest.mark.parametrize("name", [{}, {"name": "Sol"}])
def test_who_comes_in_is_looked_up(counting: Counting, name: dict[str, Any]) -> None:
    """Whoever was forgotten since the request was signed does not come back by it."""
    assert counting.world.person("Sol").act(counting.room.code, "join", **name).status == 200
    # the room, the guesses, the profile before and after; the inbox; the room, the entry in it
    assert counting.calls == {"GetItem": 4, "Query": 1, "PutItem": 2}


def test_a_profile_costs_one_call_either_way(counting: Counting) -> None:
    sol = counting.world.person("Sol")
    assert sol.send("PATCH", "/v1/me", {"name": "Sol"}).status == 200
    assert counting.calls == {"UpdateItem": 1}
    counting.forget()
    assert sol.send("GET", "/v1/me").body["name"] == "Sol"
    assert counting.calls == {"GetItem": 1}


def test_what_is_the_same_for_everybody_costs_nothing(counting: Counting) -> None:
    for path in ("health", "games", "games/liars-dice/rules", "games/liars-dice/odds"):
        assert counting.world.send("GET", f"/v1/{path}").status == 200
    assert counting.calls == NOTHING


@pytest.mark.parametrize(
    ("changes", "headers", "code"),
    [
        pytest.param({}, {"Signature": None}, "signature-missing", id="missing"),
        pytest.param({}, {"Signature": "sig1=:AAAA:"}, "signature-invalid", id="too short"),
        pytest.param({}, {"Signature": "nonsense"}, "signature-invalid", id="nonsense"),
        pytest.param({"created": -301}, {}, "signature-expired", id="stale"),
        pytest.param({"created": 31}, {}, "signature-expired", id="of the future"),
        pytest.param({"method": "GET"}, {}, "signature-invalid", id="of another method"),
        pytest.param({"path": "/v1/me"}, {}, "signature-invalid", id="of another path"),
        pytest.param({"body": b"{}"}, {}, "digest-mismatch", id="of another body"),
        pytest.param({}, {"Idempotency-Key": "x"}, "signature-invalid", id="of another key"),
    ],
)
def test_a_signature_that_is_not_right_costs_nothing(
    counting: Counting, changes: dict[str, Any], headers: dict[str, str | None], code: str
) -> None:
    body = b'{"decision":1,"action":{"type":"bid","quantity":1,"face":3}}'
    path = counting.room.path
    signed = counting.turn.device.sign(
        changes.get("method", "POST"),
        f"https://{AUTHORITY}{changes.get('path', path)}",
        changes.get("body", body),
        fresh_key(),
        created=counting.clock.real() // 1_000 + changes.get("created", 0),
    )
    sent = {name: value for name, value in (signed | headers).items() if value is not None}
    assert counting.world.send("POST", path, sent, body).code == code
    assert counting.calls == NOTHING
