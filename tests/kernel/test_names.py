"""Names are refused, not stripped (API.md)."""

from __future__ import annotations

import unicodedata

import pytest

from chalicelib.kernel.faults import Unfit
from chalicelib.kernel.names import checked, told_apart


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("Ana", id="a plain name"),
        pytest.param("Ñandú Pérez", id="letters with marks and a space inside"),
        pytest.param("李小龙", id="another script"),
        pytest.param("محمد", id="a script that runs from right to left"),
        pytest.param("🦤", id="one emoji"),
        pytest.param("👩‍👩‍👧‍👦", id="a family, joined by zero-width joiners"),
        pytest.param("❤️ Lola", id="a heart with its variation selector"),
        pytest.param("x" * 20, id="twenty characters"),
        pytest.param("😀" * 16, id="sixty-four bytes"),
        pytest.param("O'Neil-Smith 2", id="punctuation and a digit"),
        pytest.param("ǖ̈", id="two marks at most"),
    ],
)
def test_names_that_are_taken(name: str) -> None:
    assert checked(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="nothing"),
        pytest.param(" Ana", id="a space before"),
        pytest.param("Ana ", id="a space after"),
        pytest.param("\u00a0Ana", id="a no-break space before"),
        pytest.param("A\u00a0na", id="a no-break space inside"),
        pytest.param("A\nna", id="a line break"),
        pytest.param("A\u2028na", id="a line separator"),
        pytest.param("A\u202ena", id="a right-to-left override"),
        pytest.param("\u200fAna", id="a right-to-left mark"),
        pytest.param("A\u200bna", id="a zero-width space"),
        pytest.param("A\u200dna", id="a joiner that joins no emoji"),
        pytest.param("A\ufe0fna", id="a variation selector after a letter"),
        pytest.param("Ana\ufe00", id="a variation selector that shows nothing"),
        pytest.param("Ana\U000e0100", id="a variation selector for ideographs"),
        pytest.param("—", id="what is shown for nobody"),
        pytest.param("A\ue000", id="a private character"),
        pytest.param("A\ud800", id="half a surrogate pair"),
        pytest.param("\x00", id="a control character"),
        pytest.param("a" + "\u0301" * 4, id="a heap of marks"),
        pytest.param("\u0301\u0301", id="nothing but marks"),
        pytest.param("x" * 21, id="twenty-one characters"),
        pytest.param("😀" * 17, id="sixty-eight bytes"),
        pytest.param("x" * 10_000, id="ten thousand characters"),
    ],
)
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(Unfit, match="name-"):
        checked(name)


def test_equal_names_are_told_apart_by_a_visible_number() -> None:
    assert told_apart("Ana", ["Bea"]) == "Ana"
    assert told_apart("Ana", ["Ana"]) == "Ana 2"
    assert told_apart("ANA", ["Ana", "ana 2"]) == "ANA 3"
    assert told_apart("❤", ["❤\ufe0f"]) == "❤ 2"
    assert told_apart("x" * 20, ["x" * 20]) == "x" * 18 + " 2"
    assert len(told_apart("😀" * 16, ["😀" * 16]).encode()) <= 64
