"""Push on a deployed stage, by its own functions, roles and settings: from the registration of a
phone to its dead endpoint. tests/e2e/sns.py says what of SNS is like AWS's here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple
from uuid import uuid4

import pytest

from chalicelib import content
from infra.aws.smoke import Script
from infra.local.client import Client
from infra.local.demo.table import Pace, Seated, Table, accepted, sent
from tests.e2e.conftest import SPEED, Aws, Stage, deployed
from tests.e2e.sns import FUNCTIONS, PLATFORMS, Call, Sns, running

NAMES: Final = ("Zanahoria", "Quetzal")
CANARY: Final = "canary-token-"
SECONDS: Final = 60


@pytest.fixture(scope="module")
def sns(aws: Aws) -> Iterator[Sns]:
    with running(aws) as sns:
        yield sns


@pytest.fixture(scope="module")
def stage(aws: Aws, sns: Sns) -> Iterator[Stage]:
    """A stage with push for Google's phones and for Apple's under test."""
    google, apple = (sns.application(platform) for platform in PLATFORMS)
    stage = deployed(aws, "push", f"FcmApplication={google} ApnsSandboxApplication={apple}")
    # new settings end what runs: the beat of the deployment's own match would leave its lease
    until(lambda: a_beat_has_ended(stage))
    sns.serve("push")
    yield stage
    done = aws.make("destroy", "STAGE=push")
    assert done.returncode == 0, done.stdout + done.stderr


def a_beat_has_ended(stage: Stage, since: float = 0) -> bool:
    """From that second on. Only then the emulator has what it told."""
    client = stage.aws.client("logs")
    group, start = stage.outputs["BeatLogs"], int(since * 1_000)
    events = client.filter_log_events(logGroupName=group, startTime=start)["events"]
    client.close()
    return any(event["message"].startswith("END") for event in events)


def until(holds: Callable[[], bool]) -> None:
    """It holds, if not at once then soon."""
    ends_at = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < ends_at
        time.sleep(0.1)


class Phone(NamedTuple):
    """A player's device, and what its platform calls it."""

    sns: Sns
    client: Client
    platform: str
    token: str

    def put(self) -> None:
        body = {"platform": self.platform, "token": self.token}
        assert self.client.call("PUT", "/v1/me/push/phone", body).status == 204

    def delete(self) -> None:
        assert self.client.call("DELETE", "/v1/me/push/phone").status == 204

    def endpoint(self) -> Any:
        return self.sns.endpoint(self.platform, self.token)

    def is_kept(self) -> bool:
        """Does the service know of it?"""
        items = accepted(sent(self.client, "GET", "/v1/me/export"))["items"]
        return any(item["sk"] == "push/phone" for item in items)


def phone(sns: Sns, client: Client, platform: str) -> Phone:
    """A new one, registered."""
    made = Phone(sns, client, platform, CANARY + uuid4().hex)
    made.put()
    return made


def seat(stage: Stage, sns: Sns) -> tuple[Table, list[Phone]]:
    """Two players in a lobby of liar's dice, each with a phone."""
    pace = Pace(SPEED, time.monotonic() + SECONDS)
    table = Table(stage.url, Script(), NAMES, "en", pace, through=stage.aws.endpoint)
    table.open()
    table.sit()
    table.configure({"bullets": 5})  # the match is short
    pairs = zip(table.devices, PLATFORMS, strict=True)
    return table, [phone(sns, device.client, platform) for device, platform in pairs]


def view(table: Table, device: Seated) -> Any:
    return accepted(sent(device.client, "GET", f"/v1/rooms/{table.code}"))


def bid(table: Table) -> None:
    """Somebody has bid: whoever was drawn to begin or, if the clock was faster, the next."""

    def done() -> bool:
        for device in table.devices:
            match = view(table, device)["match"]
            if match["your_move"] and not match["public"]["bids"]:
                action = {"type": "bid", "quantity": 1, "face": 6}
                return device.client.act(table.code, action, match["decision"]).status == 200
        return False

    until(done)


def message(call: Call, platform: str) -> Any:
    """What was published, read."""
    found = json.loads(call.asked["Message"])
    return found | {PLATFORMS[platform]: json.loads(found[PLATFORMS[platform]])}


def data(message: Any) -> dict[str, str]:
    """Where to look, wherever the platform has it."""
    [body] = [each for name, each in message.items() if name != "default"]
    found = body["fcmV1Message"]["message"]["data"] if "fcmV1Message" in body else body
    return {name: found[name] for name in ("code", "decision", "kind")}


def contract(platform: str, code: str, decision: str, kind: str) -> Any:
    """What the guide for client writers shows, and SNS's own default, which no phone gets."""
    words = content.push_text(kind, "liars-dice", "en")
    where = {"code": code, "decision": decision, "kind": kind}
    bodies = {
        "fcm": {
            "fcmV1Message": {
                "message": {
                    "notification": words,
                    "data": where,
                    "android": {"collapse_key": code},
                }
            }
        },
        "apns-sandbox": {"aps": {"alert": words, "thread-id": code}, **where},
    }
    return {"default": words["body"], PLATFORMS[platform]: bodies[platform]}


def test_a_token_has_an_endpoint_while_its_device_is_registered(stage: Stage, sns: Sns) -> None:
    made = phone(sns, Client(stage.url, through=stage.aws.endpoint), "fcm")
    first = made.endpoint()
    assert first["Attributes"] == {"Enabled": "true", "Token": made.token}
    sns.disable(first["EndpointArn"])
    made.put()
    assert made.endpoint() == first
    made.delete()
    assert made.endpoint() is None
    assert not made.is_kept()


def test_both_functions_tell_phones_where_to_look_and_nothing_more(stage: Stage, sns: Sns) -> None:
    table, phones = seat(stage, sns)
    players = [member["player_id"] for member in view(table, table.host)["room"]["members"]]
    endpoints = {each.endpoint()["EndpointArn"]: each for each in phones}
    table.start()
    bid(table)  # and from now on nobody looks
    until(lambda: all("match-over" in str(sns.done("Publish", to)) for to in endpoints))

    kinds: dict[str, set[str]] = {function: set() for function in FUNCTIONS}
    for to, each in endpoints.items():
        for call in sns.done("Publish", to):
            got = message(call, each.platform)
            where = data(got)
            assert got == contract(each.platform, table.code, where["decision"], where["kind"])
            assert where["decision"].isdecimal()
            assert [secret for secret in (*NAMES, *players) if secret in str(call.asked)] == []
            kinds[call.function].add(where["kind"])
    assert kinds["APIHandler"] >= {"match-started", "your-move"}
    assert kinds["Beat"] >= {"phase-opened", "match-over"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_disabled_endpoint_costs_the_device_and_not_the_match(
    stage: Stage, sns: Sns, function: str
) -> None:
    table, (hosts, guests) = seat(stage, sns)
    # a start wakes the guest; what time brings when nobody moves, the host too
    dead = guests if function == "APIHandler" else hosts
    endpoint = dead.endpoint()["EndpointArn"]
    sns.disable(endpoint)
    table.start()
    until(lambda: not dead.is_kept())
    assert dead.endpoint() is None
    assert [call.function for call in sns.done("DeleteEndpoint", endpoint)] == [function]
    until(lambda: view(table, table.host)["match"]["outcome"] is not None)


def test_the_roles_reach_this_stages_applications_and_no_other(stage: Stage, sns: Sns) -> None:
    others = sns.application("fcm", "theirs")
    endpoint = others.replace(":app/", ":endpoint/") + f"/{uuid4()}"
    for function in FUNCTIONS:
        for action in ("Publish", "SetEndpointAttributes", "DeleteEndpoint"):
            assert not sns.allows(function, action, endpoint)
        assert not sns.allows(function, "CreatePlatformEndpoint", others)
    assert not sns.allows("Beat", "CreatePlatformEndpoint", sns.application("fcm"))


def test_nothing_was_refused_and_the_logs_tell_of_no_failure_and_no_token(
    stage: Stage, sns: Sns
) -> None:
    assert [call for call in sns.calls if call.status == 403] == []
    last = max((call.at for call in sns.calls if call.function == "Beat"), default=0)
    until(lambda: a_beat_has_ended(stage, last))
    lines = stage.logs()
    assert [line for line in lines if "PushFailures" in line or CANARY in line] == []
