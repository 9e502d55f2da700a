"""Texts: complete in both languages, and applied to the right ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.content import LOCALES, of_game
from chalicelib.games.crossed_coordinates import GAME, atlas, rules

from .table import LATE, Table

WORDS = {locale: of_game(GAME.key, locale)["words"] for locale in LOCALES}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    else:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in pairs:
            yield from leaves(each, f"{path}/{key}")


def test_both_languages_say_the_same_things() -> None:
    es, en = (dict(leaves(WORDS[locale])) for locale in LOCALES)
    assert es.keys() == en.keys()
    for path, text in es.items():
        assert text.strip(), path
        assert en[path].strip(), path
        assert re.findall(r"\{\w+\}", text) == re.findall(r"\{\w+\}", en[path]), path
        if not path.endswith("/number"):
            assert text != en[path], path


def test_every_reason_for_a_refusal_has_its_sentence() -> None:
    source = Path(str(rules.__file__)).read_text("utf-8")
    raised = set(re.findall(r'IllegalAction\("([^"]+)"', source))
    assert raised
    for locale in LOCALES:
        assert set(WORDS[locale]["reasons"]) == raised


def test_spanish_speaks_to_nobody_in_particular() -> None:
    """CONTENT: no tú, vos or usted."""
    spoken = re.compile(r"\b(tú|tus?|te|ti|vos|usted(es)?|vosotr[oa]s|os|puedes|tienes)\b", re.I)
    for path, text in leaves(WORDS["es"]):
        assert not spoken.search(text), path


@pytest.mark.parametrize("locale", LOCALES)
def test_the_rules_page_gives_the_bars(locale: str) -> None:
    """The numbers that players read are the ones that count."""
    said = " ".join(text for _, text in leaves(WORDS[locale]["rules"]))
    rows = re.findall(r"N = (\d+): \w+ (\d+), \w+ (\d+), \w+ (\d+)", said)
    assert [tuple(map(int, row)) for row in rows] == [
        (n, rules.majority(n), rules.noise_bar(n), rules.alignment_bar(n)) for n in range(4, 13)
    ]
    for number in (8, 20, 45, 60, 120, 160, 35, 18, 200, 100, 400, 1600):
        assert re.search(rf"\b{number}\b", said), number


def test_two_people_in_one_match_read_different_languages() -> None:
    """ARCHITECTURE 8: other words, the same ids, and only the round's quartet is loaded."""
    table = Table(5).all_signal().until("reveal")
    name = atlas.quartet(table.state.quartet).id
    es, en = (table.match(LATE, locale)["public"] for locale in LOCALES)
    for locale, shown in zip(LOCALES, (es, en), strict=True):
        texts = of_game(GAME.key, locale)[f"atlas/{name}"]
        assert [each["name"] for each in shown["candidates"]] == [
            text["name"] for text in texts["places"].values()
        ]
        assert {each["text"] for each in shown["reveal"]["fragments"]} <= set(
            texts["fragments"].values()
        )
    assert [each["signal"] for each in es["signals"]] == [each["signal"] for each in en["signals"]]
    assert es["reveal"]["place_votes"] == en["reveal"]["place_votes"]


def test_only_the_round_s_quartet_is_read() -> None:
    """The catalogue of a process that has shown one round holds that quartet's texts alone."""
    asked: list[str] = []

    class Listening(dict[str, Any]):
        def __missing__(self, key: str) -> Any:
            asked.append(key)
            return of_game(GAME.key, "es")[key]

    table = Table(4)
    GAME.words(GAME.view(table.state, 0), Listening())
    assert asked == [f"atlas/{atlas.quartet(table.state.quartet).id}"]


@pytest.mark.parametrize("seat", range(4))
def test_a_fragment_and_its_traits_are_said_in_words(seat: int) -> None:
    """API: `fragment` is the text alone; traits as id and text, in the order dealt."""
    table = Table(4)
    state = table.state
    quartet = atlas.quartet(state.quartet)
    texts = of_game(GAME.key, "es")[f"atlas/{quartet.id}"]
    assert table.private(seat) == {
        "fragment": texts["fragments"][quartet.fragments[state.fragments[seat]].id],
        "traits": [
            {"trait": f"t{trait:02}", "text": texts["traits"][quartet.traits[trait]]}
            for trait in state.hands[seat]
        ],
        "signal": None,
        "ballot": None,
    }
