"""Players in DynamoDB: profile, rooms entered, results, archive, devices, counts.

One table; `pk` is a player id, or `match/CODE`, `reports/PLAYER`, `pair/...`, `guesses/...`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
from .cursors import opened, sealed
from .dynamo import MOST_AT_ONCE, Item, number_of, text_of

PROFILE: Final = "profile"
LADDER_INDEX: Final = "ladder"
LADDER: Final = "temple"
REPORTS: Final = "reports/"
COUNT: Final = "count"
PAIR_SECONDS: Final = 2 * 86_400
LATEST: Final = 10**15
"""Newest first means counting down from here."""


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
                ConditionExpression="attribute_not_exists(#c) OR #c <= :c",
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

    def rooms(self, player: str) -> list[str]:
        return [item["sk"]["S"].partition("/")[2] for item in self._under(player, "in/")]

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
            start = {"pk": text_of(player), "sk": text_of(opened(of, cursor))}
        answer = self._query(player, "result/", limit, start)
        last = answer.get("LastEvaluatedKey")
        items = [json.loads(item["result"]["S"]) for item in answer["Items"]]
        return Page(items, sealed(of, last["sk"]["S"]) if last else None)

    def ladder(self, limit: int, cursor: str | None) -> Page:
        rank, start = 0, None
        if cursor is not None:
            rank_text, temple, player = opened(LADDER, cursor).split("/")
            rank = int(rank_text)
            start = {
                "ladder": text_of(LADDER),
                "temple": {"N": temple},
                "pk": text_of(player),
                "sk": text_of(PROFILE),
            }
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

    def drop_device(self, player: str, device: str) -> Device | None:
        answer = self._client.delete_item(
            TableName=self._table,
            Key={"pk": text_of(player), "sk": text_of(f"push/{device}")},
            ReturnValues="ALL_OLD",
        )
        return _device(answer["Attributes"]) if "Attributes" in answer else None

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
