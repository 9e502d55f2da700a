"""What is told of an invocation, and what never is."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest

from chalicelib.adapters.telemetry import METRICS, MOST_VALUES, SAMPLE, Telemetry
from infra.local import embedded

POLL = "/v1/rooms/{code}"
ACTIONS = "/v1/rooms/{code}/actions"


class Told:
    """A logger with the handler under test, and what came of it. `luck` is what it draws."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.luck = 0.5
        self.telemetry = Telemetry("test", self.stream, lambda: self.luck)
        self.log = logging.Logger("sobremesa", logging.INFO)  # of its own: no other test hears it
        self.log.addHandler(self.telemetry)

    def request(
        self,
        status: int,
        *,
        path: str = POLL,
        body: str = "",
        headers: dict[str, str] | None = None,
        then: Callable[[], object] = lambda: None,
    ) -> list[dict[str, Any]]:
        method = "POST" if path == ACTIONS else "GET"
        event = {"requestContext": {"httpMethod": method, "resourcePath": path}}

        def run() -> dict[str, Any]:
            then()
            return {"statusCode": status, "body": body, "headers": headers or {}}

        assert self.telemetry.request(event, "id-1", run)["statusCode"] == status
        return self.lines()

    def lines(self) -> list[dict[str, Any]]:
        text = self.stream.getvalue()
        self.stream.seek(0)
        self.stream.truncate()
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def told() -> Iterator[Told]:
    made = Told()
    yield made
    made.log.removeHandler(made.telemetry)


def metrics(line: dict[str, Any]) -> dict[str, Any]:
    """What CloudWatch takes from a line."""
    if "_aws" not in line:
        return {}
    [directive] = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Sobremesa/test"
    assert directive["Dimensions"] == [[]], "a dimension's every value bills as a metric"
    return {each["Name"]: line[each["Name"]] for each in directive["Metrics"]}


def test_a_request_is_one_line(told: Told) -> None:
    [line] = told.request(200)
    assert line["timestamp"].endswith("+00:00")
    assert (line["level"], line["request_id"], line["status"]) == ("INFO", "id-1", 200)
    assert line["route"] == f"GET {POLL}"
    assert line["ms"] >= 0
    assert "code" not in line
    assert metrics(line) == {}


def test_nothing_new_is_no_line(told: Told) -> None:
    assert told.request(304) == []


@pytest.mark.parametrize("status", [304, 404])
def test_what_happened_on_the_way_to_an_untold_answer_is_counted(told: Told, status: int) -> None:
    """And is no line of a request: there is none for a 304, nor for most refusals."""
    conflict = partial(told.log.info, "somebody else wrote first", extra={"metric": "Conflicts"})
    [line] = told.request(status, body="{}", then=conflict)
    assert metrics(line) == {"Conflicts": 1}
    assert not {"route", "status", "ms"} & set(line)


def test_a_problem_is_told_by_its_code_alone(told: Told) -> None:
    body = '{"type":"urn:sobremesa:problem:stale-decision","detail":"said by Zanahoria"}'
    [line] = told.request(409, path=ACTIONS, body=body)
    assert line["code"] == "stale-decision"
    assert "Zanahoria" not in json.dumps(line)
    assert metrics(line) == {"ActionsRefused": 1}


@pytest.mark.parametrize("status", [401, 404, 405, 413, 415])
def test_a_flood_of_refusals_is_sampled(told: Told, status: int) -> None:
    assert told.request(status, path=ACTIONS, body="{}") == []
    told.luck = 0.5 / SAMPLE
    [line] = told.request(status, path=ACTIONS, body="{}")
    assert line["sampled"] == SAMPLE
    assert metrics(line) == {}


def test_actions_are_counted_once(told: Told) -> None:
    [line] = told.request(200, path=ACTIONS)
    assert metrics(line) == {"ActionsAccepted": 1}
    [line] = told.request(200, path=ACTIONS, headers={"Idempotency-Replayed": "true"})
    assert metrics(line) == {}


def test_counts_add_up_in_the_requests_line(told: Told) -> None:
    def conflicts() -> None:
        for _ in range(3):
            told.log.info("somebody else wrote first", extra={"metric": "Conflicts"})

    [line] = told.request(200, then=conflicts)
    assert metrics(line) == {"Conflicts": 3}
    [line] = told.request(200)
    assert metrics(line) == {}, "the next request starts anew"


def test_an_exception_is_its_types_and_where_it_was(told: Told) -> None:
    def fails() -> None:
        try:
            try:
                raise KeyError("Zanahoria")
            except KeyError as error:
                raise ValueError("the seed is 1234") from error
        except ValueError:
            told.log.exception("unexpected")

    error, line = told.request(500, then=fails)
    assert error["exception"].startswith("KeyError > ValueError at test_telemetry.py:")
    assert (error["level"], error["message"]) == ("ERROR", "unexpected")
    assert error["request_id"] == line["request_id"]
    assert "Zanahoria" not in json.dumps(error)
    assert "1234" not in json.dumps(error)
    assert line["code"] == "internal"
    assert metrics(line) == {"Failures": 1}


def test_a_beat_that_finds_nothing_says_nothing(told: Told) -> None:
    assert told.telemetry.beat("id-2", lambda: 0) == 0
    assert told.lines() == []


def test_how_late_the_beat_was_is_told_a_hundred_at_a_time(told: Told) -> None:
    def run() -> int:
        for late in range(MOST_VALUES + 20):
            told.log.info("fired", extra={"metric": "BeatLateness", "value": late})
        return MOST_VALUES + 20

    told.telemetry.beat("id-2", run)
    first, last = told.lines()
    assert len(metrics(first)["BeatLateness"]) == MOST_VALUES
    assert len(metrics(last)["BeatLateness"]) == 20
    assert last["fired"] == MOST_VALUES + 20


def test_units_are_what_dynamodb_says(told: Told, tables: dict[str, str]) -> None:
    embedded.dynamo({})
    client = boto3.client(
        "dynamodb",
        region_name="us-east-1",
        aws_access_key_id="embedded",
        aws_secret_access_key="embedded",
    )
    told.telemetry.watch(client)
    name = tables["RoomsTable"]

    def calls() -> None:
        client.get_item(TableName=name, Key={"pk": {"S": "a"}}, ConsistentRead=True)
        client.put_item(TableName=name, Item={"pk": {"S": "a"}})

    [line] = told.request(200, then=calls)
    assert line["read_units"] > 0
    assert line["write_units"] > 0
    client.close()


def test_whatever_is_counted_anywhere_is_a_metric_that_there_is() -> None:
    sources = (Path(__file__).parents[2] / "chalicelib").rglob("*.py")
    named = {
        name for file in sources for name in re.findall(r'{"metric": "(\w+)"', file.read_text())
    }
    assert named | {"ActionsAccepted", "ActionsRefused", "Failures"} == set(METRICS)


def test_a_count_that_nobody_knows_is_a_line_and_no_failure(told: Told) -> None:
    first, _ = told.request(200, then=lambda: told.log.info("hm", extra={"metric": "Surprises"}))
    assert first["message"] == "hm"
