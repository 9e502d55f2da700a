"""Liar's dice checked by anyone: every die and every chamber from published data alone.

    python -m infra.local.verify FILE.json      (or - for standard input)

FILE is a view (GET /v1/rooms/{code}), an archived record, or what the demo keeps with RECORD=FILE.
Nothing is imported from the server: with `hashlib` and `hmac` this is the recipe of API.md, "Dice
that anyone can check", a second time. docs/dice.md explains it with an example.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

DICE, FACES, CHAMBERS = 5, 6, 6
WILD = 1

# --- the recipe ----------------------------------------------------------------------------------


def sha256(data: bytes) -> str:
    """The SHA-256 of `data`, lowercase hex: what a commitment is."""
    return hashlib.sha256(data).hexdigest()


def keyed(key: bytes, text: str) -> bytes:
    """HMAC-SHA-256 of the UTF-8 `text` under `key`."""
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def entropy_digest(entropy: Mapping[str, str]) -> str:
    """E in hex: the players' values in the order of their ids, joined by line feeds."""
    return sha256("\n".join(entropy[player] for player in sorted(entropy)).encode())


def root_of(master: bytes, code: str, match: int, digest: str) -> bytes:
    """Where all dice of a match begin."""
    return keyed(master, f"sobremesa/1|{code}|{match}|{digest}")


def round_seed(root: bytes, number: int) -> bytes:
    """The seed of round `number`, from 1."""
    return keyed(root, f"round/{number}")


def words_of(seed: bytes, label: str) -> Iterator[int]:
    """The 32-bit words under a label, eight from each HMAC block."""
    counter = 0
    while True:
        block = keyed(seed, f"{label}#{counter}")
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def below(seed: bytes, n: int, label: str) -> int:
    """0 to `n` - 1: the first word that favours no remainder, modulo `n`."""
    limit = n * (2**32 // n)
    return next(word for word in words_of(seed, label) if word < limit) % n


def dice_of(seed: bytes, seat: int) -> list[int]:
    """The five dice of a seat in the round with this seed."""
    return [1 + below(seed, FACES, f"die/{seat}/{i}") for i in range(DICE)]


def chamber_of(seed: bytes, seat: int) -> int:
    """The chamber that comes up if this seat fires: dead if and only if it is <= bullets."""
    return 1 + below(seed, CHAMBERS, f"shot/{seat}")


# --- what was published --------------------------------------------------------------------------


class Unreadable(ValueError):
    """The document has no data to check dice by."""


class Row(NamedTuple):
    """One round's line of the fairness data."""

    number: int
    commitment: str
    seed: bytes | None


class Shot(NamedTuple):
    seat: int
    bullets: int
    chamber: int
    dead: bool


@dataclass(frozen=True)
class Reveal:
    """What the table was shown when the cups went up."""

    round: int
    dice: Mapping[int, Sequence[int]]
    shots: Sequence[Shot]
    face: int | None
    count: int | None


@dataclass(frozen=True)
class Record:
    """All that is known of a match from outside."""

    code: str
    match: int
    master_commitment: str
    master: bytes | None
    entropy: Mapping[str, str]
    rows: Sequence[Row]
    reveals: Sequence[Reveal]
    ones_wild: bool
    noted_master: str | None
    """`next_commitment` as it stood in the lobby, if somebody wrote it down."""
    noted_rounds: Mapping[int, str]
    """Commitments as they stood before the shots, by round."""


def read(document: Any) -> Record:
    """The record in a view, an action's answer, an archived record or the demo's own."""
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise Unreadable(f"no readable fairness data: {problem!r}") from None


def _read(document: Any) -> Record:
    document = document.get("view") or document
    room, match = document.get("room") or document, document.get("match")
    inner = match if isinstance(match, dict) else document
    public = inner.get("public") or inner
    fairness = public["fairness"]
    reveals = list(document.get("reveals") or ())
    if not reveals and public.get("reveal"):
        reveals = [{"round": public["round"], **public["reveal"]}]
    settings = room.get("settings") or {}
    noted = document.get("noted") or {}
    return Record(
        code=str(room["code"]).upper(),
        match=int(inner["number"] if isinstance(match, dict) else match or inner["number"]),
        master_commitment=fairness["master_commitment"],
        master=_bytes(fairness["master_seed"]),
        entropy={each["player_id"]: each["value"] for each in fairness["entropy"]},
        rows=[
            Row(int(each["round"]), each["commitment"], _bytes(each["seed"]))
            for each in fairness["rounds"]
        ],
        reveals=[_reveal(each) for each in reveals],
        ones_wild=bool(public.get("ones_wild", settings.get("ones_wild", True))),
        noted_master=noted.get("next_commitment"),
        noted_rounds={int(number): value for number, value in noted.get("rounds", {}).items()},
    )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


def _reveal(each: Mapping[str, Any]) -> Reveal:
    """Dice were shown and counted only if somebody said liar or exact."""
    called = each.get("kind") in ("challenge", "exact")
    return Reveal(
        round=int(each["round"]),
        dice={int(seat): list(cup) for seat, cup in each["dice"].items()},
        shots=[
            Shot(shot["seat"], shot["bullets"], shot["chamber"], shot["dead"])
            for shot in each["shots"]
        ],
        face=each.get("face") if called else None,
        count=each.get("count") if called else None,
    )


# --- checking ------------------------------------------------------------------------------------


class Check(NamedTuple):
    """One thing recomputed. `round` is None for what concerns the whole match."""

    round: int | None
    what: str
    ok: bool
    number: int = 1
    """How many values were compared."""


def check(record: Record) -> list[Check]:
    """Everything that the record allows to recompute, compared with what it says."""
    checks: list[Check] = []
    root = None
    if record.noted_master is not None:
        checks.append(Check(None, "noted", record.noted_master == record.master_commitment))
    if record.master is not None:
        checks.append(Check(None, "master", sha256(record.master) == record.master_commitment))
        numbers = [row.number for row in record.rows]
        whole = numbers == list(range(1, len(numbers) + 1))
        checks.append(Check(None, "complete", whole and all(row.seed for row in record.rows)))
        root = root_of(record.master, record.code, record.match, entropy_digest(record.entropy))
    for row in record.rows:
        checks += _check_row(record, row, root)
    seeds = {row.number: row.seed for row in record.rows}
    for reveal in record.reveals:
        seed = seeds.get(reveal.round)
        if seed is not None:
            checks += _check_reveal(record, reveal, seed)
    return checks


def _check_row(record: Record, row: Row, root: bytes | None) -> Iterator[Check]:
    noted = record.noted_rounds.get(row.number)
    if noted is not None:
        yield Check(row.number, "noted", noted == row.commitment)
    if row.seed is not None:
        yield Check(row.number, "commitment", sha256(row.seed) == row.commitment)
        if root is not None:
            yield Check(row.number, "root", round_seed(root, row.number) == row.seed)


def _check_reveal(record: Record, reveal: Reveal, seed: bytes) -> Iterator[Check]:
    if reveal.dice:
        same = all(dice_of(seed, seat) == cup for seat, cup in reveal.dice.items())
        number = sum(len(cup) for cup in reveal.dice.values())
        yield Check(reveal.round, "dice", same, number)
    if reveal.shots:
        same = all(
            chamber_of(seed, shot.seat) == shot.chamber
            and shot.dead == (shot.chamber <= shot.bullets)
            for shot in reveal.shots
        )
        yield Check(reveal.round, "chambers", same, len(reveal.shots))
    if reveal.count is not None and reveal.face is not None:
        wanted = {reveal.face, WILD} if record.ones_wild else {reveal.face}
        shown = sum(die in wanted for cup in reveal.dice.values() for die in cup)
        yield Check(reveal.round, "count", shown == reveal.count)


def verified(checks: Sequence[Check]) -> bool:
    """Something was checked, and all of it is as published."""
    return bool(checks) and all(each.ok for each in checks)


def totals(checks: Sequence[Check]) -> Counter[str]:
    """How many values were compared, by kind."""
    counted: Counter[str] = Counter()
    for each in checks:
        counted[each.what] += each.number
    return counted


# --- showing -------------------------------------------------------------------------------------

COLUMNS = ("noted", "commitment", "root", "dice", "chambers", "count")
LABELS: Mapping[str, str] = {
    "title": "Room {code}, match {match}",
    "master": "master seed",
    "no-master": "(secret until the match is over)",
    "sealed": "its commitment",
    "noted-before": "as noted before the match",
    "entropy": "entropy digest",
    "root": "root",
    "complete": "all rounds there",
    "round": "round",
    "seed": "seed",
    "column-noted": "as noted",
    "column-commitment": "commitment",
    "column-root": "from root",
    "column-dice": "dice",
    "column-chambers": "chambers",
    "column-count": "count",
    "ok": "OK",
    "mismatch": "MISMATCH",
}


def table(record: Record, checks: Sequence[Check], labels: Mapping[str, str] = LABELS) -> list[str]:
    """The lines of a table of what was checked, at most 100 columns wide."""
    say = {True: labels["ok"], False: labels["mismatch"]}
    whole = {each.what: say[each.ok] for each in checks if each.round is None}
    secret = record.master is None
    head = [
        ("master", labels["no-master"] if record.master is None else record.master.hex(), ""),
        ("sealed", record.master_commitment, whole.get("master", "")),
    ]
    if "noted" in whole:
        head.append(("noted-before", str(record.noted_master), whole["noted"]))
    digest = entropy_digest(record.entropy)
    head.append(("entropy", digest, ""))
    if record.master is not None:
        root = root_of(record.master, record.code, record.match, digest)
        head += [("root", root.hex(), ""), ("complete", str(len(record.rows)), whole["complete"])]
    width = max(len(labels[key]) for key, _, _ in head)
    lines = [labels["title"].format(code=record.code, match=record.match)]
    lines += [
        f"  {labels[key]:{width}}  {text:64}  {result}".rstrip() for key, text, result in head
    ]
    shown = [what for what in COLUMNS if any(each.what == what and each.round for each in checks)]
    if secret and "root" in shown:
        shown.remove("root")
    by_cell = {(each.round, each.what): each for each in checks}
    titles = [labels["round"], f"{labels['seed']:12}", *(labels[f"column-{w}"] for w in shown)]
    lines += ["", "  " + "  ".join(titles)]
    for row in record.rows:
        cells = [f"{row.number:>{len(titles[0])}}", row.seed.hex()[:12] if row.seed else "-" * 12]
        for what, title in zip(shown, titles[2:], strict=True):
            cell = by_cell.get((row.number, what))
            text = "-" if cell is None else say[cell.ok]
            if cell is not None and cell.ok and what in ("dice", "chambers"):
                text = f"{cell.number} {text}"
            cells.append(f"{text:>{len(title)}}")
        lines.append("  " + "  ".join(cells))
    return lines


def main(arguments: Sequence[str]) -> int:
    """0: all that can be checked is as published. 1: something is not. 2: nothing to check."""
    if len(arguments) != 1:
        print("usage: python -m infra.local.verify FILE.json   (- reads standard input)")
        return 2
    try:
        name = arguments[0]
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
        record = read(json.loads(text))
    except (OSError, ValueError) as problem:
        print(f"cannot check this: {problem}", file=sys.stderr)
        return 2
    checks = check(record)
    print("\n".join(table(record, checks)))
    if not checks:
        print("\nNothing can be checked yet: no seed is out.")
        return 2
    counted = totals(checks)
    over = "" if record.master is not None else " so far"
    good = verified(checks)
    print(
        f"\n{'OK' if good else 'MISMATCH'}{over}: {sum(counted.values())} values compared, "
        f"{counted['dice']} dice and {counted['chambers']} chambers among them."
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
