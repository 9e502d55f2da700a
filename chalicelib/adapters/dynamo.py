"""Rooms in DynamoDB: one item a room, every write conditional (ARCHITECTURE 5).

The client is handed in, so the same code runs on AWS, on an emulator and embedded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from ..kernel.model import SECOND, Instant
from ..kernel.store import SCHEMA
from ..ports import Conflict, Page, Saving, Stored
from .cursors import going_on, opened, sealed

DUE_INDEX: Final = "due"
LOBBY_INDEX: Final = "lobby"
OPEN: Final = "open"
MOST_AT_ONCE: Final = 100
"""Items that DynamoDB gives for one question."""
LISTED: Final = re.compile("([a-z-]{1,40})#[0-9]{1,15}#([2-9A-Z]{6})")
"""A room's place on the public list: game, instant, code."""

Item = dict[str, dict[str, str]]


def number_of(value: int) -> dict[str, str]:
    return {"N": str(value)}


def text_of(value: str) -> dict[str, str]:
    return {"S": value}


class DynamoRooms:
    """The rooms table."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, code: str, now: Instant) -> Stored | None:
        answer = self._client.get_item(
            TableName=self._table, Key={"pk": text_of(code)}, ConsistentRead=True
        )
        return _stored(answer.get("Item"), now)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        item: Item = {
            "pk": text_of(saving.code),
            "version": number_of(saving.version),
            "schema": number_of(SCHEMA),
            "expires_at": number_of(saving.expires_at),
            "doc": text_of(saving.doc),
        }
        if saving.listing is not None:
            listed = f"{saving.game}#{saving.created_at}#{saving.code}"
            item |= {
                "lobby": text_of(OPEN),
                "listed": text_of(listed),
                "listing": text_of(saving.listing),
            }
        if saving.wake_at is not None:
            item |= {"lane": text_of(saving.lane), "wake_at": number_of(saving.wake_at)}
        if was is None:
            # an expired room may still lie there: TTL deletes late
            condition, values = (
                "attribute_not_exists(pk) OR expires_at <= :now",
                number_of(now // SECOND),
            )
            name = ":now"
        else:
            condition, values, name = "version = :was", number_of(was), ":was"
        errors = self._client.exceptions
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=condition,
                ExpressionAttributeValues={name: values},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except errors.ConditionalCheckFailedException as refused:
            raise Conflict(_stored(refused.response.get("Item"), now)) from None
        except errors.TransactionConflictException:
            raise Conflict(self.get(saving.code, now)) from None

    def many(self, codes: Sequence[str], now: Instant) -> dict[str, Stored]:
        found: dict[str, Stored] = {}
        for begin in range(0, len(codes), MOST_AT_ONCE):
            keys = [{"pk": text_of(code)} for code in codes[begin : begin + MOST_AT_ONCE]]
            wanted: dict[str, Any] = {self._table: {"Keys": keys, "ConsistentRead": True}}
            while wanted:
                answer = self._client.batch_get_item(RequestItems=wanted)
                for item in answer["Responses"].get(self._table, []):
                    stored = _stored(item, now)
                    if stored is not None:
                        found[item["pk"]["S"]] = stored
                wanted = answer.get("UnprocessedKeys", {})
        return found

    def lobby(self, game: str | None, limit: int, cursor: str | None, now: Instant) -> Page:
        condition = "lobby = :open"
        values = {":open": text_of(OPEN), ":now": number_of(now // SECOND)}
        of = f"lobby/{game or ''}"
        if game is not None:
            condition += " AND begins_with(listed, :game)"
            values[":game"] = text_of(f"{game}#")
        start = None
        if cursor is not None:
            listed = opened(of, cursor, LISTED)
            if game not in (None, listed[1]):
                raise ValueError("a cursor of another game")
            start = {
                "lobby": text_of(OPEN),
                "listed": text_of(listed[0]),
                "pk": text_of(listed[2]),
            }
        with going_on(self._client, cursor):
            answer = self._client.query(
                TableName=self._table,
                IndexName=LOBBY_INDEX,
                KeyConditionExpression=condition,
                FilterExpression="expires_at > :now",
                ExpressionAttributeValues=values,
                ScanIndexForward=False,
                Limit=limit,
                **({"ExclusiveStartKey": start} if start else {}),
            )
        last = answer.get("LastEvaluatedKey")
        items = [json.loads(item["listing"]["S"]) for item in answer["Items"]]
        return Page(items, sealed(of, last["listed"]["S"]) if last else None)

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        answer = self._client.query(
            TableName=self._table,
            IndexName=DUE_INDEX,
            KeyConditionExpression="lane = :lane AND wake_at >= :since",
            ExpressionAttributeValues={":lane": text_of(lane), ":since": number_of(since)},
            Limit=limit,
        )
        return [(int(item["wake_at"]["N"]), item["pk"]["S"]) for item in answer["Items"]]

    def lease(self, lane: str) -> tuple[str, Instant]:
        answer = self._client.get_item(
            TableName=self._table, Key={"pk": text_of(f"beat/{lane}")}, ConsistentRead=True
        )
        item = answer.get("Item")
        return (item["holder"]["S"], int(item["since"]["N"])) if item else ("", 0)

    def take_lease(self, lane: str, holder: str, since: Instant) -> None:
        self._client.put_item(TableName=self._table, Item=_lease(lane, holder, since))

    def drop_lease(self, lane: str, holder: str) -> None:
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.put_item(
                TableName=self._table,
                Item=_lease(lane, "", 0),
                ConditionExpression="holder = :holder",
                ExpressionAttributeValues={":holder": text_of(holder)},
            )


def _lease(lane: str, holder: str, since: Instant) -> Item:
    return {
        "pk": text_of(f"beat/{lane}"),
        "holder": text_of(holder),
        "since": number_of(since),
    }


def _stored(item: Item | None, now: Instant) -> Stored | None:
    """Absent from `expires_at` on, whether or not it has been deleted by then."""
    if item is None or int(item["expires_at"]["N"]) <= now // SECOND:
        return None
    return Stored(item["doc"]["S"], int(item["version"]["N"]), int(item["schema"]["N"]))
