"""What tests of every kind are given."""

from __future__ import annotations

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
def tables(moto: embedded.Locked) -> dict[str, str]:
    """Empty tables in `moto`, by logical id."""
    names = fresh_tables()
    embedded.create_tables(moto, names)
    return names
