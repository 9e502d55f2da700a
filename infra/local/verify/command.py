"""The command: files in, a table and a verdict out, and an exit status."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .checks import check, unchecked, verified
from .record import Unreadable, read
from .show import LOCALES, differences, gaps, plain, table, verdict, words

WIDTH = 100


class _NoFile(Exception):  # names what happened
    """A file cannot be read; `key` is one of the words."""

    def __init__(self, key: str, name: str) -> None:
        super().__init__(key)
        self.key = key
        self.name = name


def main(arguments: Sequence[str]) -> int:
    """0: nothing differs in what could be checked. 1: something does. 2: nothing to check."""
    locale = os.environ.get("LOCALE", "en")
    if locale not in LOCALES:
        print(f"LOCALE is {' or '.join(LOCALES)}.", file=sys.stderr)
        return 2
    labels = words(locale)
    if not arguments or any(each.startswith("--") for each in arguments):
        print(labels["usage"], file=sys.stderr)
        return 2
    try:
        record = read(*map(_document, arguments))
    except _NoFile as problem:
        print(labels[problem.key].format(file=plain(problem.name)), file=sys.stderr)
        return 2
    except Unreadable as problem:
        for line in textwrap.wrap(labels[problem.key].format(**problem.values), WIDTH):
            print(line, file=sys.stderr)
        return 2
    checks, left = check(record), unchecked(record)
    out = any(row.seed is not None for row in record.rows)
    print("\n".join(table(record, checks, labels)))
    print()
    if out or not verified(checks):
        _say(verdict(record, checks, labels))
        _list(differences(record, checks, labels))
    else:
        _say(labels["too-early"])
    if left:
        print()
        _say(labels["unchecked"])
        _list(gaps(left, labels))
    if not verified(checks):
        return 1
    return 0 if out else 2


def _document(name: str) -> Any:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    except OSError:
        raise _NoFile("no-file", name) from None
    except ValueError:
        raise _NoFile("no-json", name) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _NoFile("no-json", name) from None


def _say(text: str) -> None:
    for line in textwrap.wrap(text, WIDTH, break_on_hyphens=False):
        print(line)


def _list(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        for line in textwrap.wrap(
            sentence,
            WIDTH,
            initial_indent="- ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        ):
            print(line)
