"""Stores in memory that know what DynamoDB would have charged: units by the size of what the real
adapters write (docs/cost.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.kernel.model import Instant
from chalicelib.ports import Conflict, Finish, Page, Players, Saving, Stored
from tests.fakes import MemoryPlayers, MemoryRooms

READ_BYTES: Final = 4_096
WRITE_BYTES: Final = 1_024
INDEXES: Final = {"due": ("lane", "wake_at", ()), "lobby": ("lobby", "listed", ("listing",))}
"""Partition key, sort key and what else is projected, besides `expires_at` for the lobby; a test
compares them with the template."""


@dataclass
class Bill:
    """Calls of DynamoDB, and units; what the indexes take of those written is `indexed`."""

    calls: int = 0
    reads: float = 0.0
    writes: int = 0
    indexed: int = 0

    def read(self, units: float) -> None:
        self.calls += 1
        self.reads += units

    def written(self, units: int, indexed: int = 0) -> None:
        self.calls += 1
        self.writes += units + indexed
        self.indexed += indexed

    def add(self, other: Bill) -> None:
        self.calls += other.calls
        self.reads += other.reads
        self.writes += other.writes
        self.indexed += other.indexed


class Caught(Exception):  # names what happened
    """A call that the real adapter would have made."""


class _Client:
    """Stands where boto3's client would, and throws what it is asked."""

    class exceptions:  # noqa: N801  # boto3's own name
        class ConditionalCheckFailedException(Exception): ...

        class TransactionConflictException(Exception): ...

        class TransactionCanceledException(Exception): ...

    def __getattr__(self, name: str) -> Any:
        def call(**arguments: Any) -> None:
            raise Caught(arguments)

        return call


def asked(run: Callable[[], object]) -> dict[str, Any]:
    """What the real adapter says to DynamoDB."""
    try:
        run()
    except Caught as caught:
        arguments: dict[str, Any] = caught.args[0]
        return arguments
    raise AssertionError("no call was made")


def size(item: Mapping[str, Mapping[str, str]]) -> int:
    """Bytes of an item, as DynamoDB counts: names, texts as UTF-8, a number half its digits."""
    total = 0
    for name, value in item.items():
        total += len(name.encode())
        total += len(value["S"].encode()) if "S" in value else len(value["N"]) // 2 + 2
    return total


def reads(bytes_: int) -> int:
    return max(1, -(-bytes_ // READ_BYTES))


def writes(bytes_: int) -> int:
    return max(1, -(-bytes_ // WRITE_BYTES))


def index_writes(old: Mapping[str, Any], new: Mapping[str, Any]) -> int:
    """A new entry is one write, a gone one too, a moved one two, an unchanged one none."""
    units = 0
    for index, (partition, sort, projected) in INDEXES.items():
        kept = (*projected, "expires_at") if index == "lobby" else projected
        was, now = (
            {name: item[name] for name in (partition, sort, *kept) if name in item}
            if sort in item
            else {}
            for item in (old, new)
        )
        if was == now:
            continue
        moved = was.get(sort) != now.get(sort)
        if moved:
            units += sum(writes(size(each)) for each in (was, now) if each)
        else:
            units += max(writes(size(was)), writes(size(now)))
    return units


class MeteredRooms(MemoryRooms):
    """The rooms table, at a price."""

    def __init__(self, bill: Bill) -> None:
        super().__init__()
        self.bill = bill
        self._adapter = DynamoRooms(_Client(), "rooms")

    def get(self, code: str, now: Instant) -> Stored | None:
        self.calls.clear()
        self.bill.read(reads(size(self.item(self.items.get(code)))))
        return super().get(code, now)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        old, new = self.item(self.items.get(saving.code)), self.item(saving)
        units = max(writes(size(old)), writes(size(new)))
        try:
            super().put(saving, was, now)
        except Conflict:
            self.bill.written(units)
            raise
        self.bill.written(units, index_writes(old, new))

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        self.calls.clear()
        found = super().due(lane, since, limit)
        self.bill.read(reads(sum(32 + len(code) for _, code in found)) / 2)  # eventually consistent
        return found

    def lease(self, lane: str) -> tuple[str, Instant]:
        self.bill.read(1.0)
        return super().lease(lane)

    def take_lease(self, lane: str, holder: str, since: Instant) -> None:
        self.bill.written(1)
        super().take_lease(lane, holder, since)

    def drop_lease(self, lane: str, holder: str) -> None:
        self.bill.written(1)
        super().drop_lease(lane, holder)

    def many(self, codes: Sequence[str], now: Instant) -> dict[str, Stored]:
        self.bill.read(sum(reads(size(self.item(self.items.get(code)))) for code in codes))
        return super().many(codes, now)

    def lobby(self, game: str | None, limit: int, cursor: str | None, now: Instant) -> Page:
        page = super().lobby(game, limit, cursor, now)
        self.bill.read(reads(sum(200 + len(str(each)) for each in page.items)) / 2)
        return page

    def item(self, saving: Saving | None) -> dict[str, Any]:
        """The room's item as the real adapter writes it."""
        if saving is None:
            return {}
        item: dict[str, Any] = asked(lambda: self._adapter.put(saving, None, 0))["Item"]
        return item


READS: Final = {"profile": 1.0, "tallied": 0.5, "rooms": 1.0, "devices": 1.0}
WRITES: Final = {
    "tally": 1,
    "enter": 1,
    "remember_creation": 1,
    "renumber_creation": 1,
    "change_profile": 1,
    "put_device": 2,
}


UNPRICED: Final = {name for name in vars(Players) if not name.startswith("_")} - {
    *READS,
    *WRITES,
    "profiles",
    "archive",
}
"""Calls that no match makes; one that does gets a price first."""


class MeteredPlayers(MemoryPlayers):
    """The players table, at a price. All items but records are below a unit."""

    def __init__(self, bill: Bill) -> None:
        super().__init__()
        self.bill = bill
        self._adapter = DynamoPlayers(_Client(), "players")

    def __getattribute__(self, name: str) -> Any:
        assert name not in UNPRICED, name
        if name in READS:
            self.bill.read(READS[name])
        elif name in WRITES:
            for _ in range(WRITES[name]):
                self.bill.written(1)
        elif name == "profiles":
            self.calls.clear()
        return super().__getattribute__(name)

    def archive(self, finish: Finish) -> None:
        self.bill.read(len(finish.results))  # their profiles, which were read before
        units = 0
        for step in asked(lambda: self._adapter.archive(finish))["TransactItems"]:
            item = step.get("Put", {}).get("Item", {})
            moves = "ladder = :ladder" in str(step)
            units += 2 * writes(size(item)) + 2 * moves
        self.bill.written(units)
        super().archive(finish)
