"""Liar's dice checked by anyone: every die, every chamber and who lost, from published data alone.

    python -m infra.local.verify FILE.json ...      (or - for standard input)

FILE is a view (GET /v1/rooms/{code}), an archived record, or what the demo keeps with RECORD=FILE;
several are of one match, say a view of each reveal, and its lobby's before. LOCALE is en or es.
Nothing is imported from the server: `recipe.py` is the recipe of API.md, "Dice that anyone can
check", a second time, and `checks.py` the rules. docs/dice.md explains it with an example.

    0  nothing differs in what could be checked; what could not is listed
    1  something differs: what, in which round, at which seat, published and worked out
    2  nothing could be checked: no such file, no match of liar's dice in it, or no seed is out yet
"""

from .checks import Check, Gap, check, totals, unchecked, verified
from .command import main
from .recipe import (
    below,
    chamber_of,
    dice_of,
    entropy_digest,
    keyed,
    root_of,
    round_seed,
    sha256,
    words_of,
)
from .record import Record, Unreadable, noted, read
from .show import LOCALES, differences, gaps, table, verdict, words

__all__ = [
    "LOCALES",
    "Check",
    "Gap",
    "Record",
    "Unreadable",
    "below",
    "chamber_of",
    "check",
    "dice_of",
    "differences",
    "entropy_digest",
    "gaps",
    "keyed",
    "main",
    "noted",
    "read",
    "root_of",
    "round_seed",
    "sha256",
    "table",
    "totals",
    "unchecked",
    "verdict",
    "verified",
    "words",
    "words_of",
]
