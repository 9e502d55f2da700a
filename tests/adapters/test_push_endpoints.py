"""Endpoints of Amazon SNS by the emulator, which moto's are checked against: tests/test_push.py has
the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from chalicelib.adapters.push import SnsPush

MESSAGE = {"title": "t", "body": "b", "code": "ABCDEF", "decision": "1", "kind": "your-move"}


@pytest.fixture
def sns(ministack: Any) -> Iterator[Any]:
    client = boto3.client(
        "sns",
        endpoint_url=ministack.meta.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="emulated",
        aws_secret_access_key="emulated",
    )
    yield client
    client.close()


def test_an_endpoint_is_made_once_sent_to_enabled_again_and_forgotten(sns: Any) -> None:
    application = sns.create_platform_application(
        Name="app", Platform="GCM", Attributes={"PlatformCredential": "x"}
    )["PlatformApplicationArn"]
    push = SnsPush(sns, {"fcm": application})
    made = push.register("fcm", "token-of-a-phone")
    assert made is not None
    assert push.send(made, "fcm", MESSAGE)
    sns.set_endpoint_attributes(EndpointArn=made, Attributes={"Enabled": "false"})
    assert push.register("fcm", "token-of-a-phone") == made
    attributes = sns.get_endpoint_attributes(EndpointArn=made)["Attributes"]
    assert attributes["Enabled"] == "true"
    push.forget(made)
    push.forget(made)
    assert not push.send(made, "fcm", MESSAGE)
