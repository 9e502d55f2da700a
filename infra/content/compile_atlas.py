"""Compiles writers' drafts of quartets into the atlas that ships with crossed coordinates.

    python -m infra.content.compile_atlas [--fresh] [--into FOLDER] DRAFT.json...

A draft has the shape of `atlas_lint` and must pass it. What ships is `index.json` (ids of the
quartets by number), and for each quartet its structure and, by language, its texts.

Numbers are positions, and matches that run refer to them: a quartet that has shipped keeps its
number and the order of its places, traits and fragments, and one that is not among the drafts is
left as it is. Only wording may change. `--fresh` numbers all anew: only before the first release.

Traits are put in an order that says nothing of the places they fit, and so are fragments, since
on the wire a trait goes by its position.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .atlas_lint import LOCALES, accepted, complaints

ATLAS = Path(__file__).parents[2] / "chalicelib/games/crossed_coordinates/atlas"

Json = Mapping[str, Any]


class Refused(Exception):
    """The drafts do not make an atlas; nothing has been written."""


def structure(draft: Json) -> dict[str, Any]:
    """A draft's structure as it ships."""
    parts, name = draft["structure"], draft["id"]

    def blind(trait: Json) -> str:
        return hashlib.sha256(f"{name}/{trait['id']}".encode()).hexdigest()

    def picked(entry: Json, *keys: str) -> dict[str, Any]:
        return {key: entry[key] for key in keys}

    fragments = sorted(parts["fragments"], key=lambda fragment: str(fragment["id"]))
    return {
        "places": list(parts["places"]),
        "traits": [picked(trait, "id", "places") for trait in sorted(parts["traits"], key=blind)],
        "fragments": [picked(each, "id", "place", "traits") for each in fragments],
    }


def texts(draft: Json, locale: str) -> dict[str, Any]:
    """A draft's texts in one language as they ship, in the order of the structure."""
    own, parts = draft["locales"][locale], structure(draft)
    return {
        "theme": own["theme"],
        "places": {
            place: {key: own["places"][place][key] for key in ("name", "description")}
            for place in parts["places"]
        },
        "traits": {trait["id"]: own["traits"][trait["id"]] for trait in parts["traits"]},
        "fragments": {each["id"]: own["fragments"][each["id"]] for each in parts["fragments"]},
    }


def compiled(drafts: Sequence[Json], shipped: Mapping[str, Json]) -> dict[str, Any]:
    """File name -> content. `shipped` has the structures that must not change, by quartet."""
    if wrong := complaints(drafts, accepted()):
        raise Refused("\n".join(wrong))
    files: dict[str, Any] = {}
    for draft in drafts:
        name, parts = draft["id"], structure(draft)
        if name in shipped and shipped[name] != parts:
            raise Refused(f"{name}: has shipped with another structure")
        files[f"{name}.json"] = parts
        files |= {f"{locale}/{name}.json": texts(draft, locale) for locale in LOCALES}
    new = sorted(draft["id"] for draft in drafts if draft["id"] not in shipped)
    return {"index.json": [*shipped, *new]} | files


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("drafts", nargs="+", type=Path, metavar="DRAFT.json")
    parser.add_argument("--fresh", action="store_true", help="number all quartets anew")
    parser.add_argument("--into", type=Path, default=ATLAS, metavar="FOLDER")
    given = parser.parse_args(arguments)
    index = given.into / "index.json"
    names = json.loads(index.read_text("utf-8")) if index.exists() and not given.fresh else []
    shipped = {name: json.loads((given.into / f"{name}.json").read_text("utf-8")) for name in names}
    try:
        files = compiled([json.loads(file.read_text("utf-8")) for file in given.drafts], shipped)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    if given.fresh:
        for old in given.into.rglob("*.json"):
            old.unlink()
    for name, content in files.items():
        file = given.into / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"{len(files['index.json'])} quartets, {len(files['index.json']) - len(names)} new")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
