"""The atlas that ships: its lattice, its words, and how hard it is (RULES, "Content")."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from chalicelib.content import LOCALES, of_game
from chalicelib.games.crossed_coordinates import GAME, atlas
from chalicelib.games.crossed_coordinates.model import TRAIT_IDS
from infra.content import atlas_lint, atlas_report, compile_atlas
from infra.content.simulation import PLAYERS, simulate

ROUNDS = 4_000
"""Fewer, and what the bars leave open is as large as chance."""


def shipped() -> list[dict[str, Any]]:
    """Every quartet as one value."""
    return [
        {
            "id": name,
            "structure": structure,
            "locales": {locale: of_game(GAME.key, locale)[f"atlas/{name}"] for locale in LOCALES},
        }
        for name, structure in atlas_report.shipped().items()
    ]


SHIPPED = shipped()


def test_there_are_at_least_48_places() -> None:
    """RULES: twelve quartets, 576 fragments, and enough for a match in any case."""
    assert len(SHIPPED) >= 12
    assert GAME.deals(4)["quartets"].size == len(SHIPPED)
    assert GAME.deals(12)["quartets"].needed == 4
    assert sum(len(each["structure"]["fragments"]) for each in SHIPPED) == 48 * len(SHIPPED)


def test_nothing_is_wrong_with_what_ships() -> None:
    """Lattice, counts, opaque ids, both languages, lengths, roots, near duplicates, no tú."""
    assert atlas_lint.complaints(SHIPPED, atlas_lint.accepted()) == []


@pytest.mark.parametrize("quartet", SHIPPED, ids=lambda quartet: str(quartet["id"]))
def test_the_bars_hold(quartet: dict[str, Any]) -> None:
    """RULES, "Content": N = 4, 6, 8 and 12, with the seed and rounds of the report."""
    assert atlas_report.failures(atlas_report.simulated({"": quartet["structure"]}, ROUNDS)) == []


def test_the_bars_can_be_missed() -> None:
    """A quartet whose traits tell all but one place apart at once is too easy."""
    easy = copy.deepcopy(SHIPPED[0]["structure"])
    for trait in easy["traits"]:
        trait["places"] = trait["places"][:1]
    assert simulate(easy, 12, 500).failures()


def test_the_loaded_structure_is_the_shipped_one() -> None:
    for number, each in enumerate(SHIPPED):
        quartet, parts = atlas.quartet(number), each["structure"]
        assert quartet.id == each["id"] == atlas.index()[number]
        assert list(quartet.places) == parts["places"]
        assert len(quartet.traits) == len(TRAIT_IDS)
        for trait, row in zip(quartet.fits, parts["traits"], strict=True):
            assert {quartet.places[place] for place in trait} == set(row["places"])
        for fragment, row in zip(quartet.fragments, parts["fragments"], strict=True):
            assert fragment.id == row["id"]
            assert quartet.places[fragment.place] == row["place"]
            assert [quartet.traits[trait] for trait in fragment.traits] == row["traits"]
        for place in range(4):
            assert len(quartet.of(place)) == 12


def test_positions_tell_nothing() -> None:
    """On the wire a trait goes by its position and a reveal lists fragments by theirs: in neither
    order do those of one kind stand together in every quartet."""
    widest = {
        tuple(
            number
            for number, trait in enumerate(each["structure"]["traits"])
            if len(trait["places"]) == 4
        )
        for each in SHIPPED
    }
    assert len(widest) > len(SHIPPED) // 2
    for each in SHIPPED:
        ids = [fragment["id"] for fragment in each["structure"]["fragments"]]
        places = [fragment["place"] for fragment in each["structure"]["fragments"]]
        assert ids == sorted(ids)
        assert sum(one != other for one, other in pairwise(places)) > 20


# --- the lint can complain ---------------------------------------------------------------------


def first_fragment(quartet: dict[str, Any], locale: str = "es") -> str:
    return str(next(iter(quartet["locales"][locale]["fragments"])))


def said(text: str, locale: str = "es") -> Callable[[dict[str, Any]], None]:
    def change(quartet: dict[str, Any]) -> None:
        quartet["locales"][locale]["fragments"][first_fragment(quartet)] = text

    return change


def drop_trait(quartet: dict[str, Any]) -> None:
    quartet["structure"]["traits"].pop()


def exclusive(quartet: dict[str, Any]) -> None:
    quartet["structure"]["traits"][0]["places"] = quartet["structure"]["places"][:1]


def telling_id(quartet: dict[str, Any]) -> None:
    quartet["structure"]["fragments"][0]["id"] = "lighthouse-1"


def untranslated(quartet: dict[str, Any]) -> None:
    del quartet["locales"]["en"]["fragments"][first_fragment(quartet)]


def no_english(quartet: dict[str, Any]) -> None:
    del quartet["locales"]["en"]


def twice(quartet: dict[str, Any]) -> None:
    texts = quartet["locales"]["es"]["fragments"]
    one, other, *_ = texts
    texts[one] = texts[other]


def named_after_trait(quartet: dict[str, Any]) -> None:
    word = next(text for text in quartet["locales"]["es"]["traits"].values() if " " not in text)
    said(f"Aquí todo el mundo habla de {word.lower()}, y nadie sabe todavía dónde empezó aquello.")(
        quartet
    )


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        pytest.param(drop_trait, "there are 18 traits", id="18 traits"),
        pytest.param(exclusive, "fit exactly", id="a trait of one place only"),
        pytest.param(telling_id, "could tell something", id="an id that names the place"),
        pytest.param(
            untranslated, "only one of structure and texts", id="a fragment not in English"
        ),
        pytest.param(no_english, "en: missing", id="a quartet in Spanish only"),
        pytest.param(twice, "is much like", id="two fragments alike"),
        pytest.param(said("Corto."), "characters, not 70 to 170", id="too short"),
        pytest.param(
            said("Desde arriba se ve todo, y si llegas antes que nadie quizá te dejen mirar."),
            "speaks to the reader",
            id="tú",
        ),
        pytest.param(said("a " * 40), "does not end like a sentence", id="no full stop"),
        pytest.param(named_after_trait, "shares a root", id="a trait's own word"),
    ],
)
def test_the_lint_complains(spoil: Callable[[dict[str, Any]], None], complaint: str) -> None:
    quartet = copy.deepcopy(SHIPPED[0])
    spoil(quartet)
    found = atlas_lint.complaints([quartet], frozenset())
    assert any(complaint in each for each in found), found


# --- compiling ---------------------------------------------------------------------------------


def test_what_has_shipped_keeps_its_numbers(tmp_path: Path) -> None:
    """Positions are what running matches refer to: new quartets follow, wording may change,
    structure may not."""
    drafts = []
    for each in SHIPPED[:3]:
        drafts.append(tmp_path / f"{each['id']}.draft")
        drafts[-1].write_text(json.dumps(each), "utf-8")
    into = tmp_path / "atlas"

    def compiled(*files: Path, fresh: bool = False) -> int:
        more = ["--fresh"] if fresh else []
        return compile_atlas.main([*map(str, files), "--into", str(into), *more])

    assert compiled(drafts[1]) == 0
    assert compiled(drafts[2], drafts[0]) == 0
    names = [SHIPPED[number]["id"] for number in (1, 0, 2)]
    assert json.loads((into / "index.json").read_text("utf-8")) == names
    assert compiled(*drafts) == 0
    assert json.loads((into / "index.json").read_text("utf-8")) == names
    for each in SHIPPED[:3]:
        name = each["id"]
        assert json.loads((into / f"{name}.json").read_text("utf-8")) == each["structure"]
        for locale in LOCALES:
            text = json.loads((into / locale / f"{name}.json").read_text("utf-8"))
            assert text == each["locales"][locale]

    changed = copy.deepcopy(SHIPPED[0])
    row = changed["structure"]["fragments"][0]
    fits = {trait["id"]: set(trait["places"]) for trait in changed["structure"]["traits"]}
    row["traits"] = next(
        list(hand)
        for hand in combinations([t for t, places in fits.items() if row["place"] in places], 4)
        if set(hand) != set(row["traits"])
        and sum(len(fits[a] & fits[b]) >= 2 for a, b in combinations(hand, 2)) >= 4
    )
    drafts[0].write_text(json.dumps(changed), "utf-8")
    assert compiled(drafts[0]) == 1, "has shipped with another structure"
    assert compiled(drafts[0], fresh=True) == 0
    assert json.loads((into / "index.json").read_text("utf-8")) == [changed["id"]]


def test_drafts_with_faults_are_refused(tmp_path: Path) -> None:
    draft, into = tmp_path / "q.json", tmp_path / "atlas"
    quartet = copy.deepcopy(SHIPPED[0])
    telling_id(quartet)
    draft.write_text(json.dumps(quartet), "utf-8")
    assert compile_atlas.main([str(draft), "--into", str(into)]) == 1
    assert not into.exists()


def test_the_report_passes_or_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line for each quartet and number of players; 1 if any bar is missed."""
    assert atlas_report.main(["--rounds", "8"]) == 1
    out = capsys.readouterr().out
    assert out.count("FAIL") >= 2
    for each in SHIPPED:
        assert f"{each['id']}: 8 rounds" in out
    rows = [line for line in out.splitlines() if line.endswith(("PASS", "FAIL"))]
    assert len(rows) == len(PLAYERS) * len(SHIPPED)
    picture = tmp_path / "new" / "report.png"
    atlas_report.main(["--rounds", "8", "--picture", str(picture)])
    assert picture.read_bytes().startswith(b"\x89PNG")
