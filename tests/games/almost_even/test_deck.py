"""The deck as it ships, how it is dealt, and how it is compiled; and the words around it."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chalicelib import content
from chalicelib.games.almost_even import GAME, cards

from .table import Table, deck_size, roomy

ROOT = Path(__file__).parents[3]
DECKS = {locale: content.of_game(GAME.key, locale)["deck"] for locale in content.LOCALES}
WORDS = {locale: content.of_game(GAME.key, locale)["words"] for locale in content.LOCALES}


# --- what ships ---------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", content.LOCALES)
@pytest.mark.parametrize("deck", ["cards", "reserves"])
def test_every_id_has_its_texts_in_both_languages(deck: str, locale: str) -> None:
    ids = cards.ids()[deck]
    assert len(set(ids)) == len(ids)
    assert set(DECKS[locale][deck]) == set(ids)


def pairs(locale: str) -> list[tuple[str, str, str]]:
    deck = DECKS[locale]
    return [
        (name, pair["a"], pair["b"])
        for entries in (deck["cards"], deck["reserves"])
        for name, entry in entries.items()
        for pair in entry.get("twists", [entry])
    ]


@pytest.mark.parametrize("locale", content.LOCALES)
def test_the_shape_of_cards_and_reserves(locale: str) -> None:
    """And so that a writer's marks never ship."""
    for card in DECKS[locale]["cards"].values():
        assert set(card) == {"prompt", "twists"}
        assert [set(twist) for twist in card["twists"]] == [{"a", "b"}] * 3
    for reserve in DECKS[locale]["reserves"].values():
        assert set(reserve) == {"prompt", "a", "b"}


@pytest.mark.parametrize("locale", content.LOCALES)
def test_sides_are_short_alike_and_different(locale: str) -> None:
    for name, a, b in pairs(locale):
        for side in (a, b):
            assert side == side.strip(), name
            assert 1 <= len(side) <= 80, name
        assert max(len(a), len(b)) <= 1.25 * min(len(a), len(b)), name
        assert a != b, name


@pytest.mark.parametrize("locale", content.LOCALES)
def test_prompts_are_one_short_line(locale: str) -> None:
    for entries in DECKS[locale].values():
        for name, entry in entries.items():
            assert entry["prompt"] == entry["prompt"].strip(), name
            assert 1 <= len(entry["prompt"]) <= 60, name
            assert entry["prompt"][-1] in ".?", name


@pytest.mark.parametrize("locale", content.LOCALES)
def test_the_twists_of_a_card_differ(locale: str) -> None:
    for name, card in DECKS[locale]["cards"].items():
        assert len({(twist["a"], twist["b"]) for twist in card["twists"]}) == 3, name


# --- dealing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "rounds"), [(3, 6), (4, 8), (5, 10), (6, 6), (7, 7), (11, 11), (12, 12)]
)
def test_ae_2_a_match_needs_two_cards_and_one_reserve_a_round(seats: int, rounds: int) -> None:
    deals = GAME.deals(seats)
    assert {name: deck.needed for name, deck in deals.items()} == {
        "cards": 2 * rounds,
        "reserves": rounds,
    }
    assert {name: deck.size for name, deck in deals.items()} == {
        "cards": deck_size("cards"),
        "reserves": deck_size("reserves"),
    }
    assert all(deck.needed <= deck.size for deck in deals.values()), "one match fits the deck"


def test_c_9_six_matches_of_twelve_deal_no_card_twice_and_show_no_reserve_twice() -> None:
    """Every author lapses, so every reserve is shown: the most that six matches can use."""
    table = Table(12, game=roomy(cards=6 * 24, reserves=6 * 12))
    dealt: list[int] = []
    shown: list[int] = []
    for _ in range(6):
        table.start()
        dealt += table.state.cards
        while not table.over:
            if table.question.phase == "author":
                shown.append(table.state.reserves[table.state.shown])
            table.wait()
    assert sorted(dealt) == list(range(6 * 24))
    assert sorted(shown) == list(range(6 * 12))


def test_c_9_as_many_matches_as_the_deck_holds_repeat_nothing() -> None:
    """With the deck that ships, and one author in four lapsing."""
    matches = min(6, deck_size("cards") // 24, 1 + (deck_size("reserves") - 12) // 3)
    table = Table(12)
    dealt: list[str] = []
    shown: list[str] = []
    for _ in range(matches):
        table.start()
        while not table.over:
            dealt += table.hand()
            if table.state.round % 4:
                table.publish()
            else:
                table.wait()
                shown.append(str(table.match()["public"]["dilemma"]))
            table.play("wait wait")
    assert len(set(dealt)) == len(dealt) == matches * 24
    assert len(set(shown)) == len(shown) == matches * 3


def test_ae_7_a_reserve_that_was_not_shown_is_still_there_in_the_next_match() -> None:
    table = Table(3).start().play("wait wait wait")
    left = table.state.reserves[1:]
    while not table.over:
        table.play("round")
    table.start()
    assert table.state.reserves[:5] == left


# --- compiling ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiler() -> ModuleType:
    path = ROOT / "infra/content/compile_deck.py"
    spec = importlib.util.spec_from_file_location("compile_deck", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def card(name: str) -> dict[str, Any]:
    text = {"prompt": f"{name}.", "twists": [{"a": f"A {n}", "b": f"B {n}"} for n in range(3)]}
    return {"id": name, "marks": ["≈", "a", "b"], "es": text, "en": text}


def reserve(name: str) -> dict[str, Any]:
    text = {"prompt": f"{name}.", "a": "A", "b": "B"}
    return {"id": name, "es": text, "en": text}


def draft(folder: Path, *names: str, **changes: Any) -> str:
    path = folder / f"{'-'.join(names)}.json"
    entries = [card(name) | changes for name in names]
    content = {"cards": entries, "reserves": [reserve(f"ar-{names[0]}")]}
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def ids(folder: Path) -> Any:
    return json.loads((folder / "deck/ids.json").read_text("utf-8"))


def test_content_numbers_are_append_only(compiler: ModuleType, tmp_path: Path) -> None:
    into = ["--into", str(tmp_path / "deck")]
    one, two = draft(tmp_path, "ae-b", "ae-c"), draft(tmp_path, "ae-a")
    assert compiler.main([*into, one]) == 0
    assert compiler.main([*into, two, one]) == 0
    assert ids(tmp_path) == {"cards": ["ae-b", "ae-c", "ae-a"], "reserves": ["ar-ae-b", "ar-ae-a"]}
    texts = json.loads((tmp_path / "deck/es.json").read_text("utf-8"))
    assert list(texts["cards"]) == ["ae-b", "ae-c", "ae-a"]
    assert "marks" not in (tmp_path / "deck/es.json").read_text("utf-8")


def test_a_card_that_has_shipped_does_not_vanish(compiler: ModuleType, tmp_path: Path) -> None:
    into = ["--into", str(tmp_path / "deck")]
    assert compiler.main([*into, draft(tmp_path, "ae-b", "ae-c")]) == 0
    before, fewer = ids(tmp_path), draft(tmp_path, "ae-b")
    assert compiler.main([*into, fewer]) == 1
    assert ids(tmp_path) == before
    assert compiler.main([*into, "--fresh", fewer]) == 0
    assert ids(tmp_path)["cards"] == ["ae-b"]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"es": {"prompt": " ", "twists": card("x")["es"]["twists"]}}, id="no prompt"),
        pytest.param({"en": {"prompt": "X.", "twists": [{"a": "A", "b": "B"}]}}, id="one twist"),
        pytest.param({"en": {"prompt": "X.", "twists": [{"a": "A"}] * 3}}, id="one side"),
    ],
)
def test_unfinished_drafts_are_refused(
    compiler: ModuleType, tmp_path: Path, changes: dict[str, Any]
) -> None:
    into = ["--into", str(tmp_path / "deck")]
    assert compiler.main([*into, draft(tmp_path, "ae-b", **changes)]) == 1
    assert not (tmp_path / "deck").exists()


def test_the_same_card_in_two_drafts_is_refused(compiler: ModuleType, tmp_path: Path) -> None:
    into = ["--into", str(tmp_path / "deck")]
    twice = [draft(tmp_path, "ae-b"), draft(tmp_path, "ae-b", "ae-c")]
    assert compiler.main([*into, *twice]) == 1


# --- the words around it ------------------------------------------------------------------------


def leaves(value: Any, path: str = "") -> dict[str, str]:
    if isinstance(value, str):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {at: text for key, each in items for at, text in leaves(each, f"{path}/{key}").items()}


def test_both_languages_say_the_same_things() -> None:
    es, en = leaves(WORDS["es"]), leaves(WORDS["en"])
    assert set(es) == set(en)
    for at in es:
        assert es[at].strip()
        assert en[at].strip()
        assert re.findall(r"\{\w+\}", es[at]) == re.findall(r"\{\w+\}", en[at])
        if at.endswith("/number"):
            assert es[at] == en[at]
    numbers = [section["number"] for section in WORDS["es"]["rules"]["sections"]]
    assert numbers == [str(1 + n) for n in range(len(numbers))]


def test_every_reason_that_the_rules_give_has_its_sentence() -> None:
    source = (files("chalicelib.games.almost_even") / "rules.py").read_text("utf-8")
    given = set(re.findall(r'IllegalAction\("([^"]+)"', source))
    assert given
    assert given == set(WORDS["es"]["reasons"])


@pytest.mark.parametrize("figure", ["40", "25", "18", "500", "300", "150"])
@pytest.mark.parametrize("locale", content.LOCALES)
def test_the_rules_page_names_the_figures(locale: str, figure: str) -> None:
    said = " ".join(section["text"] for section in WORDS[locale]["rules"]["sections"])
    assert re.search(rf"\b{figure}\b", said)


def test_the_spanish_rules_address_nobody() -> None:
    said = " ".join(leaves(WORDS["es"]).values())
    addressing = r"\b(tú|vos|usted|ustedes|vosotros|te|tu|tus|contigo|vuestr\w+)\b"
    assert not re.search(addressing, said, re.IGNORECASE)
