"""Do two words share a root? A rough test for writers' texts, in Spanish and English.

Without accents, two words are related if their stems are equal, or one stem of five letters or
more is the beginning of the other, or they share six letters and all but one of the shorter, or
both belong to one of `FAMILIES`. It errs towards yes; pairs in `NOT_RELATED` are passed.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final


def as_set(text: str) -> frozenset[str]:
    """Its words."""
    return frozenset(text.split())


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("/")) for pair in text.split(", "))


def _families(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


STOP: Final = {
    "es": as_set(
        "a al algo alguien ante antes asi aun aqui bajo cada casi como con contra cual "
        "cuando de del desde donde dos el ella ellas ellos en entonces entre era es esa ese "
        "eso esta este esto estan fue gran grande ha hace hacia han hasta hay la las le les "
        "lo los luego mas me mi mientras mis mucha muchas mucho muchos muy nada nadie ni no "
        "nos o otra otras otro otros para parece pero poco por porque pues que quien se "
        "segun ser si sin sobre solo son su sus tan tanto tantos toda todas todavia todo "
        "todos tras un una unas uno unos va van y ya yo"
    ),
    "en": as_set(
        "a about above after again all along also am an and another any are as at away back "
        "be been before behind below between big both but by can come each even every for "
        "from get go goes has have he her here him his how i if in inside into is it its "
        "just last less like long many me more most much my near never no nobody none not "
        "nothing now of off on once one only onto or other others our out outside over own "
        "people same say says she so some someone something somewhere still such than that "
        "the their them then there these they thing things this those through till to too "
        "two under until up us very was we were what when where which while who whose why "
        "will with without you your"
    ),
}
"""Function words: they never count as a word of a name."""

NOT_RELATED: Final = {
    "es": _pairs(
        "puerto/puerta, mina/mine, vela/vele, cama/came, casa/caso, casa/casi, rama/ramo, "
        "puesta/puesto, libro/libre, barco/barca, viento/vientre, sala/salida, sale/sala, "
        "sombra/sombrero, planta/planto, copa/copo, punto/punta, fondo/fonda, cuento/cuenta, "
        "hoja/hojo, bola/bolo, pala/palo, sueno/suena, sueno/suenan, suelo/suela, suelo/suele, "
        "suelo/suelta, marea/mareo, pesca/pesco"
    ),
    "en": _pairs(
        "star/staring, star/stare, star/stared, stair/stare, rice/rise, under/underground, "
        "bar/bare, bar/barely, len/lend, sea/seat, bee/been, plan/plane, plant/plane, "
        "string/stray, sing/single, hanger/hang, mast/mate, kit/kite, cap/cape, car/care, "
        "tub/tube, pin/pine, ride/rid, bath/bathe, number/numb, tower/tow, water/wat, "
        "power/pow, flow/flower, show/shower, corn/corner, count/counter, matter/mat, "
        "letter/let, butter/but, came/came"
    ),
}
"""Pairs that begin alike and have nothing to do with each other."""

FAMILIES: Final = {
    "es": _families(
        r"soledad|solitari|sol[ao]s?$",
        r"luz|luces|luci|lumin|ilumin",
        r"calor|calur|calient",
        r"hiel[oa]|hel[ao]d|helad|helar",
        r"fueg|fog[ao]",
        r"vuel[aoe]|vola[rnb]|voland|volad",
        r"jueg|jug[auo]",
        r"viento|vento[sl]|ventea|ventisc",
        r"noche|nocturn|anochec",
        r"niev|neva|nevo",
        r"piedr|pedre|petr",
        r"inviern|invern",
        r"cielo|celest",
        r"calle$|callej",
        r"sueno|son[aeo]|sonador",
        r"lluvia|lluev|llov",
        r"diente|dent[aeu]",
        r"fri[oa]s?$|frial|enfri",
        r"oscur|oscure",
        r"miel|melos",
        r"silenci",
        r"profund",
        r"agua|acuat|acuos",
        r"fantasm",
        r"tierra|terre|subterr",
    ),
    "en": _families(
        r"heat($|s|e[dr]|i)|hot$|hott",
        r"ice$|icy|icicle|iced",
        r"depth|deep",
        r"silen",
        r"high|heigh",
        r"long|length",
        r"wide|width",
        r"flight|fly|flie|flown|flew",
        r"fire|fier[yi]",
        r"warm",
        r"food|feed|fed$",
        r"song|sing$|sings$|singing|singer|sung|sang",
        r"sale|sell|sold",
        r"sea$|seas$",
        r"strength|strong",
        r"dig$|digs$|digg|dug",
        r"speech|speak|spoke",
        r"swim|swam|swum",
        r"freez|froz",
        r"choice|choos|chose",
        r"theatr",
        r"sit$|sits$|sitting|seat|sat$",
        r"shoot|shot",
        r"growth|grow|grew",
    ),
}
"""Related words that no ending explains."""

ENDINGS: Final = {
    "es": (
        "amientos imientos aciones iciones amiento imiento idades adoras adores edores edoras "
        "mente acion icion idad ables ibles adora ador edor able ible iendo ando osos osas orio "
        "aban abas oso osa ado ada ados adas ido ida idos idas eros eras ero era ista istas itos "
        "itas ito ita aba ian ia",
        "ar er ir an en as es os a e o s",
    ),
    "en": (
        "ations ation fulness iveness ousness ities ments ness ment ings ity ally able ible less "
        "fully ful ious ous ers ing ies ied ier ely ery eries",
        "ed er es ly al s y e",
    ),
}
"""Derivations, of which the longest that fits goes, and inflections, of which the first does."""

SHORT: Final = as_set("ado ada ados adas ando iendo ing ery")
"""Derivations that go even if only three letters are left."""


def plain(text: str) -> str:
    """Lower case without accents."""
    split = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in split if not unicodedata.combining(char)).replace("’", "'")


def words(text: str) -> list[str]:
    """Plain words; an English 's or n't goes."""
    return [re.sub(r"'.*", "", word) for word in re.findall(r"[a-z]+(?:'[a-z]+)?", plain(text))]


def telling(text: str, locale: str) -> list[str]:
    """The words that could give a name away, each once."""
    return [
        word for word in dict.fromkeys(words(text)) if len(word) > 2 and word not in STOP[locale]
    ]


@cache
def stem(word: str, locale: str) -> str:
    """The word without one derivation (four letters are left) or inflection (three are)."""
    if locale == "es":  # luz, luces; toca, toque; llega, llegue
        word = re.sub(r"ces$", "zes", word)
        word = re.sub(r"qu(?=[ei])", "c", re.sub(r"gu(?=[ei])", "g", word))
    elif re.search(r"(?<!le)(?<!ne)ss$", word):
        return word
    derivations, inflections = ENDINGS[locale]
    for ending in sorted(derivations.split(), key=len, reverse=True):
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending in SHORT else 4):
            return _undoubled(word.removesuffix(ending), locale)
    for ending in inflections.split():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return _undoubled(word.removesuffix(ending), locale)
    return word


def _undoubled(base: str, locale: str) -> str:
    """Running is run; the last letter of carries goes too."""
    if locale == "en":
        base = re.sub(r"([bdgmnprt])\1$", r"\1", base)
        if len(base) > 4:
            base = re.sub(r"(?<=..)[iy]$", "", base)
    return base


@cache
def families(word: str, locale: str) -> frozenset[int]:
    """Which of `FAMILIES` the word belongs to."""
    return frozenset(number for number, family in enumerate(FAMILIES[locale]) if family.match(word))


@cache
def related(one: str, other: str, locale: str) -> bool:
    """Do two plain words seem to share a root?"""
    if one == other:
        return True
    if frozenset((one.rstrip("s"), other.rstrip("s"))) in NOT_RELATED[locale]:
        return False
    if families(one, locale) & families(other, locale):
        return True
    first, second = stem(one, locale), stem(other, locale)
    if {one, one.rstrip("s"), first} & {other, other.rstrip("s"), second}:
        return True
    low, high = sorted((first, second), key=len)
    if len(low) >= 5 and high.startswith(low):
        return True
    shared = 0
    while shared < len(low) and low[shared] == high[shared]:
        shared += 1
    return shared >= 6 and shared >= len(low) - 1
