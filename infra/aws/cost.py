"""What a match, an hour, an idle month and a flood cost: `make cost` plays, counts, prices, prints,
and writes docs/cost.md.

Counts come from whole matches played in this process (played.py), prices from prices.json, and
milliseconds from measured.json, so that the same tree gives the same figures; `--measure` takes
those anew.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml  # type: ignore[import-untyped]

from chalicelib import beat as beats
from chalicelib.kernel.model import SECOND
from chalicelib.ports import FIRST_LANE
from infra.aws.metered import Bill, MeteredPlayers, MeteredRooms
from infra.aws.played import Kind, Machine, Played, Sitting
from tests.fakes import FakeClock

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
DOCUMENT: Final = ROOT / "docs" / "cost.md"
MEASURED: Final = HERE / "measured.json"
TABLE: Final[Mapping[str, Any]] = json.loads((HERE / "prices.json").read_text())
PRICE: Final[Mapping[str, float]] = {name: each["is"] for name, each in TABLE["prices"].items()}
STACK: Final[Mapping[str, Any]] = yaml.safe_load((HERE / "stack.yaml").read_text())
FREE: Final[Mapping[str, float]] = TABLE["always_free_a_month"]

MILLION: Final = 1e6
GB: Final = 1e9
MONTH_SECONDS: Final = 30 * 86_400
API_MB: Final[int] = STACK["Resources"]["APIHandler"]["Properties"]["MemorySize"]
BEAT_MB: Final[int] = STACK["Resources"]["Beat"]["Properties"]["MemorySize"]
API_GB, BEAT_GB = API_MB / 1_024, BEAT_MB / 1_024
PROCESSOR_MB: Final = 1_769
"""At which a function has one whole processor; below, its share of one."""
CALL_MS: Final = 4.0
"""Assumed, as are the next ones: how long a call of DynamoDB is waited for."""
PUSH_MS: Final = 15.0
WAKE_MS: Final = 20.0
REQUESTS_A_START: Final = 1_000
"""While others play too, one request in so many waits for a function to start."""
STARTS_ALONE: Final = 3
IDLE_STARTS: Final = 720
"""A function that runs once a minute is started anew about hourly."""
ZIP_GB: Final = 0.010
ALARMS: Final = sum(
    each.get("Type") == "AWS::CloudWatch::Alarm" for each in STACK["Resources"].values()
)
API_CONCURRENCY: Final[int] = STACK["Parameters"]["ApiConcurrency"]["Default"]
BEAT_CONCURRENCY: Final[int] = STACK["Parameters"]["BeatConcurrency"]["Default"]
RATE: Final = 10 * API_CONCURRENCY
"""Requests a second that a function URL lets in."""


class Table(NamedTuple):
    """Who plays what, and how."""

    game: str
    players: int
    thinking: tuple[float, float]
    """Seconds, from and to."""
    doubts: int = 0
    """One bid in so many is called a lie out of hand; 0 leaves it to a bot's odds."""
    like: str = ""
    """Whom they play like, where two tables are alike otherwise."""


MATCHES: Final = (
    Table("liars-dice", 2, (3.0, 12.0)),
    Table("liars-dice", 6, (7.0, 18.0), 5, "people"),
    Table("liars-dice", 6, (1.5, 5.5), like="bots"),
    Table("almost-even", 3, (4.0, 20.0)),
    Table("almost-even", 12, (4.0, 20.0)),
    Table("crossed-coordinates", 4, (4.0, 20.0)),
    Table("crossed-coordinates", 12, (4.0, 20.0)),
)
QUARTER: Final = MATCHES[1]
"""The six at liar's dice for a quarter of an hour, whose cost was promised."""

Items = dict[str, float]
"""What is paid for -> dollars."""


def compute(milliseconds: float, gigabytes: float) -> float:
    return milliseconds / 1_000 * gigabytes * PRICE["lambda_gb_second"]


def units(bill: Bill) -> Items:
    return {
        "reads": bill.reads * PRICE["dynamodb_million_reads"] / MILLION,
        "writes": bill.writes * PRICE["dynamodb_million_writes"] / MILLION,
    }


def total(*many: Items) -> Items:
    """Item by item."""
    names = dict.fromkeys(name for each in many for name in each)
    return {name: sum(each.get(name, 0.0) for each in many) for name in names}


class Model:
    """Prices what was played, by these measurements."""

    def __init__(self, measured: Mapping[str, Any]) -> None:
        self._handler: Mapping[str, float] = measured["handler_ms"]
        self._call: float = measured["call_ms"]
        self._start: float = measured["start_ms"]

    def milliseconds(self, name: str, kind: Kind) -> float:
        """Of all requests of the kind together, in the function's share of a processor."""
        calls = kind.bill.calls + kind.pushes + kind.wakes
        working = kind.count * self._handler[name] + calls * self._call
        waiting = kind.bill.calls * CALL_MS + kind.pushes * PUSH_MS + kind.wakes * WAKE_MS
        share = BEAT_MB if name == "fire" else API_MB
        return working * PROCESSOR_MB / share + waiting

    def kind(self, name: str, kind: Kind) -> Items:
        """All requests of the kind. What the beat fires takes none, and its time is the beat's."""
        fired = name == "fire"
        requests = 0 if fired else kind.count
        return {
            "requests": (requests + kind.wakes) * PRICE["lambda_million_requests"] / MILLION,
            "milliseconds": 0.0 if fired else compute(self.milliseconds(name, kind), API_GB),
            "starts": self.starts(requests / REQUESTS_A_START),
            **units(kind.bill),
            "log": kind.log_bytes / GB * PRICE["logs_gb"],
            "push": kind.pushes
            * (PRICE["sns_million_publishes"] + PRICE["sns_million_pushes"])
            / MILLION,
            "transfer": kind.sent_bytes / GB * PRICE["transfer_gb"],
        }

    def starts(self, times: float, gigabytes: float = API_GB) -> float:
        return compute(times * self._start, gigabytes)

    def match(self, played: Played) -> Items:
        """While others play too: without the beat."""
        return total(*(self.kind(name, kind) for name, kind in played.kinds.items()))

    def alone(self, played: Played) -> Items:
        """With nobody else playing."""
        hours = (played.seconds + 60) / 3_600
        starts = self.starts(STARTS_ALONE) + self.starts(1, BEAT_GB)
        beat = sum(self.beat_hour().values()) * hours
        return total(self.match(played), {"starts": starts, "beat": beat})

    def beat_hour(self, *, busy: bool = False) -> Items:
        """The beat while some match is live, in which it finds nothing to do; `busy`: but
        something is about to fall due whenever it hands over."""
        bill, seconds = watching(busy=busy)
        times = 3_600_000 / beats.EVERY_MS
        return {
            "milliseconds": compute(times * seconds * 1_000, BEAT_GB),
            "requests": times * PRICE["lambda_million_requests"] / MILLION,
            **units(scaled(bill, times)),
        }

    def idle_month(self, *, free: bool) -> Items:
        """Nobody plays. `free`: what AWS gives for nothing for ever is left out."""
        bill = looking()
        times = MONTH_SECONDS / 60
        # the handler has little to do: it is the two calls that take time
        took = bill.calls * (self._call * PROCESSOR_MB / BEAT_MB + CALL_MS)
        items = {
            "requests": times * PRICE["lambda_million_requests"] / MILLION,
            "milliseconds": compute(times * took, BEAT_GB),
            "starts": self.starts(IDLE_STARTS, BEAT_GB),
            **units(scaled(bill, times)),
            "alarms": ALARMS * PRICE["alarm_month"],
            "zip": ZIP_GB * PRICE["s3_gb_month"],
        }
        if free:
            for name in ("requests", "milliseconds", "starts", "alarms"):
                items[name] = 0.0
        return items

    def flood(self, name: str, kind: Kind) -> Items:
        """A month of as many requests of the kind as the door lets in."""
        each = self.milliseconds(name, kind) / kind.count
        rate = min(RATE, API_CONCURRENCY / each * 1_000)
        one = self.kind(name, kind)
        items = {what: cost / kind.count * rate * MONTH_SECONDS for what, cost in one.items()}
        items["starts"] = 0.0
        return items


def scaled(bill: Bill, by: float) -> Bill:
    return Bill(
        round(bill.calls * by), bill.reads * by, round(bill.writes * by), round(bill.indexed * by)
    )


def watching(*, busy: bool) -> tuple[Bill, float]:
    """What a scheduled beat asks of the tables, and for how many seconds it stays: a turn is open
    for long, or `busy`, something is due when its successor comes."""
    world, bill = _quiet()
    host, guest = world.person("Ana"), world.person("Bo")
    code = host.create({"turn_seconds": 180})
    guest.join(code)
    host.act(code, "start", match=1)
    clock = world.clock
    if (
        busy
    ):  # so the index says, and there is nothing to do after all: firing has a price of its own
        rooms = world.rooms.items
        rooms[code] = rooms[code]._replace(wake_at=clock.at + beats.EVERY_MS)
    bill.__dict__.update(vars(Bill()))
    began = clock.at

    def successor() -> None:
        if clock.at - began > beats.EVERY_MS:  # just after a look: the next one sees it
            world.rooms.leases[FIRST_LANE] = ("successor", clock.at)

    clock.meanwhile = successor
    beats.beat(world.service, woken=False, seconds=150)
    return bill, (clock.at - began) / SECOND


def looking() -> Bill:
    """What a beat asks of the tables with nobody playing."""
    world, bill = _quiet()
    beats.beat(world.service, woken=False, seconds=150.0)
    return bill


def _quiet() -> tuple[Machine, Bill]:
    bill = Bill()
    rooms, players = MeteredRooms(bill), MeteredPlayers(bill)
    return Machine(rooms=rooms, players=players, clock=FakeClock()), bill


def unsigned() -> Kind:
    """One request without a signature."""
    world, bill = _quiet()
    reply = world.send("GET", "/v1/rooms/ABCDEF")
    assert reply.status == 401
    assert not bill.calls
    told = sum(len(name) + len(str(value)) + 4 for name, value in reply.headers.items())
    line = 250  # bytes of a refusal in the log, of which one in fifty is told
    return Kind(
        count=1, log_bytes=line // 50, sent_bytes=250 + told + len(reply.text), handler_ms=[0.5]
    )


def largest(kind: Kind) -> Kind:
    """The same, in a room as large as one can be made: 8 KB, twelve playing and 24 looking on."""
    bill = Bill(kind.bill.calls, kind.count * 2.0, kind.count * (8 + 2), kind.count * 2)
    return Kind(kind.count, bill, 0, kind.log_bytes, kind.sent_bytes, 0, kind.handler_ms)


def play(table: Table, *, pushed: bool) -> Played:
    return Sitting(
        table.game, table.players, pushed=pushed, thinking=table.thinking, doubts=table.doubts
    ).play()


def played_all() -> list[Played]:
    return [play(table, pushed=pushed) for table in MATCHES for pushed in (False, True)]


def measured() -> dict[str, Any]:
    """What measured.json says."""
    found: dict[str, Any] = json.loads(MEASURED.read_text())
    return found


def measure() -> None:
    """measured.json anew: medians over the matches, and the start of the app."""
    times: dict[str, list[float]] = {}
    for played in played_all():
        for name, kind in played.kinds.items():
            times.setdefault(name, []).extend(kind.handler_ms)
    middle = {name: sorted(each)[len(each) // 2] for name, each in times.items() if each}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = {"ROOMS_TABLE": "r", "PLAYERS_TABLE": "p", "AWS_DEFAULT_REGION": "us-east-1"}
    subprocess.run([sys.executable, "-c", "import app; app._service()"], check=True, env=settings)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = measured() | {
        "handler_ms": {name: round(each, 2) for name, each in sorted(middle.items())},
        "start_ms": round(took * 1_000, -1),
    }
    MEASURED.write_text(json.dumps(found, indent=2) + "\n")


def main() -> int:
    from infra.aws import cost_report

    if "--measure" in sys.argv:
        measure()
    told = cost_report.document(Model(measured()), played_all(), measured())
    print(told)
    DOCUMENT.write_text(told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
