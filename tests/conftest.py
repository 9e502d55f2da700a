"""What tests of every kind are given."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from infra.local import embedded
from tests.world import World

pytest.register_assert_rewrite("tests.scene")


@pytest.fixture
def world() -> World:
    """The real app over an empty store in memory, at a moment that stands still."""
    return World()


@pytest.fixture(scope="session")
def moto() -> embedded.Locked:
    """A client of a DynamoDB inside this process, without tables."""
    return embedded.dynamo({})


def fresh_tables() -> dict[str, str]:
    """Names that no other test uses, by logical id."""
    mark = uuid4().hex[:12]
    return {"RoomsTable": f"rooms-{mark}", "PlayersTable": f"players-{mark}"}


@pytest.fixture
def tables(moto: embedded.Locked) -> Iterator[dict[str, str]]:
    """Empty tables in `moto`, by logical id."""
    names = fresh_tables()
    embedded.create_tables(moto, names)
    yield names
    for name in names.values():  # moto copies all tables for every transaction
        moto.delete_table(TableName=name)
