"""What was checked, on a screen: a table, what differs, and what could not be checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .checks import Check, Gap, totals
from .recipe import entropy_digest, root_of
from .record import Record

FOLDER = Path(__file__).parent / "words"
LOCALES = ("en", "es")
COLUMNS = ("noted", "commitment", "root", "dice", "chambers", "count", "rules")
COLUMN_OF = {"sealed": "commitment", "seed": "commitment", "own": "dice", "cups": "dice"}
"""Whatever has no column of its own is a rule of the game."""
SEATS = ("seats", "cups", "bidder", "caller", "fired", "order", "winners")
DICE = ("dice", "own")
NOTED = ("noted", "entropy")
FILES = ("sealed", "digest")
LONGEST = 48

Words = Mapping[str, Any]


def words(locale: str) -> dict[str, Any]:
    """What the verifier says in one language."""
    found: dict[str, Any] = json.loads((FOLDER / f"{locale}.json").read_text("utf-8"))
    return found


def table(record: Record, checks: Sequence[Check], labels: Words) -> list[str]:
    """The lines of a table of what was checked, at most 100 columns wide."""
    say = {True: labels["ok"], False: labels["mismatch"]}
    whole: dict[str, bool] = {}
    cells: dict[tuple[int, str], list[Check]] = {}
    for each in checks:
        if each.round is None:
            whole[each.what] = whole.get(each.what, True) and each.ok
        else:
            column = COLUMN_OF.get(each.what, each.what)
            column = column if column in COLUMNS else "rules"
            cells.setdefault((each.round, column), []).append(each)
    secret = record.master is None
    head = [
        ("master", labels["no-master"] if record.master is None else record.master.hex(), ""),
        ("sealed", record.master_commitment, "master"),
    ]
    head += [("noted-before", each, "noted") for each in record.noted.masters]
    digest = entropy_digest(record.entropy)
    head.append(("entropy", digest, "entropy"))
    if record.master is not None:
        root = root_of(record.master, record.code, record.match, digest)
        head += [("root", root.hex(), "")]
    head.append(("complete", ranges(record.listed), "complete"))
    width = max(len(labels[key]) for key, _, _ in head)
    lines = [labels["title"].format(code=plain(record.code), match=record.match)]
    for key, text, what in head:
        result = say[whole[what]] if what in whole else ""
        lines.append(f"  {labels[key]:{width}}  {plain(text, 64):64}  {result}".rstrip())
    shown = [each for each in COLUMNS if any(column == each for _, column in cells)]
    if secret and "root" in shown:
        shown.remove("root")
    titles = [labels["round"], f"{labels['seed']:12}", *(labels[f"column-{w}"] for w in shown)]
    lines += ["", "  " + "  ".join(titles)]
    seeds = {row.number: row.seed for row in record.rows}
    for number in sorted({*seeds, *(each for each, _ in cells)}):
        seed = seeds.get(number)
        row = [f"{number:>{len(titles[0])}}", seed.hex()[:12] if seed else "-" * 12]
        for column, title in zip(shown, titles[2:], strict=True):
            found = cells.get((number, column), [])
            text = say[all(each.ok for each in found)] if found else "-"
            counted = sum(each.number for each in found if each.what == column)
            if counted and text == say[True] and column in ("dice", "chambers"):
                text = f"{counted} {text}"
            row.append(f"{text:>{len(title)}}")
        lines.append("  " + "  ".join(row))
    return lines


def differences(record: Record, checks: Sequence[Check], labels: Words) -> list[str]:
    """A sentence for each value that is not as it should be: where, what, published, worked out."""
    return [_difference(record, each, labels) for each in checks if not each.ok]


def _difference(record: Record, each: Check, labels: Words) -> str:
    where = [labels["whole"] if each.round is None else f"{labels['round']} {each.round}"]
    if each.seat is not None:
        name = record.names.get(each.seat)
        where.append(f"{labels['seat']} {each.seat}" + (f" ({plain(name)})" if name else ""))
    key = "differs"
    if each.what in FILES:
        key = "differs-files"
    elif each.what in NOTED:
        key = "differs-noted"
    elif each.what == "seed":
        key = "differs-seed"
    sentence: str = labels[key].format(
        where=", ".join(where),
        what=labels[f"what-{each.what}"],
        published=_value(each.what, each.published, labels),
        expected=_value(each.what, each.expected, labels),
    )
    return sentence


def _value(what: str, value: Any, labels: Words) -> str:
    """As a person reads it."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return str(labels["yes" if value else "no"])
    if not isinstance(value, list | range):
        return plain(str(value)) or "«»"
    if what in DICE:
        return plain(" ".join(map(str, value))) or "—"
    if what in SEATS:
        return plain(", ".join(map(str, value))) or str(labels["nobody"])
    return ranges(value)


def gaps(found: Sequence[Gap], labels: Words) -> list[str]:
    """A sentence for each thing that could not be checked, and why."""
    sentences = [
        labels[f"gap-{each.key}"].format(
            rounds=_rounds(each.rounds, labels), value=plain(each.value)
        )
        for each in found
    ]
    return [sentence[:1].upper() + sentence[1:] for sentence in sentences]


def verdict(record: Record, checks: Sequence[Check], labels: Words) -> str:
    """How it went, in a sentence."""
    counted = totals(checks)
    differ = sum(not each.ok for each in checks)
    key = "differ" if differ else "good" if record.master is not None else "good-so-far"
    sentence: str = labels[key].format(
        values=plural(labels, "values", sum(counted.values())),
        dice=plural(labels, "dice", counted["dice"]),
        chambers=plural(labels, "chambers", counted["chambers"]),
        differ=plural(labels, "differences", differ),
    )
    return sentence


def plural(labels: Words, key: str, n: int) -> str:
    """The form of `key` that goes with `n`."""
    form: str = labels[key]["one" if n == 1 else "other"]
    return form.format(n=n)


def _rounds(numbers: Sequence[int], labels: Words) -> str:
    """Round 2; rounds 1–3, 5."""
    word = labels["rounds"]["one" if len(numbers) == 1 else "other"]
    return f"{word} {ranges(numbers)}"


def ranges(numbers: Sequence[int]) -> str:
    """1–3, 5."""
    return ", ".join(
        str(first) if first == last else f"{first}–{last}" for first, last in _runs(numbers)
    )


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = number
    if first is not None and last is not None:
        yield first, last


def plain(text: str, most: int = LONGEST) -> str:
    """Fit for a terminal, whatever a file says; a hash is known by its beginning."""
    text = "".join(each if each.isprintable() else "?" for each in text)
    if len(text) > most:
        return text[: 16 if len(text) == 64 else most] + "…"
    return text
