"""Players in DynamoDB: profile, rooms entered, results, archive, devices, counts.

One table; `pk` is a player id, or `match/CODE`, `reports/PLAYER`, `endpoint/ARN`, `pair/...`,
`guesses/...`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from ..kernel.model import SECOND, Instant
from ..ports import (
    Created,
    Device,
    Finish,
    Gone,
    Moved,
    Page,
    PairLimit,
    Profile,
    Result,
)
from ..ratings import NEWCOMER, PAIR_LIMIT, Rating
from .cursors import going_on, opened, sealed
from .dynamo import MOST_AT_ONCE, Item, number_of, text_of

PROFILE: Final = "profile"
LADDER_INDEX: Final = "ladder"
LADDER: Final = "temple"
REPORTS: Final = "reports/"
COUNT: Final = "count"
PAIR_SECONDS: Final = 2 * 86_400
LATEST: Final = 10**15
"""Newest first means counting down from here."""
KEPT: Final = re.compile("result/[0-9]{1,15}/[2-9A-Z]{6}/[0-9]{1,9}")
"""A result's place in its player's history."""
RANKED: Final = re.compile(r"([1-9][0-9]{0,8})/(-?[0-9]{1,6}(?:\.[0-9]{1,2})?)/([a-z2-7]{26})")
"""A player's place on the ladder: rank, TEMPLE, id. To count ranks anew would read all before."""


class DynamoPlayers:
    """The players table."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    # --- profiles ------------------------------------------------------------------------------

    def profile(self, player: str) -> Profile:
        answer = self._client.get_item(
            TableName=self._table,
            Key={"pk": text_of(player), "sk": text_of(PROFILE)},
            ConsistentRead=True,
        )
        return _profile(answer.get("Item", {}))

    def profiles(self, players: Sequence[str]) -> dict[str, Profile]:
        keys = [{"pk": text_of(player), "sk": text_of(PROFILE)} for player in players]
        found: dict[str, Profile] = {}
        wanted: dict[str, Any] = {self._table: {"Keys": keys, "ConsistentRead": True}}
        while keys and wanted:
            answer = self._client.batch_get_item(RequestItems=wanted)
            for item in answer["Responses"].get(self._table, []):
                found[item["pk"]["S"]] = _profile(item)
            wanted = answer.get("UnprocessedKeys", {})
        return found

    def change_profile(self, player: str, changes: Profile) -> Profile | None:
        sets, names, values = ["#c = :c"], {"#c": "created"}, {":c": number_of(changes.created)}
        for field, value in (("name", changes.name), ("locale", changes.locale)):
            if value is not None:
                sets.append(f"#{field} = :{field}")
                names[f"#{field}"] = field
                values[f":{field}"] = text_of(value)
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key={"pk": text_of(player), "sk": text_of(PROFILE)},
                UpdateExpression="SET " + ", ".join(sets) + " REMOVE expires_at",
                # a tombstone on which nothing has been built refuses its own second, too
                ConditionExpression="attribute_not_exists(#c) OR #c < :c"
                " OR (#c = :c AND attribute_not_exists(expires_at))",
                ExpressionAttributeNames=names,
                ExpressionAttributeValues=values,
                ReturnValues="ALL_NEW",
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return None
        return _profile(answer["Attributes"])

    # --- rooms entered, and counts -------------------------------------------------------------

    def remember_creation(
        self, player: str, key_tag: str, creation: Created, now: Instant, expires_at: int
    ) -> Created:
        item = {
            "pk": text_of(player),
            "sk": text_of(f"made/{key_tag}"),
            "code": text_of(creation.code),
            "body_tag": text_of(creation.body_tag),
            "expires_at": number_of(expires_at),
        }
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression="attribute_not_exists(pk) OR expires_at <= :now",
                ExpressionAttributeValues={":now": number_of(now // SECOND)},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as refused:
            old = refused.response["Item"]
            return Created(old["code"]["S"], old["body_tag"]["S"])
        return creation

    def renumber_creation(self, player: str, key_tag: str, creation: Created) -> None:
        self._client.update_item(
            TableName=self._table,
            Key={"pk": text_of(player), "sk": text_of(f"made/{key_tag}")},
            UpdateExpression="SET code = :code",
            ExpressionAttributeValues={":code": text_of(creation.code)},
        )

    def forget_creation(self, player: str, key_tag: str) -> None:
        key = {"pk": text_of(player), "sk": text_of(f"made/{key_tag}")}
        self._client.delete_item(TableName=self._table, Key=key)

    def tally(self, whose: str, what: str, expires_at: int) -> int:
        answer = self._client.update_item(
            TableName=self._table,
            Key={"pk": text_of(whose), "sk": text_of(f"count/{what}")},
            UpdateExpression="ADD times :one SET expires_at = :until",
            ExpressionAttributeValues={":one": number_of(1), ":until": number_of(expires_at)},
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["times"]["N"])

    def tallied(self, whose: str, what: str) -> int:
        answer = self._client.get_item(
            TableName=self._table, Key={"pk": text_of(whose), "sk": text_of(f"count/{what}")}
        )
        return int(answer["Item"]["times"]["N"]) if "Item" in answer else 0

    def enter(self, player: str, code: str, expires_at: int) -> None:
        item = {
            "pk": text_of(player),
            "sk": text_of(f"in/{code}"),
            "expires_at": number_of(expires_at),
        }
        self._client.put_item(TableName=self._table, Item=item)

    def rooms(self, player: str, most: int) -> dict[str, int]:
        answer = self._query(player, "in/", most, None)
        return {
            item["sk"]["S"].partition("/")[2]: int(item["expires_at"]["N"])
            for item in answer["Items"]
        }

    def drop_room(self, player: str, code: str, until: int) -> None:
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.delete_item(
                TableName=self._table,
                Key={"pk": text_of(player), "sk": text_of(f"in/{code}")},
                ConditionExpression="expires_at <= :until",
                ExpressionAttributeValues={":until": number_of(until)},
            )

    # --- finished matches ----------------------------------------------------------------------

    def archive(self, finish: Finish) -> None:
        steps: list[dict[str, Any]] = [self._record(finish)]
        whom: list[str] = [""]
        if finish.pair is not None:
            steps.append(self._pair(finish.pair, finish.ended_at))
            whom.append("pair")
        for result in finish.results:
            steps += [self._rated(finish, result), self._kept(result)]
            whom += [result.player, ""]
        try:
            self._client.transact_write_items(TransactItems=steps)
        except self._client.exceptions.TransactionCanceledException as refused:
            reasons = refused.response["CancellationReasons"]
            failed = [
                (who, reason.get("Item", {}))
                for who, reason in zip(whom, reasons, strict=True)
                if reason["Code"] == "ConditionalCheckFailed"
            ]
            if reasons[0]["Code"] == "ConditionalCheckFailed":
                return  # kept already
            for who, item in failed:
                if who == "pair":
                    raise PairLimit from None
                if int(item.get("deleted_at", number_of(0))["N"]) >= finish.began_at:
                    raise Gone(who) from None
            raise Moved from None

    def _record(self, finish: Finish) -> dict[str, Any]:
        item = {
            "pk": text_of(f"match/{finish.code}"),
            "sk": text_of(f"{finish.match:06}/{LATEST - finish.created_at}"),
            "record": text_of(finish.record),
        }
        condition = "attribute_not_exists(pk)"
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": condition}}

    def _pair(self, pair: str, at: Instant) -> dict[str, Any]:
        return {
            "Update": {
                "TableName": self._table,
                "Key": {"pk": text_of(f"pair/{pair}"), "sk": text_of("count/rated")},
                "UpdateExpression": "ADD times :one SET expires_at = :until",
                "ConditionExpression": "attribute_not_exists(times) OR times < :most",
                "ExpressionAttributeValues": {
                    ":one": number_of(1),
                    ":most": number_of(PAIR_LIMIT),
                    ":until": number_of(at // SECOND + PAIR_SECONDS),
                },
            }
        }

    def _rated(self, finish: Finish, result: Result) -> dict[str, Any]:
        """The profile, unmoved since it was read and not forgotten since the match began."""
        key = {"pk": text_of(result.player), "sk": text_of(PROFILE)}
        here = "(attribute_not_exists(deleted_at) OR deleted_at < :began)"
        values = {":began": number_of(finish.began_at)}
        step = {
            "TableName": self._table,
            "Key": key,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if result.after is None or result.before is None:
            step |= {"ConditionExpression": here, "ExpressionAttributeValues": values}
            return {"ConditionCheck": step}
        sets = "SET temple = :temple, matches = :matches"
        values |= {
            ":temple": {"N": f"{result.after.temple:.2f}"},
            ":matches": number_of(result.after.matches),
        }
        if result.after.matches >= NEWCOMER:
            sets += ", ladder = :ladder"
            values[":ladder"] = text_of(LADDER)
        unmoved = "attribute_not_exists(matches)"
        if result.before.matches:
            unmoved = "matches = :was"
            values[":was"] = number_of(result.before.matches)
        step |= {
            "UpdateExpression": f"{sets} REMOVE expires_at",
            "ConditionExpression": f"{here} AND {unmoved}",
            "ExpressionAttributeValues": values,
        }
        return {"Update": step}

    def _kept(self, result: Result) -> dict[str, Any]:
        item: Item = {
            "pk": text_of(result.player),
            "sk": text_of(f"result/{LATEST - result.ended_at}/{result.code}/{result.match}"),
            "result": text_of(
                json.dumps(
                    {
                        "ended_at": result.ended_at,
                        "code": result.code,
                        "match": result.match,
                        "game": result.game,
                        "status": result.status,
                        "players": result.players,
                        "position": result.position,
                        "tied": result.tied,
                        "points": result.points,
                        "temple_before": _whole(result.before),
                        "temple_after": _whole(result.after),
                    }
                )
            ),
        }
        return {"Put": {"TableName": self._table, "Item": item}}

    def archived(self, code: str, match: int) -> list[str]:
        return [item["record"]["S"] for item in self._under(f"match/{code}", f"{match:06}/")]

    def results(self, player: str, limit: int, cursor: str | None) -> Page:
        of, start = f"results/{player}", None
        if cursor is not None:
            start = {"pk": text_of(player), "sk": text_of(opened(of, cursor, KEPT)[0])}
        with going_on(self._client, cursor):
            answer = self._query(player, "result/", limit, start)
        last = answer.get("LastEvaluatedKey")
        items = [json.loads(item["result"]["S"]) for item in answer["Items"]]
        return Page(items, sealed(of, last["sk"]["S"]) if last else None)

    def ladder(self, limit: int, cursor: str | None) -> Page:
        rank, start = 0, None
        if cursor is not None:
            rank_text, temple, player = opened(LADDER, cursor, RANKED).groups()
            rank = int(rank_text)
            start = {
                "ladder": text_of(LADDER),
                "temple": {"N": temple},
                "pk": text_of(player),
                "sk": text_of(PROFILE),
            }
        with going_on(self._client, cursor):
            answer = self._client.query(
                TableName=self._table,
                IndexName=LADDER_INDEX,
                KeyConditionExpression="ladder = :ladder",
                ExpressionAttributeValues={":ladder": text_of(LADDER)},
                ScanIndexForward=False,
                Limit=limit,
                **({"ExclusiveStartKey": start} if start else {}),
            )
        items = []
        for item in answer["Items"]:
            rank += 1
            profile = _profile(item)
            items.append(
                {
                    "rank": rank,
                    "player_id": item["pk"]["S"],
                    "name": profile.name,
                    "temple": _whole(profile.rating),
                    "matches": profile.rating.matches,
                }
            )
        last = answer.get("LastEvaluatedKey")
        key = f"{rank}/{last['temple']['N']}/{last['pk']['S']}" if last else None
        return Page(items, sealed(LADDER, key) if key else None)

    # --- push, reports, privacy ----------------------------------------------------------------

    def devices(self, player: str) -> list[Device]:
        return [_device(item) for item in self._under(player, "push/")]

    def put_device(self, player: str, device: Device) -> None:
        item = {
            "pk": text_of(player),
            "sk": text_of(f"push/{device.device}"),
            "platform": text_of(device.platform),
            "endpoint": text_of(device.endpoint),
        }
        self._client.put_item(TableName=self._table, Item=item)
        self._client.put_item(TableName=self._table, Item=_reached(player, device))

    def drop_device(self, player: str, device: str) -> Device | None:
        answer = self._client.delete_item(
            TableName=self._table,
            Key={"pk": text_of(player), "sk": text_of(f"push/{device}")},
            ReturnValues="ALL_OLD",
        )
        if "Attributes" not in answer:
            return None
        dropped = _device(answer["Attributes"])
        self._client.delete_item(TableName=self._table, Key=_reached(player, dropped))
        return dropped

    def release(self, player: str, device: Device) -> bool:
        key = _reached(player, device)
        self._client.delete_item(TableName=self._table, Key=key)
        return not self._query(key["pk"]["S"], "", 1, None)["Items"]

    def report(self, player: str, tag: str, report: Mapping[str, Any]) -> bool:
        pk = text_of(f"{REPORTS}{player}")
        try:
            self._client.put_item(
                TableName=self._table,
                Item={"pk": pk, "sk": text_of(tag), "report": text_of(json.dumps(dict(report)))},
                ConditionExpression="attribute_not_exists(pk)",
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        self._client.update_item(
            TableName=self._table,
            Key={"pk": pk, "sk": text_of(COUNT)},
            UpdateExpression="ADD times :one",
            ExpressionAttributeValues={":one": number_of(1)},
        )
        return True

    def reports(self, player: str) -> list[dict[str, Any]]:
        items = self._under(f"{REPORTS}{player}", "")
        return [json.loads(item["report"]["S"]) for item in items if "report" in item]

    def everything(self, player: str) -> list[dict[str, Any]]:
        return [
            {name: value.get("S", value.get("N")) for name, value in item.items() if name != "pk"}
            for item in self._under(player, "")
        ]

    def bury(self, player: str, now: Instant, created: int, expires_at: int) -> bool:
        tombstone: Item = {
            "pk": text_of(player),
            "sk": text_of(PROFILE),
            "created": number_of(created),
            "deleted_at": number_of(now),
            "expires_at": number_of(expires_at),
        }
        try:
            self._client.put_item(
                TableName=self._table,
                Item=tombstone,
                ConditionExpression="attribute_not_exists(created) OR created <= :c",
                ExpressionAttributeValues={":c": number_of(created)},
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def erase(self, player: str) -> None:
        for item in [*self._under(player, ""), *self._under(f"{REPORTS}{player}", "")]:
            if item["sk"]["S"] != PROFILE:
                key = {"pk": item["pk"], "sk": item["sk"]}
                self._client.delete_item(TableName=self._table, Key=key)
            if item["sk"]["S"].startswith("push/"):  # one that has come since they were released
                key = _reached(player, _device(item))
                self._client.delete_item(TableName=self._table, Key=key)

    # --- what they share -----------------------------------------------------------------------

    def _query(self, pk: str, prefix: str, limit: int, start: Item | None) -> dict[str, Any]:
        condition, values = "pk = :pk", {":pk": text_of(pk)}
        if prefix:
            condition += " AND begins_with(sk, :prefix)"
            values[":prefix"] = text_of(prefix)
        answer: dict[str, Any] = self._client.query(
            TableName=self._table,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
            Limit=limit,
            **({"ExclusiveStartKey": start} if start else {}),
        )
        return answer

    def _under(self, pk: str, prefix: str) -> list[Item]:
        items: list[Item] = []
        start = None
        while True:
            answer = self._query(pk, prefix, MOST_AT_ONCE, start)
            items += answer["Items"]
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return items


def _whole(rating: Rating | None) -> int | None:
    """TEMPLE as it is shown."""
    return None if rating is None else round(rating.temple)


def _device(item: Item) -> Device:
    name = item["sk"]["S"].partition("/")[2]
    return Device(name, item["platform"]["S"], item["endpoint"]["S"])


def _reached(player: str, device: Device) -> Item:
    """Key of what says that the device is reached at its endpoint: a token has but one, whoever
    registers it."""
    return {
        "pk": text_of(f"endpoint/{device.endpoint}"),
        "sk": text_of(f"{player}/{device.device}"),
    }


def _profile(item: Item) -> Profile:
    def number(name: str) -> int:
        return int(item[name]["N"]) if name in item else 0

    temple = float(item["temple"]["N"]) if "temple" in item else Rating().temple
    return Profile(
        name=item["name"]["S"] if "name" in item else None,
        locale=item["locale"]["S"] if "locale" in item else None,
        created=number("created"),
        rating=Rating(temple, number("matches")),
        deleted_at=number("deleted_at"),
    )
