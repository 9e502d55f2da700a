"""Whole matches on the deployed stack, and what it told of them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from chalicelib.adapters.beat import EVENT
from chalicelib.games import GAMES
from chalicelib.ports import lane_of
from infra.local.client import Client
from infra.local.demo.__main__ import SCRIPTS
from infra.local.demo.table import Pace, Table, View, accepted, sent
from infra.local.demo.voice import Voice
from tests.e2e.conftest import SPEED, Aws, Stage, deployed

MATCH_SECONDS: Final = 90
LANES: Final = 3
NAMES: Final = ("Zanahoria", "Quetzal")
ENTROPY: Final = "canary-entropy-7Q"
LATE: Final = {"stale-decision", "already-answered", "not-your-turn", "too-early", "no-match"}
"""Refusals that even a polite client meets: somebody, or the clock, was faster."""
PROVOKED: Final = {
    "signature-missing",
    "signature-invalid",
    "not-found",
    "method-not-allowed",
    "too-large",
    "bad-json",
    "invalid-action",
    "illegal-action",
}


def seat(stage: Stage, game: str, bots: int) -> tuple[Table, Any]:
    """Two devices and some bots, in the lobby."""
    script = SCRIPTS[game](Voice(game, "en"))
    pace = Pace(SPEED, time.monotonic() + MATCH_SECONDS)
    table = Table(stage.url, script, NAMES, "en", pace, through=stage.aws.endpoint)
    table.open()
    table.sit()
    if script.entropies:
        table.give({NAMES[0]: ENTROPY})
    path = f"/v1/rooms/{table.code}/actions"
    for _ in range(bots):
        accepted(sent(table.host.client, "POST", path, {"action": {"type": "add-bot"}}))
    return table, script


def played(stage: Stage, game: str) -> View:
    table, _ = seat(stage, game, max(1, GAMES[game].seats.start - len(NAMES)))
    table.start()
    return table.play()


@pytest.fixture(scope="module")
def matches(stage: Stage) -> dict[str, View]:
    """The host's last view of a match of every game, all played at once."""
    with ThreadPoolExecutor(len(GAMES)) as pool:
        playing = {game: pool.submit(played, stage, game) for game in GAMES}
        return {game: each.result() for game, each in playing.items()}


def everything(value: Any) -> Iterator[tuple[str, Any]]:
    """Every (key, leaf) of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ((key, inner),) if not isinstance(inner, dict | list) else everything(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from everything(inner)
    else:
        yield "", value


def test_make_deploy_says_where_it_is_and_has_tried_it_out(stage: Stage) -> None:
    assert f"sobremesa-e2e is at {stage.url}" in stage.said
    assert re.search(r"playing a match there: over after \d+ s", stage.said)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_match_is_played_to_its_end(matches: dict[str, View], game: str) -> None:
    assert matches[game]["match"]["game"] == game
    assert matches[game]["match"]["outcome"]["status"] == "completed"


def test_the_woken_beat_ends_a_match_that_nobody_looks_at(stage: Stage) -> None:
    table, _ = seat(stage, "liars-dice", 1)
    table.start()
    over_by_itself(stage, table)


def over_by_itself(stage: Stage, table: Table) -> None:
    """The match ends though nobody polls: only its item in the store is looked at."""
    dynamo = stage.aws.client("dynamodb")
    tables = dynamo.list_tables()["TableNames"]
    [name] = [each for each in tables if f"-{stage.name}-" in each and "RoomsTable" in each]
    ends_at = time.monotonic() + MATCH_SECONDS
    while time.monotonic() < ends_at:
        item = dynamo.get_item(TableName=name, Key={"pk": {"S": table.code}})["Item"]
        if "wake_at" not in item:
            break
        time.sleep(0.2)
    dynamo.close()
    assert "wake_at" not in item, "the match still waits for somebody"
    view = accepted(sent(table.host.client, "GET", f"/v1/rooms/{table.code}"))
    assert view["match"]["outcome"] is not None


def test_refusals_are_ours_whatever_comes(stage: Stage) -> None:
    client = Client(stage.url, through=stage.aws.endpoint)
    http, url = client._http, stage.url
    secret = "canary-body-9X"
    answers = {
        ("GET", "/v1/rooms/222222", None): 401,
        ("GET", "/v1/nowhere", None): 404,
        ("GET", "/favicon.ico", None): 404,
        ("DELETE", "/v1/health", None): 405,
        ("POST", "/v1/rooms", "x" * 9_000): 413,
        ("OPTIONS", "/v1/rooms", None): 204,
    }
    for (method, path, body), status in answers.items():
        headers = {"Content-Type": "application/json"} if body else {}
        answer = http.request(method, url + path, data=body, headers=headers, timeout=30)
        assert answer.status_code == status, (method, path, answer.text)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        if status >= 400:
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert "Server-Now" in answer.headers
    reply = client.call("POST", "/v1/rooms", {"game": secret, "visibility": "private"})
    assert (reply.status, reply.body["code"]) == (400, "bad-request")
    assert client.call("GET", "/v1/rooms/222222").status == 404


def test_the_same_request_again_gives_the_same_answer(stage: Stage) -> None:
    client = Client(stage.url, through=stage.aws.endpoint)
    body = {"game": "liars-dice", "visibility": "private", "name": NAMES[0]}
    first, again = (client.call("POST", "/v1/rooms", body, key="k1") for _ in range(2))
    assert first.status == again.status == 201
    assert first.body["room"]["code"] == again.body["room"]["code"]
    assert again.headers["Idempotency-Replayed"] == "true"
    path = f"/v1/rooms/{first.body['room']['code']}"
    etag = client.call("GET", path).headers["ETag"]
    assert client.call("GET", path, etag=etag).status == 304


def test_make_logs_tells_them_in_order(stage: Stage, matches: dict[str, View]) -> None:
    done = stage.aws.make("logs", "STAGE=e2e", "MINUTES=5")
    assert done.returncode == 0, done.stderr
    told = [line.partition(" ")[2] for line in done.stdout.splitlines() if '"route"' in line]
    assert len(told) > 20
    assert "POST /v1/rooms" in told[0]


def test_a_stage_named_prod_keeps_real_time(aws: Aws) -> None:
    done = aws.make("deploy", "STAGE=prod", "ARCHITECTURE=own", "SPEED=2")
    assert done.returncode != 0
    assert "real time" in done.stderr


@pytest.fixture(scope="module")
def other(aws: Aws, stage: Stage) -> Stage:
    """Another stage beside the first: other door, other lanes."""
    return deployed(aws, "other", f"FrontDoor=http-api LogDays=1 Lanes={LANES} BeatConcurrency=10")


def test_an_http_api_does_as_well(other: Stage) -> None:
    assert "over after" in other.said


def test_in_every_lane_a_woken_beat_ends_a_match_that_nobody_looks_at(other: Stage) -> None:
    lanes: dict[str, Table] = {}
    while len(lanes) < LANES:
        table, _ = seat(other, "liars-dice", 1)
        lanes.setdefault(lane_of(table.code, LANES), table)
    for table in lanes.values():
        table.start()
    for table in lanes.values():
        over_by_itself(other, table)


def test_the_schedules_beat_starts_one_in_every_lane(other: Stage) -> None:
    function = other.function("Beat")
    before = other.beats()
    scheduled = EVENT | {"detail-type": "Scheduled Event", "detail": {}, "source": "aws.events"}
    client = other.aws.client("lambda")
    answer = client.invoke(FunctionName=function, Payload=json.dumps(scheduled))
    client.close()
    assert "FunctionError" not in answer
    ends_at = time.monotonic() + MATCH_SECONDS
    while other.beats() < before + LANES and time.monotonic() < ends_at:
        time.sleep(0.2)
    assert other.beats() >= before + LANES
    assert [line for line in other.logs() if '"level": "ERROR"' in line] == []


def test_the_logs_tell_what_was_answered_and_no_secret(
    stage: Stage, matches: dict[str, View]
) -> None:
    lines = stage.logs()  # by now the beats have ended, which tell of all they did at once
    text = "\n".join(lines)
    told = [json.loads(line) for line in lines if line.startswith("{")]
    others = [line for line in lines if not line.startswith(("{", "START", "END", "REPORT"))]
    assert others == []
    assert [line for line in told if line["level"] != "INFO"] == []

    requests = [line for line in told if "route" in line]
    assert {"request_id", "status", "ms"} <= set.intersection(*map(set, requests))
    assert 304 not in {line["status"] for line in requests}
    refused = {line["code"] for line in requests if line["status"] >= 400}
    assert refused <= LATE | PROVOKED | {"bad-request"}
    polls = [line for line in requests if line["route"] == "GET /v1/rooms/{code}"]
    assert {line["read_units"] for line in polls if line["status"] == 200} >= {1.0}

    sums: dict[str, float] = {}
    for line in told:
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", ()):
            assert directive["Namespace"] == "Sobremesa/e2e"
            assert directive["Dimensions"] == [[]]
            for metric in directive["Metrics"]:
                values = line[metric["Name"]]
                values = values if isinstance(values, list) else [values]
                sums[metric["Name"]] = sums.get(metric["Name"], 0) + sum(values)
    assert sums["MatchesFinished"] >= len(GAMES) + 1
    assert sums["ActionsAccepted"] > 20
    assert "BeatLateness" in sums
    assert "Failures" not in sums

    secrets = {*NAMES, ENTROPY, "canary-body-9X", "ed25519:", "p256:", "sig1=", '"dice"'}
    for view in matches.values():
        secrets.add(view["room"]["code"])
        secrets |= {member["player_id"] for member in view["room"]["members"]}
        for key, leaf in everything(view["match"]):
            if isinstance(leaf, str) and (len(leaf) >= 24 or key in ("trait", "place", "card")):
                secrets.add(leaf)
    assert [secret for secret in secrets if secret in text] == []


def test_the_rule_fires_the_beat(stage: Stage, matches: dict[str, View]) -> None:
    """Every start wakes a beat once; whatever else began is the schedule's."""
    wakes = 1 + len(matches) + 1  # the smoke test, the matches, and the one that nobody looks at
    ends_at = stage.since + 90
    while stage.beats() <= wakes and time.monotonic() < ends_at:
        time.sleep(0.5)
    assert stage.beats() > wakes


@pytest.mark.parametrize("name", ["other", "e2e"])
def test_make_destroy_leaves_nothing(aws: Aws, stage: Stage, name: str) -> None:
    done = aws.make("destroy", f"STAGE={name}")
    assert done.returncode == 0, done.stdout + done.stderr
    cloudformation, dynamo = aws.client("cloudformation"), aws.client("dynamodb")
    alive = cloudformation.list_stacks(StackStatusFilter=["CREATE_COMPLETE", "UPDATE_COMPLETE"])
    assert f"sobremesa-{name}" not in [each["StackName"] for each in alive["StackSummaries"]]
    assert [each for each in dynamo.list_tables()["TableNames"] if f"-{name}-" in each] == []
    cloudformation.close()
    dynamo.close()
