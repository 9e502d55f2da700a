"""Faults of a deck that a machine can find; docs/deck.md says what people judged."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

from rapidfuzz import fuzz

MOST_PROMPT: Final = 60
MOST_SIDE: Final = 80
MOST_RATIO: Final = 1.25
ALIKE: Final = 75
"""Of 100, by the words that two dilemmas share."""

BLOCKED: Final = {
    "es": (
        "tú vos usted ustedes vosotros te tu tus "  # nobody is addressed
        "coche carro auto móvil celular ordenador computadora nevera heladera departamento zumo "
        "patata papa cola autobús colectivo gafas anteojos billete boleto coger tirar guay chévere "
        "cerveza vino alcohol muerte muerto muerta morir dinero sexo beso besar dios iglesia "
        "política robar crimen cuerpo médico hospital enfermo enferma enfermedad salud sueldo "
        "dieta fobia"
    ),
    "en": (
        "you your yours queue beer wine alcohol death dead die dies money sex kiss god church "
        "politics steal crime body doctor hospital sick ill health salary diet phobia apartment "
        "flat elevator color favorite gray"
    ),
}
"""Words that a deck for any table, in any country, does without (CONTENT: forbidden, avoid)."""

_BLOCKED: Final = {
    locale: re.compile(rf"\b({'|'.join(words.split())})\b", re.IGNORECASE)
    for locale, words in BLOCKED.items()
}
_MARKS: Final = re.compile(r"[.!?¡¿\"“”«»()\[\]…;]|--")
_DIGITS: Final = re.compile(r"\d")
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d")


class Fault(NamedTuple):
    """What is wrong with which text."""

    id: str
    locale: str
    what: str
    text: str


def faults(deck: Mapping[str, Any], locale: str) -> Iterator[Fault]:
    """Every fault of one locale's deck: `{"cards": {...}, "reserves": {...}}` as it ships."""
    for name, card in deck["cards"].items():
        yield from _prompt(name, locale, card["prompt"])
        for twist in card["twists"]:
            yield from _pair(name, locale, twist["a"], twist["b"])
    for name, reserve in deck["reserves"].items():
        yield from _prompt(name, locale, reserve["prompt"])
        yield from _pair(name, locale, reserve["a"], reserve["b"])
    yield from _alike(deck, locale)


def _text(name: str, locale: str, text: str) -> Iterator[Fault]:
    if not text or text != text.strip() or "  " in text:
        yield Fault(name, locale, "blank, or spaces at an edge or doubled", text)
    if text != unicodedata.normalize("NFC", text):
        yield Fault(name, locale, "not composed", text)
    if "’" in text or "‘" in text or (locale == "es" and "'" in text):
        yield Fault(name, locale, "another apostrophe than the deck's", text)
    if found := _BLOCKED[locale].search(text):
        yield Fault(name, locale, f"blocked: {found[0].lower()}", text)


def _prompt(name: str, locale: str, text: str) -> Iterator[Fault]:
    yield from _text(name, locale, text)
    if len(text) > MOST_PROMPT:
        yield Fault(name, locale, "a prompt too long", text)
    if text[-1:] not in (".", "?"):
        yield Fault(name, locale, "a prompt that does not end", text)
    if locale == "es" and (
        text.count("?") != text.count("¿") or text.count("!") != text.count("¡")
    ):
        yield Fault(name, locale, "¿? or ¡! unpaired", text)


def _pair(name: str, locale: str, a: str, b: str) -> Iterator[Fault]:
    for side in (a, b):
        yield from _text(name, locale, side)
        if len(side) > MOST_SIDE:
            yield Fault(name, locale, "a side too long", side)
        if _MARKS.search(side):
            yield Fault(name, locale, "punctuation in a side", side)
        if _DIGITS.search(side) and not _CLOCK.search(side):
            yield Fault(name, locale, "digits that are no clock time", side)
        if side[:1].islower():
            yield Fault(name, locale, "a side that begins small", side)
    if max(len(a), len(b)) > MOST_RATIO * min(len(a), len(b)):
        yield Fault(name, locale, "sides of unequal length", f"{a} | {b}")
    if a == b:
        yield Fault(name, locale, "the same side twice", a)


def _alike(deck: Mapping[str, Any], locale: str) -> Iterator[Fault]:
    texts = {
        name: f"{card['prompt']} {card['twists'][0]['a']} / {card['twists'][0]['b']}"
        for name, card in deck["cards"].items()
    } | {
        name: f"{reserve['prompt']} {reserve['a']} / {reserve['b']}"
        for name, reserve in deck["reserves"].items()
    }
    for (one, first), (other, second) in combinations(texts.items(), 2):
        if fuzz.token_set_ratio(first, second) >= ALIKE:
            yield Fault(one, locale, f"alike {other}", f"{first} || {second}")
