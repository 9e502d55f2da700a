"""DynamoDB inside this process, by moto, with the tables of the real stack."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import boto3
from moto import mock_aws

RESOURCES = Path(__file__).parents[1] / "aws" / "resources.json"


class Locked:
    """A client that runs one call at a time: moto checks and writes in two steps."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()
        self.exceptions = client.exceptions

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def locked(**arguments: Any) -> Any:
            with self._lock:
                return call(**arguments)

        return locked


def create_tables(client: Any, names: dict[str, str]) -> None:
    """The tables of the stack exist; `names` maps their logical ids to names."""
    resources = json.loads(RESOURCES.read_text())["Resources"]
    for logical, name in names.items():
        properties = dict(resources[logical]["Properties"])
        for later in ("TimeToLiveSpecification", "PointInTimeRecoverySpecification"):
            properties.pop(later, None)
        client.create_table(TableName=name, **properties)


def dynamo(names: dict[str, str]) -> Locked:
    """A client of an empty embedded DynamoDB. It stays for the life of the process."""
    mock_aws().start()
    client = boto3.client(
        "dynamodb",
        region_name="us-east-1",
        aws_access_key_id="embedded",
        aws_secret_access_key="embedded",
    )
    create_tables(client, names)
    return Locked(client)
