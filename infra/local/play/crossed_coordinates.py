"""Crossed coordinates on the screen: places and signals by number, the own fragment, and sums.

Nothing here joins a signal to anybody: the own one is told by its traits, as the server does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .seats import Action, Bad, Screen, View, number
from .text import Section
from .words import Words

ROUNDS, MOST_A_ROUND = 4, 400


def sections(view: View, words: Words) -> list[Section]:
    match = view["match"]
    public, private = match["public"], match["private"]
    title = words.text("cc.round", round=public["round"], rounds=ROUNDS, score=public["score"])
    places = [
        f"  {n}  {each['name']}. {each['description']}"
        for n, each in enumerate(public["candidates"], 1)
    ]
    # the score moves with the reveal, which tells it: the places are no news then
    if public["reveal"] is not None:
        return [_signals(public, words), _reveal(public, words)]
    shown = [Section("round", title, tuple(places))]
    if private is not None:
        shown.append(_fragment(private, words))
        if private["signal"]:
            shown.append(Section("signal", words.text("cc.signal", pair=_own_pair(private))))
    if public["signals"]:
        # once more when they are voted on: the council may have been long
        now = match["decision"] if match["phase"] == "ballot" else 0
        shown.append(_signals(public, words)._replace(decision=now))
    if match["phase"] == "council":
        shown.append(Section("council", words.text("cc.council"), decision=match["decision"]))
    if match["phase"] == "ballot":
        names = [f"{n} {each['name']}" for n, each in enumerate(public["candidates"], 1)]
        shown.append(Section("places", words.text("cc.places", places=", ".join(names))))
    if private is not None and private["ballot"]:
        shown.append(Section("ballot", _own_ballot(public, private["ballot"], words)))
    return shown


def _pair(signal: Any) -> str:
    return " + ".join(trait["text"] for trait in signal["traits"])


def _own_pair(private: Any) -> str:
    texts = {each["trait"]: each["text"] for each in private["traits"]}
    return " + ".join(texts.get(trait, "?") for trait in private["signal"])


def _fragment(private: Any, words: Words) -> Section:
    traits = ", ".join(f"{n} {each['text']}" for n, each in enumerate(private["traits"], 1))
    lines = (f"  {private['fragment']}", f"  {words.text('cc.traits', traits=traits)}")
    return Section("fragment", words.text("cc.fragment"), lines)


def _signals(public: Any, words: Words) -> Section:
    reveal = public["reveal"]
    lines = []
    for n, each in enumerate(public["signals"], 1):
        line = f"  {n}  {_pair(each)}"
        if reveal is not None:
            votes = reveal["signal_votes"].get(each["signal"], 0)
            line += f" ({words.count('cc.votes', votes)})"
            if each["signal"] in reveal["distorted_signals"]:
                line += f" {words.text('cc.distorted')}"
        lines.append(line)
    title = words.text("cc.signals") if lines else words.text("cc.no-signals")
    return Section("signals", title, tuple(lines))


def _own_ballot(public: Any, ballot: Any, words: Words) -> str:
    place = next((x["name"] for x in public["candidates"] if x["place"] == ballot["place"]), "?")
    pairs = {each["signal"]: _pair(each) for each in public["signals"]}
    if ballot["signal"] is None:
        return words.text("cc.ballot-place", place=place)
    return words.text("cc.ballot", place=place, pair=pairs.get(ballot["signal"], "?"))


def _reveal(public: Any, words: Words) -> Section:
    reveal = public["reveal"]
    names = {each["place"]: each["name"] for each in public["candidates"]}
    votes = ", ".join(
        f"{names.get(place, place)} {count}" for place, count in reveal["place_votes"].items()
    )
    lines = [f"  {words.text('cc.place-votes', votes=votes)}"]
    for each in reveal["fragments"]:
        place = names.get(each["place"], each["place"])
        said = words.text("cc.fragment-of", place=place, text=each["text"])
        stray = "" if each["place"] == reveal["target"] else f" {words.text('cc.stray')}"
        lines.append(f"  {said}{stray}")
    points = (reveal["place_points"], reveal["noise_points"], reveal["alignment_points"])
    total = words.text(
        "cc.points",
        place=points[0],
        noise=points[1],
        alignment=points[2],
        points=sum(points),
        most=MOST_A_ROUND,
        score=public["score"],
    )
    title = words.text("cc.target", place=names.get(reveal["target"], "?"), round=public["round"])
    return Section("reveal", title, (*lines, f"  {total}"), public["round"])


def ask(view: View, words: Words) -> str:
    match = view["match"]
    key = f"cc.ask-{match['phase']}"
    if match["phase"] == "ballot" and not match["public"]["signals"]:
        key = "cc.ask-ballot-place"
    return words.text(key) if key in words.texts else ""


def move(verb: str, arguments: Sequence[str], view: View) -> Action | Bad:
    match = view["match"]
    phase = {"": match["phase"], "ready": "study", "signal": "encode"}.get(verb, verb)
    if phase == "study" and verb == "ready" and not arguments:
        return {"type": "ready"}
    if phase == "encode":
        traits = (match["private"] or {}).get("traits", ())
        chosen = [number(each, len(traits)) for each in arguments]
        if len(chosen) == 2 and chosen[0] and chosen[1]:
            pair = [traits[n - 1]["trait"] for n in chosen if n]
            return {"type": "signal", "traits": pair}
    if phase == "ballot":
        return _ballot(arguments, match["public"])
    return Bad("cc.how")


def _ballot(arguments: Sequence[str], public: Any) -> Action | Bad:
    """A place, and a signal if there are any."""
    signals = public["signals"]
    if len(arguments) != (2 if signals else 1):
        return Bad("cc.how")
    place = number(arguments[0], len(public["candidates"]))
    signal = number(arguments[1], len(signals)) if signals else None
    if not place or (signals and not signal):
        return Bad("cc.how")
    ballot: Action = {"type": "ballot", "place": public["candidates"][place - 1]["place"]}
    return ballot | ({"signal": signals[signal - 1]["signal"]} if signal else {})


SCREEN = Screen(sections, ask, frozenset({"ready", "signal", "ballot"}), move)
