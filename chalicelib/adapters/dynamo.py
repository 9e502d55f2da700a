"""Rooms and players in DynamoDB: one item a room, every write conditional (ARCHITECTURE 5).

The client is handed in, so the same code runs on AWS, on an emulator and embedded.
"""

from __future__ import annotations

from typing import Any, Final

from ..kernel.model import SECOND, Instant
from ..kernel.store import SCHEMA
from ..ports import LANE, Conflict, Created, Profile, Saving, Stored

DUE_INDEX: Final = "due"
PROFILE: Final = "profile"

Item = dict[str, dict[str, str]]


def _n(value: int) -> dict[str, str]:
    return {"N": str(value)}


def _s(value: str) -> dict[str, str]:
    return {"S": value}


class DynamoRooms:
    """The rooms table."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, code: str, now: Instant) -> Stored | None:
        answer = self._client.get_item(
            TableName=self._table, Key={"pk": _s(code)}, ConsistentRead=True
        )
        return _stored(answer.get("Item"), now)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        item: Item = {
            "pk": _s(saving.code),
            "version": _n(saving.version),
            "schema": _n(SCHEMA),
            "expires_at": _n(saving.expires_at),
            "doc": _s(saving.doc),
        }
        if saving.wake_at is not None:
            item |= {"lane": _s(LANE), "wake_at": _n(saving.wake_at)}
        if was is None:
            # an expired room may still lie there: TTL deletes late
            condition, values = "attribute_not_exists(pk) OR expires_at <= :now", _n(now // SECOND)
            name = ":now"
        else:
            condition, values, name = "version = :was", _n(was), ":was"
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

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        answer = self._client.query(
            TableName=self._table,
            IndexName=DUE_INDEX,
            KeyConditionExpression="lane = :lane AND wake_at >= :since",
            ExpressionAttributeValues={":lane": _s(lane), ":since": _n(since)},
            Limit=limit,
        )
        return [(int(item["wake_at"]["N"]), item["pk"]["S"]) for item in answer["Items"]]

    def lease(self, lane: str) -> tuple[str, Instant]:
        answer = self._client.get_item(TableName=self._table, Key={"pk": _s(f"beat/{lane}")})
        item = answer.get("Item")
        return (item["holder"]["S"], int(item["seen_at"]["N"])) if item else ("", 0)

    def take_lease(self, lane: str, holder: str, seen_at: Instant) -> None:
        self._client.put_item(
            TableName=self._table,
            Item={"pk": _s(f"beat/{lane}"), "holder": _s(holder), "seen_at": _n(seen_at)},
        )


def _stored(item: Item | None, now: Instant) -> Stored | None:
    """Absent from `expires_at` on, whether or not it has been deleted by then."""
    if item is None or int(item["expires_at"]["N"]) <= now // SECOND:
        return None
    return Stored(item["doc"]["S"], int(item["version"]["N"]), int(item["schema"]["N"]))


class DynamoPlayers:
    """The players table."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    def profile(self, player: str) -> Profile:
        answer = self._client.get_item(
            TableName=self._table,
            Key={"pk": _s(player), "sk": _s(PROFILE)},
            ConsistentRead=True,
        )
        return _profile(answer.get("Item", {}))

    def change_profile(self, player: str, changes: Profile) -> Profile | None:
        sets, names, values = ["#c = :c"], {"#c": "created"}, {":c": _n(changes.created)}
        for field, value in (("name", changes.name), ("locale", changes.locale)):
            if value is not None:
                sets.append(f"#{field} = :{field}")
                names[f"#{field}"] = field
                values[f":{field}"] = _s(value)
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key={"pk": _s(player), "sk": _s(PROFILE)},
                UpdateExpression="SET " + ", ".join(sets),
                ConditionExpression="attribute_not_exists(#c) OR #c <= :c",
                ExpressionAttributeNames=names,
                ExpressionAttributeValues=values,
                ReturnValues="ALL_NEW",
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return None
        return _profile(answer["Attributes"])

    def remember_creation(
        self, player: str, key_tag: str, creation: Created, now: Instant, expires_at: int
    ) -> Created:
        item = {
            "pk": _s(player),
            "sk": _s(f"made/{key_tag}"),
            "code": _s(creation.code),
            "body_tag": _s(creation.body_tag),
            "expires_at": _n(expires_at),
        }
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression="attribute_not_exists(pk) OR expires_at <= :now",
                ExpressionAttributeValues={":now": _n(now // SECOND)},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as refused:
            old = refused.response["Item"]
            return Created(old["code"]["S"], old["body_tag"]["S"])
        return creation

    def renumber_creation(self, player: str, key_tag: str, creation: Created) -> None:
        self._client.update_item(
            TableName=self._table,
            Key={"pk": _s(player), "sk": _s(f"made/{key_tag}")},
            UpdateExpression="SET code = :code",
            ExpressionAttributeValues={":code": _s(creation.code)},
        )


def _profile(item: Item) -> Profile:
    return Profile(
        name=item["name"]["S"] if "name" in item else None,
        locale=item["locale"]["S"] if "locale" in item else None,
        created=int(item["created"]["N"]) if "created" in item else 0,
    )
