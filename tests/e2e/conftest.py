"""The deployed artefact: `make deploy` itself, against an emulator of AWS that enforces the roles'
policies and runs the functions from the zip. Only `make e2e` collects these tests."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import boto3
import pytest

from infra.aws import emulator

if "E2E" not in os.environ:
    collect_ignore_glob = ["test_*.py"]

ROOT: Final = Path(__file__).parents[2]
SPEED: Final = 40


class Aws(NamedTuple):
    """An account of its own, on loopback."""

    endpoint: str
    environment: dict[str, str]
    """What tools of AWS go by; nothing of whoever runs the tests."""

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=self.environment["AWS_DEFAULT_REGION"],
            aws_access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
        )

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "--silent", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )


class Stage(NamedTuple):
    """A deployed stack."""

    aws: Aws
    name: str
    url: str
    outputs: dict[str, str]
    said: str
    since: float
    """When it was there, by a monotonic clock."""

    def logs(self) -> list[str]:
        """Every line that its functions have told."""
        return self._told("ApiLogs") + self._told("BeatLogs")

    def beats(self) -> int:
        """How many have begun."""
        return sum(line.startswith("START") for line in self._told("BeatLogs"))

    def function(self, logical: str) -> str:
        """Its name."""
        client = self.aws.client("cloudformation")
        found = client.describe_stack_resource(
            StackName=f"sobremesa-{self.name}", LogicalResourceId=logical
        )
        client.close()
        return str(found["StackResourceDetail"]["PhysicalResourceId"])

    def _told(self, group: str) -> list[str]:
        client = self.aws.client("logs")
        pages = client.get_paginator("filter_log_events").paginate(logGroupName=self.outputs[group])
        lines = [event["message"].rstrip("\n") for page in pages for event in page["events"]]
        client.close()
        return lines


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with emulator.running(tmp_path_factory.mktemp("aws"), AUTH="true") as endpoint:
        yield Aws(
            endpoint,
            {
                **kept,
                "AWS_ENDPOINT_URL": endpoint,
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_CONFIG_FILE": os.devnull,
                "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
                "AWS_EC2_METADATA_DISABLED": "true",
            },
        )


@pytest.fixture(scope="session")
def stage(aws: Aws) -> Stage:
    return deployed(aws, "e2e")


def deployed(aws: Aws, name: str, parameters: str = "") -> Stage:
    """A new stage, by `make deploy`."""
    said = (f"STAGE={name}", "ARCHITECTURE=own", f"SPEED={SPEED}", f"PARAMETERS={parameters}")
    done = aws.make("deploy", *said)
    assert done.returncode == 0, done.stdout + done.stderr
    cloudformation = aws.client("cloudformation")
    [stack] = cloudformation.describe_stacks(StackName=f"sobremesa-{name}")["Stacks"]
    cloudformation.close()
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    # the emulator puts its port into some URLs, but not into the requests
    url = re.sub(r":\d+$", "", outputs["Url"].rstrip("/"))
    return Stage(aws, name, url, outputs, done.stdout, time.monotonic())
