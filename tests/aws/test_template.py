"""The template that is deployed, as `chalice package` and ours make it: for CloudFormation, for
the bill, and for the rules of the house."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

import app
from chalicelib.adapters.telemetry import METRICS
from infra.aws import emulator, package
from infra.aws.deploy import located

Template = dict[str, Any]


TRANSFORM: Final = """
import json, sys
from types import SimpleNamespace
from samtranslator.translator.transform import transform
print(json.dumps(transform(json.load(sys.stdin), {}, SimpleNamespace(load=dict))))
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """As it is sent to CloudFormation; what is in the zip does not matter here."""
    folder = tmp_path_factory.mktemp("package")
    package.run_chalice(folder / "project", folder / "out", "prod", "arm64", "us-east-1", [])
    made = json.loads(located(package.described(folder / "out"), "a-bucket", "prod/a.zip"))
    assert isinstance(made, dict)
    return made


@pytest.fixture(scope="module")
def transformed(template: Template) -> Template:
    """As CloudFormation sees it after the SAM transform."""
    done = subprocess.run(
        [tool("python"), "-c", TRANSFORM],
        env={"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "us-east-1"},
        input=json.dumps(template),
        capture_output=True,
        text=True,
        check=True,
    )
    made = json.loads(done.stdout)
    assert isinstance(made, dict)
    return made


def tool(name: str) -> Path:
    """A program of the emulator's virtual environment."""
    return emulator.program().with_name(name)


@pytest.mark.parametrize("which", ["template", "transformed"])
def test_cfn_lint_has_nothing_to_say(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file = tmp_path / "template.json"
    file.write_text(json.dumps(request.getfixturevalue(which), indent=1))
    done = subprocess.run([tool("cfn-lint"), file], capture_output=True, text=True)
    assert (done.stdout + done.stderr).strip() == ""
    assert done.returncode == 0


def test_it_is_small_enough_to_be_sent_without_a_bucket(template: Template) -> None:
    assert len(json.dumps(template, separators=(",", ":"))) < 51_200


def of_type(template: Template, kind: str) -> dict[str, Any]:
    return {name: r for name, r in template["Resources"].items() if r["Type"] == kind}


def test_there_is_no_rest_api(template: Template) -> None:
    assert not any("Serverless::Api" in r["Type"] for r in template["Resources"].values())
    assert "RestAPI" not in json.dumps(template)


def test_everything_that_bills_by_number_stays_within_the_free_ten(template: Template) -> None:
    assert len(METRICS) <= 10
    assert len(of_type(template, "AWS::CloudWatch::Alarm")) <= 10


def test_every_alarm_looks_at_a_metric_that_there_is_and_tells_somebody(
    template: Template,
) -> None:
    for alarm in of_type(template, "AWS::CloudWatch::Alarm").values():
        properties = alarm["Properties"]
        assert properties["AlarmActions"] == [{"Ref": "Alarms"}]
        if properties["Namespace"] != "AWS/Lambda":
            assert properties["Namespace"] == {"Fn::Sub": "Sobremesa/${Stage}"}
            assert properties["MetricName"] in METRICS
            assert "Dimensions" not in properties


def test_rooms_keep_no_history_and_players_do(template: Template) -> None:
    rooms = template["Resources"]["RoomsTable"]["Properties"]
    players = template["Resources"]["PlayersTable"]["Properties"]
    assert "PointInTimeRecoverySpecification" not in rooms
    assert "StreamSpecification" not in rooms
    assert players["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert {rooms["BillingMode"], players["BillingMode"]} == {"PAY_PER_REQUEST"}
    for table in (rooms, players):
        assert table["TimeToLiveSpecification"]["Enabled"]


def test_functions_log_json_for_some_days_and_nothing_of_lambdas_own(template: Template) -> None:
    functions = of_type(template, "AWS::Serverless::Function")
    assert set(functions) == {"APIHandler", "Beat"}
    for function in functions.values():
        logging = function["Properties"]["LoggingConfig"]
        assert (logging["LogFormat"], logging["SystemLogLevel"]) == ("JSON", "WARN")
        group = template["Resources"][logging["LogGroup"]["Ref"]]
        assert group["Properties"]["RetentionInDays"] == {"Ref": "LogDays"}


def test_the_beat_is_not_tried_again_since_the_next_one_comes(template: Template) -> None:
    config = template["Resources"]["Beat"]["Properties"]["EventInvokeConfig"]
    assert config["MaximumRetryAttempts"] == 0


def test_calls_that_hang_are_given_up_before_the_request_is(template: Template) -> None:
    patience: Any = app._patience()
    each = patience.connect_timeout + patience.read_timeout
    limit = template["Resources"]["APIHandler"]["Properties"]["Timeout"]
    assert patience.retries["total_max_attempts"] * each < limit


def test_prod_keeps_real_time_by_cloudformations_own_rule(template: Template) -> None:
    assert "ProdKeepsRealTime" in template["Rules"]
