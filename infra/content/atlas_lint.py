"""What must be true of a quartet's texts and structure (RULES, "Content"; CONTENT, part B).

A quartet here is one value: {"id", "structure": {"places", "traits", "fragments"}, "locales":
{locale: {"theme", "places", "traits", "fragments"}}}. Every function gives its complaints as
sentences, none if all is well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from rapidfuzz import fuzz, process

from .roots import as_set, plain, related, telling, words

LOCALES: Final = ("es", "en")
FRAGMENTS_EACH: Final = 12
FRAGMENT_LENGTHS: Final = range(70, 171)
DESCRIPTION_LENGTHS: Final = range(30, 141)
LATTICE: Final = {4: 3, 3: 1, 2: 2, 1: 0}
"""Places that a trait fits -> how many traits fit exactly these."""
WIDE_PAIRS: Final = 4
"""Of a fragment's six pairs of traits, so many must fit two places or more."""
ALIKE: Final = 80
"""From this likeness, of 100, two fragments are the same thing said twice."""

ID: Final = re.compile(r"[a-z]+(-[a-z0-9]+)*")
FRAGMENT_ID: Final = re.compile(r"f-[0-9a-f]{6}")
ADDRESSED: Final = as_set(
    "tú tu tus tuyo tuya tuyos tuyas te ti contigo usted ustedes vos vosotros vosotras os vuestro "
    "vuestra vuestros vuestras eres estás tienes puedes quieres sabes ves vas vienes debes llegas "
    "oyes sientes encuentras crees sos tenés podés querés sabés sois estáis tenéis podéis serás "
    "verás tendrás podrás estarás"
)
"""Spanish words that speak to the reader."""

Quartet = Mapping[str, Any]
Accepted = frozenset[tuple[str, str, str]]
"""(locale, word, word of a name): false alarms that a reader has passed."""


def accepted() -> Accepted:
    """The false alarms in `roots-accepted.txt`: locale, word, word of a name, reason."""
    file = Path(__file__).with_name("roots-accepted.txt")
    rows = (line.split(None, 3) for line in file.read_text("utf-8").splitlines())
    return frozenset(
        (row[0], plain(row[1]), plain(row[2]))
        for row in rows
        if len(row) == 4 and not row[0].startswith("#")
    )


def complaints(quartets: Sequence[Quartet], passed: Accepted) -> list[str]:
    """All that is wrong with the quartets, one by one and taken together."""
    found: list[str] = []
    for quartet in quartets:
        own = [*structure(quartet["structure"])]
        for locale in LOCALES:
            texts = quartet["locales"].get(locale)
            own += (
                [f"{locale}: missing"]
                if texts is None
                else [f"{locale}: {each}" for each in wording(quartet, locale, passed)]
            )
        found += [f"{quartet['id']}: {each}" for each in own]
    return [*found, *together(quartets)]


# --- structure ---------------------------------------------------------------------------------


def structure(parts: Mapping[str, Any]) -> Iterator[str]:
    """The lattice, the counts and the ids."""
    places, traits, fragments = parts["places"], parts["traits"], parts["fragments"]
    names = [*places, *(trait["id"] for trait in traits)]
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the id {name} is used {count} times"
        if not ID.fullmatch(name):
            yield f"the id {name!r} is not lower-case words with hyphens"
    if len(places) != 4:
        yield f"there are {len(places)} places, not 4"
    fits = {trait["id"]: frozenset(trait["places"]) for trait in traits}
    groups = Counter(fits.values())
    for size, wanted in LATTICE.items():
        for group in combinations(places, size):
            if groups[frozenset(group)] != wanted:
                yield f"{groups[frozenset(group)]} traits fit exactly {group}, not {wanted}"
    if sum(groups.values()) != 19:
        yield f"there are {sum(groups.values())} traits, not 19"
    for place in places:
        count = sum(fragment["place"] == place for fragment in fragments)
        if count != FRAGMENTS_EACH:
            yield f"{place} has {count} fragments, not {FRAGMENTS_EACH}"
    for fragment in fragments:
        yield from (f"{fragment['id']}: {each}" for each in _fragment(fragment, places, fits))


def _fragment(
    fragment: Mapping[str, Any], places: Sequence[str], fits: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    own = fragment["traits"]
    if not FRAGMENT_ID.fullmatch(fragment["id"]):
        yield "the id is not f- and six hexadecimal digits, so it could tell something"
    if fragment["place"] not in places:
        yield f"the place {fragment['place']} is no candidate"
    if len(own) != 4 or len(set(own)) != 4:
        yield f"{own} are not four different traits"
    if unknown := [trait for trait in own if trait not in fits]:
        yield f"unknown traits {unknown}"
        return
    if untrue := [trait for trait in own if fragment["place"] not in fits[trait]]:
        yield f"{untrue} do not fit {fragment['place']}"
    wide = sum(len(fits[one] & fits[other]) >= 2 for one, other in combinations(own, 2))
    if wide < WIDE_PAIRS:
        yield f"only {wide} of its pairs fit two places or more"


# --- words -------------------------------------------------------------------------------------


def wording(quartet: Quartet, locale: str, passed: Accepted) -> Iterator[str]:
    """The texts of one language: complete, of the right length and form, and giving nothing
    away by a word that shares a root with a trait's or place's name."""
    parts, texts = quartet["structure"], quartet["locales"][locale]
    if not texts["theme"].strip():
        yield "the theme is blank"
    for kind, wanted in (
        ("places", set(parts["places"])),
        ("traits", {trait["id"] for trait in parts["traits"]}),
        ("fragments", {fragment["id"] for fragment in parts["fragments"]}),
    ):
        if odd := wanted ^ set(texts[kind]):
            yield f"{kind} in only one of structure and texts: {sorted(odd)}"
    places = {key: text["name"] for key, text in texts["places"].items()}
    for kind, labels in (("trait", texts["traits"]), ("place", places)):
        for label, count in Counter(map(plain, labels.values())).items():
            if count > 1:
                yield f"{count} {kind}s are called {label}"
        for key, label in labels.items():
            if not label or label != unicodedata.normalize("NFC", label).strip():
                yield f"{key}: the name {label!r} has edge spaces or is not NFC"
    named = {
        word: label
        for label in (*texts["traits"].values(), *places.values())
        for word in telling(label, locale)
    }
    prose = [
        (key, text["description"], DESCRIPTION_LENGTHS) for key, text in texts["places"].items()
    ] + [(key, text, FRAGMENT_LENGTHS) for key, text in texts["fragments"].items()]
    for key, text, lengths in prose:
        if len(text) not in lengths:
            yield f"{key}: {len(text)} characters, not {lengths.start} to {lengths.stop - 1}"
        yield from (f"{key}: {each}" for each in form(text, locale))
        for word in telling(text, locale):
            for name, label in named.items():
                if related(word, name, locale) and (locale, word, name) not in passed:
                    yield f"{key}: {word!r} shares a root with {label!r}"


def form(text: str, locale: str) -> Iterator[str]:
    """One clean sentence that speaks to nobody."""
    if text != text.strip() or re.search(r"\s\s|[\t\n\r\u00a0]", text):
        yield "edge, double or odd spaces"
    if text != unicodedata.normalize("NFC", text):
        yield "not NFC"
    odd = {"So", "Cc", "Cf", "Co", "Cn"}
    if re.search(r"[<>{}@*_#|\\]", text) or any(
        unicodedata.category(char) in odd and char != "°" for char in text
    ):
        yield "markup, emoji or control characters"
    if not re.search(r"[.!?…]$", text):
        yield "does not end like a sentence"
    if re.search(r"[.!?…][»”’\"']?\s+[¿¡«“]?[A-ZÁÉÍÓÚÑ]", text):
        yield "more than one sentence"
    if locale == "es":
        if text.count("¿") != text.count("?") or text.count("¡") != text.count("!"):
            yield "¿? or ¡! do not pair"
        spoken = ADDRESSED & set(re.findall(r"[a-záéíóúüñ]+", text.lower()))
        if spoken:
            yield f"speaks to the reader: {sorted(spoken)}"


# --- all together ------------------------------------------------------------------------------


def together(quartets: Sequence[Quartet]) -> Iterator[str]:
    """What no two quartets may share: ids, and fragments that say the same."""
    owners: dict[str, str] = {}
    for quartet in quartets:
        parts, name = quartet["structure"], quartet["id"]
        for key in (name, *parts["places"], *(each["id"] for each in parts["fragments"])):
            if key in owners:
                yield f"{name}: the id {key} is taken by {owners[key]}"
            owners[key] = name
    for locale in LOCALES:
        bags = {
            f"{quartet['id']} {key}": " ".join(words(text))
            for quartet in quartets
            for key, text in quartet["locales"].get(locale, {}).get("fragments", {}).items()
        }
        keys, values = list(bags), list(bags.values())
        likeness = process.cdist(values, values, scorer=fuzz.token_set_ratio, workers=-1)
        for one, other in np.argwhere(np.triu(likeness, 1) >= ALIKE):
            yield f"{locale}: {keys[one]} is much like {keys[other]}"
