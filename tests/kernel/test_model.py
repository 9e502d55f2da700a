"""A value cannot be changed into nonsense, and an error does not echo it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from chalicelib.games.liars_dice.model import LiarsDiceSettings
from chalicelib.kernel.decks import Pile
from chalicelib.kernel.model import hidden, uncovered
from tests.table import seed

PILE = Pile(seed=hidden(seed()), size=3)


def test_evolve_changes_what_it_is_told() -> None:
    assert PILE.evolve(cursor=2) == Pile(seed=hidden(seed()), size=3, cursor=2)
    assert PILE.cursor == 0


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"curser": 2}, id="a misspelt field"),
        pytest.param({"cursor": "2"}, id="a string for a number"),
        pytest.param({"cursor": 2.0}, id="a float for a whole number"),
        pytest.param({"cursor": None}, id="nothing for a number"),
    ],
)
def test_evolve_refuses_what_model_copy_takes(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        PILE.evolve(**changes)
    assert "input_value" not in str(refused.value)


def test_a_secret_is_kept_as_base64() -> None:
    assert uncovered(PILE.seed) == seed()
    assert Pile.model_validate_json(PILE.model_dump_json()) == PILE


def test_settings_are_stored_in_full() -> None:
    assert "turn_seconds" in LiarsDiceSettings().model_dump_json(exclude_defaults=True)
