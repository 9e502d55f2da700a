"""Compiles writers' drafts of cards and reserves into the deck that ships with almost even.

    python infra/content/compile_deck.py [--fresh] [--into FOLDER] DRAFT.json...

A draft is {"cards": [{"id", "marks", "es", "en"}], "reserves": [{"id", "es", "en"}]}. `marks`, the
writers' guess at how a dilemma splits, never reach what ships. Content numbers are append-only:
ids that have shipped keep theirs, new ones follow in the order of the drafts, and an id that has
vanished from the drafts is refused. `--fresh` numbers anew: only before the first release.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LOCALES = ("es", "en")
TWISTS = 3
DECK = Path(__file__).parents[2] / "chalicelib/games/almost_even/deck"

Entry = dict[str, Any]


class Refused(Exception):
    """The drafts do not make a deck; nothing has been written."""


def drafted(files: Iterable[Path], kind: str) -> dict[str, Entry]:
    """Entries of one kind by id, in the order of the drafts."""
    found: dict[str, Entry] = {}
    for file in files:
        for entry in json.loads(file.read_text("utf-8"))[kind]:
            if entry["id"] in found:
                raise Refused(f"{file}: {entry['id']} has been drafted twice")
            found[entry["id"]] = entry
    return found


def numbered(shipped: list[str], entries: dict[str, Entry]) -> list[str]:
    """Ids in the order of their numbers."""
    missing = [name for name in shipped if name not in entries]
    if missing:
        raise Refused(f"shipped, but no longer drafted: {', '.join(missing)}")
    return shipped + [name for name in entries if name not in shipped]


def sides(where: str, text: Entry) -> Entry:
    """The two sides and nothing else."""
    return {side: said(f"{where}: {side}", text.get(side)) for side in ("a", "b")}


def said(where: str, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise Refused(f"{where}: a text is missing")
    return text


def card(locale: str, entry: Entry) -> Entry:
    where, text = f"{entry['id']}, {locale}", entry[locale]
    if len(text["twists"]) != TWISTS:
        raise Refused(f"{where}: a card has {TWISTS} twists")
    twists = [sides(f"{where}, {number}", twist) for number, twist in enumerate(text["twists"])]
    return {"prompt": said(f"{where}: prompt", text.get("prompt")), "twists": twists}


def reserve(locale: str, entry: Entry) -> Entry:
    where, text = f"{entry['id']}, {locale}", entry[locale]
    return {"prompt": said(f"{where}: prompt", text.get("prompt"))} | sides(where, text)


def compiled(drafts: list[Path], shipped: dict[str, list[str]]) -> dict[str, Any]:
    """File name -> content."""
    cards, reserves = drafted(drafts, "cards"), drafted(drafts, "reserves")
    ids = {
        "cards": numbered(shipped["cards"], cards),
        "reserves": numbered(shipped["reserves"], reserves),
    }
    texts = {
        f"{locale}.json": {
            "cards": {name: card(locale, cards[name]) for name in ids["cards"]},
            "reserves": {name: reserve(locale, reserves[name]) for name in ids["reserves"]},
        }
        for locale in LOCALES
    }
    return {"ids.json": ids} | texts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("drafts", nargs="+", type=Path, metavar="DRAFT.json")
    parser.add_argument("--fresh", action="store_true", help="number all cards anew")
    parser.add_argument("--into", type=Path, default=DECK, metavar="FOLDER")
    given = parser.parse_args(arguments)
    before = given.into / "ids.json"
    shipped: dict[str, list[str]] = {"cards": [], "reserves": []}
    if before.exists() and not given.fresh:
        shipped = json.loads(before.read_text("utf-8"))
    try:
        contents = compiled(given.drafts, shipped)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    given.into.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (given.into / name).write_text(text + "\n", "utf-8")
    for kind, names in contents["ids.json"].items():
        print(f"{len(names)} {kind}, {len(names) - len(shipped[kind])} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
