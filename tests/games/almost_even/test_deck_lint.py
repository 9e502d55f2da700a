"""The shipped deck has no fault that a machine can find, and the machine finds them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from chalicelib import content
from chalicelib.games.almost_even import GAME, cards
from infra.content.deck_lint import faults

DECKS = {locale: content.of_game(GAME.key, locale)["deck"] for locale in content.LOCALES}
SHIPPED = json.loads((Path(__file__).parent / "shipped_ids.json").read_text())


@pytest.mark.parametrize("locale", content.LOCALES)
def test_the_deck_is_clean(locale: str) -> None:
    assert list(faults(DECKS[locale], locale)) == []


def test_the_deck_is_as_large_as_promised() -> None:
    assert len(cards.ids()["cards"]) >= 144
    assert len(cards.ids()["reserves"]) >= 36


@pytest.mark.parametrize("deck", ["cards", "reserves"])
def test_ids_are_only_ever_appended(deck: str) -> None:
    """A room keeps numbers: what has shipped stays where it is."""
    assert list(cards.ids()[deck])[: len(SHIPPED[deck])] == SHIPPED[deck]


CLEAN: dict[str, Any] = {
    "cards": {
        "ae-one": {
            "prompt": "Dos filas llevan a la misma puerta.",
            "twists": [{"a": "Una fila larga que avanza", "b": "Una fila corta que se para"}] * 3,
        },
        "ae-two": {
            "prompt": "En el armario hay sitio para un abrigo.",
            "twists": [{"a": "El verde, con botones", "b": "El gris, con capucha"}] * 3,
        },
    },
    "reserves": {},
}


@pytest.mark.parametrize(
    ("where", "text", "what"),
    [
        pytest.param("a", "", "blank", id="a side is missing"),
        pytest.param("a", "Una fila larga que avanza ", "blank", id="a trailing space"),
        pytest.param("a", "Una fila  larga que avanza", "blank", id="a doubled space"),
        pytest.param("a", "Una fila larga que avanza.", "punctuation", id="a final stop"),
        pytest.param("a", "«Una fila larga que pasa»", "punctuation", id="quotes"),
        pytest.param("a", "una fila larga que avanza", "begins small", id="a small letter"),
        pytest.param("a", "Una fila de 30 que avanza", "digits", id="digits"),
        pytest.param("a", "Una fila", "unequal", id="sides of unequal length"),
        pytest.param("a", "Una fila corta que se para", "same side", id="equal sides"),
        pytest.param("a", "U" * 81, "too long", id="a side over 80"),
        pytest.param("a", "Una cola larga que avanza", "blocked: cola", id="a regional word"),
        pytest.param("a", "Una fila con vino que anda", "blocked: vino", id="alcohol"),
        pytest.param("a", "Una fila que te espera ahí", "blocked: te", id="somebody addressed"),
        pytest.param("a", "Una fila larga que avanzo\u0301", "not composed", id="a loose accent"),
        pytest.param("prompt", "Cuál de las dos filas?", "unpaired", id="no ¿"),
        pytest.param("prompt", "Dos filas llevan a la puerta", "not end", id="no stop"),
        pytest.param("prompt", "Dos filas " * 7 + ".", "too long", id="a prompt over 60"),
        pytest.param(
            "prompt", "En el armario hay sitio para un abrigo.", None, id="an equal prompt alone"
        ),
    ],
)
def test_a_fault_is_found(where: str, text: str, what: str | None) -> None:
    deck = copy.deepcopy(CLEAN)
    assert list(faults(deck, "es")) == []
    card = deck["cards"]["ae-one"]
    if where == "prompt":
        card["prompt"] = text
    else:
        card["twists"] = [{**card["twists"][0], where: text}, *card["twists"][1:]]
    found = [fault.what for fault in faults(deck, "es")]
    assert any(what in each for each in found) if what else found == []


def test_near_duplicates_are_found() -> None:
    deck = copy.deepcopy(CLEAN)
    deck["reserves"]["ar-same"] = {
        "prompt": "Dos filas llevan a la misma puerta.",
        **deck["cards"]["ae-one"]["twists"][0],
    }
    assert [fault.what for fault in faults(deck, "es")] == ["alike ar-same"]
