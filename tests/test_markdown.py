"""Every page looks as it was meant to: CommonMark closes each fence where its writer did."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = (
    *ROOT.glob("*.md"),
    *(page for folder in ("docs", "chalicelib") for page in (ROOT / folder).rglob("*.md")),
)


def fences(text: str) -> list[Token]:
    """The blocks between fences, as CommonMark sees them."""
    return [token for token in MarkdownIt().parse(text) if token.type == "fence"]


def astray(text: str) -> list[int]:
    """Lines that look like a fence and neither open nor close a block, or do it by themselves."""
    looking = {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if line.lstrip().startswith(("```", "~~~"))
    }
    maps = [token.map or [0, 0] for token in fences(text)]
    return sorted(looking ^ {line for first, after in maps for line in (first + 1, after)})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_fence_closes(page: Path) -> None:
    assert astray(page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1. So:\n\n   ```json\n{}\n   ```\n\n2. On.\n", id="contents not indented"),
        pytest.param("```json\n{}\n", id="never closed"),
    ],
)
def test_what_is_astray_is_found(text: str) -> None:
    assert astray(text)


def test_the_quick_start_is_the_file_that_runs() -> None:
    (snippet,) = [
        each.content
        for each in fences((ROOT / "README.md").read_text("utf-8"))
        if each.info == "python"
    ]
    assert snippet == (ROOT / "docs/quickstart.py").read_text("utf-8")
