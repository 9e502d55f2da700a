"""What was promised of costs holds on the model, and docs/cost.md says what the model says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import zip_longest

import pytest

from infra.aws import cost, cost_report
from infra.aws.cost import DOCUMENT, PRICE, Model
from infra.aws.metered import INDEXES, Bill, index_writes, size
from infra.aws.played import Played
from infra.local.embedded import RESOURCES

NUMBER = re.compile(r"\d[\d,]*\.?\d*")
STALE = "docs/cost.md is not what the model says any more: make cost"


@pytest.fixture(scope="module")
def played() -> Sequence[Played]:
    return cost.played_all()


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(cost.measured())


@pytest.mark.parametrize("pushed", [False, True], ids=["polling", "woken by push"])
def test_a_quarter_of_an_hour_for_six(played: Sequence[Played], model: Model, pushed: bool) -> None:
    found = cost_report.quarter(played)[pushed]
    assert (found.game, found.players, found.pushed) == ("liars-dice", 6, pushed)
    assert 14 * 60 <= found.seconds <= 16 * 60
    assert sum(model.match(found).values()) <= cost_report.MATCH_MOST[pushed]


@pytest.mark.parametrize("free", [True, False], ids=["within what is free", "nothing free"])
def test_an_idle_month(model: Model, free: bool) -> None:
    assert sum(model.idle_month(free=free).values()) <= cost_report.IDLE_MOST[free]


def test_an_hour_of_the_beat(model: Model) -> None:
    assert sum(model.beat_hour().values()) <= cost_report.BEAT_MOST


def test_an_hour_of_a_beat_that_can_never_leave_early(model: Model) -> None:
    """$0.006 is what 128 MB cost for an hour: handing over, the lease and looks come on top."""
    hour = model.beat_hour(busy=True)
    assert round(cost.compute(3_600_000, cost.BEAT_GB), 4) == cost_report.BEAT_MOST
    assert hour["milliseconds"] <= 1.06 * cost_report.BEAT_MOST
    assert sum(hour.values()) <= 1.2 * cost_report.BEAT_MOST


def test_idleness_is_within_the_allowances() -> None:
    starts = cost.MONTH_SECONDS / 60
    assert starts < cost.FREE["lambda_requests"]
    assert starts * cost.BEAT_GB < cost.FREE["lambda_gb_seconds"]  # a second each, at most
    assert cost.FREE["alarms"] >= cost.ALARMS


def test_the_document_is_what_the_model_says(played: Sequence[Played], model: Model) -> None:
    """Words to the letter, figures to a tenth: text and libraries change sizes a little."""
    told = cost_report.document(model, played, cost.measured())
    kept = DOCUMENT.read_text()
    assert NUMBER.sub("N", told) == NUMBER.sub("N", kept), STALE
    for new, old in zip_longest(NUMBER.findall(told), NUMBER.findall(kept)):
        now, then = (float(each.rstrip(".,").replace(",", "")) for each in (new, old))
        digit = 10.0 ** -len(old.partition(".")[2])
        assert now == pytest.approx(then, rel=0.1, abs=1.01 * digit), STALE


def test_the_indexes_are_those_that_are_priced() -> None:
    table = json.loads(RESOURCES.read_text())["Resources"]["RoomsTable"]["Properties"]
    for index in table["GlobalSecondaryIndexes"]:
        partition, sort = (each["AttributeName"] for each in index["KeySchema"])
        assert INDEXES[index["IndexName"]][:2] == (partition, sort)
    assert len(table["GlobalSecondaryIndexes"]) == len(INDEXES)


def test_every_price_says_where_it_comes_from() -> None:
    assert PRICE
    assert all(each["source"] for each in cost.TABLE["prices"].values())


def due(at: str) -> dict[str, dict[str, str]]:
    return {"pk": {"S": "ABCDEF"}, "lane": {"S": "0"}, "wake_at": {"N": at}}


@pytest.mark.parametrize(
    ("old", "new", "units"),
    [
        pytest.param({}, {}, 0, id="never there"),
        pytest.param({}, due("1"), 1, id="a new entry"),
        pytest.param(due("1"), due("1"), 0, id="the same entry"),
        pytest.param(due("1"), due("2"), 2, id="a moved entry is deleted and put"),
        pytest.param(due("1"), {}, 1, id="a gone entry"),
    ],
)
def test_index_units(
    old: dict[str, dict[str, str]], new: dict[str, dict[str, str]], units: int
) -> None:
    assert index_writes(old, new) == units


def test_sizes() -> None:
    assert size({"pk": {"S": "añb"}, "n": {"N": "1234"}}) == 2 + 4 + 1 + 4
    bill = Bill()
    bill.read(0.5)
    bill.written(3, 2)
    assert bill == Bill(calls=2, reads=0.5, writes=5, indexed=2)
