"""Stores that promise the same: in memory, moto, and an emulator whose conditional writes are
atomic, which moto's are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import boto3
import pytest
from botocore.config import Config

from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.ports import Players, Rooms
from infra.aws import emulator
from infra.local.embedded import create_tables
from tests.conftest import fresh_tables
from tests.fakes import MemoryPlayers, MemoryRooms


class Stores(NamedTuple):
    """What one set of tables, or of dicts, is behind."""

    rooms: Rooms
    players: Players


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of the emulator, which runs for this session alone."""
    with emulator.running(tmp_path_factory.mktemp("ministack")) as endpoint:
        client = boto3.client(
            "dynamodb",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="emulated",
            aws_secret_access_key="emulated",
            config=Config(max_pool_connections=64),
        )
        yield client
        client.close()


def stores_on(client: Any) -> Stores:
    """Empty tables, by the adapter under test."""
    names = fresh_tables()
    create_tables(client, names)
    return Stores(
        DynamoRooms(client, names["RoomsTable"]), DynamoPlayers(client, names["PlayersTable"])
    )


def stores_by_name(request: pytest.FixtureRequest) -> Stores:
    if request.param == "memory":
        return Stores(MemoryRooms(), MemoryPlayers())
    return stores_on(request.getfixturevalue(request.param))


@pytest.fixture(params=["memory", "moto", "ministack"])
def stores(request: pytest.FixtureRequest) -> Stores:
    """Every store, empty."""
    return stores_by_name(request)


@pytest.fixture(params=["memory", "ministack"])
def atomic_stores(request: pytest.FixtureRequest) -> Stores:
    """The stores whose conditional writes are atomic by themselves."""
    return stores_by_name(request)
