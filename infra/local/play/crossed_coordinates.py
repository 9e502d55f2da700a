"""Crossed coordinates on the screen: places and signals by number, the own fragment, and sums.

Nothing here joins a signal to anybody: the own one is told by its traits, as the server does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .seats import Action, Bad, Screen, View, number
from .text import Section, columns
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
        return [_signals(public, words), _reveal(view, words)]
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


def _reveal(view: View, words: Words) -> Section:
    public = view["match"]["public"]
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
    lines += [f"  {line}" for line in _points(view, words)]
    title = words.text("cc.target", place=names.get(reveal["target"], "?"), round=public["round"])
    return Section("reveal", title, tuple(lines), public["round"])


def _points(view: View, words: Words) -> list[str]:
    """What the round brought, and beside it what it would have taken (RULES, CC-8 and CC-9)."""
    public, reveal = view["match"]["public"], view["match"]["public"]["reveal"]
    voters = _voters(view)
    found, noise = reveal["place_votes"][reveal["target"]], reveal["noise_points"]
    heard = [(reveal["signal_votes"].get(each, 0), each) for each in reveal["distorted_signals"]]
    votes, signal = max(heard, default=(0, ""))
    others = [count for each, count in reveal["signal_votes"].items() if each != signal]
    behind = not noise and _noise_bar(voters[0]) <= votes <= max(others, default=0)
    points = (reveal["place_points"], noise, reveal["alignment_points"])
    return [
        words.text(
            "cc.place",
            points=points[0],
            votes=words.count("cc.votes", found),
            needed=_needed(voters, _majority),
        ),
        words.text(
            "cc.noise" if heard else "cc.noise-none",
            points=noise,
            votes=words.count("cc.votes", votes),
            needed=_needed(voters, _noise_bar),
            behind=words.text("cc.behind") if behind else "",
        ),
        words.text(
            "cc.alignment",
            points=points[2],
            votes=words.count("cc.votes", found),
            needed=_needed(voters, _alignment_bar),
        ),
        words.text(
            "cc.points",
            points=sum(points),
            most=MOST_A_ROUND,
            score=public["score"],
            in_all=ROUNDS * MOST_A_ROUND,
        ),
    ]


def _voters(view: View) -> tuple[int, int]:
    """N of CC-8 at least and at most: nobody is told how many had left when the ballot opened."""
    reveal = view["match"]["public"]["reveal"]
    seated = [each for each in view["room"]["members"] if each["seat"] is not None]
    active = sum(not each["left"] for each in seated)
    return max(active, sum(reveal["place_votes"].values())), len(reveal["fragments"])


def _majority(voters: int) -> int:
    return voters // 2 + 1


def _noise_bar(voters: int) -> int:
    return max(2, -(-voters // 3))


def _alignment_bar(voters: int) -> int:
    return -(-3 * voters // 4)


def _needed(voters: tuple[int, int], bar: Callable[[int], int]) -> str:
    least, most = map(bar, voters)
    return str(most) if least >= most else f"{least}–{most}"


def end(view: View, words: Words) -> list[str]:
    """The rounds and their sum."""
    public = view["match"]["public"]
    kinds = ("place", "noise", "alignment", "points")
    rows = [["", *(words.text(f"cc.column.{kind}") for kind in kinds)]]
    for n, each in enumerate(public["rounds"], 1):
        rows.append([words.text("cc.row", round=n), *(str(each[kind]) for kind in kinds)])
    sums = [str(sum(each[kind] for each in public["rounds"])) for kind in kinds[:-1]]
    total = words.text("cc.total", score=public["score"], in_all=ROUNDS * MOST_A_ROUND)
    return columns([*rows, [words.text("cc.row-total"), *sums, total]])


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


SCREEN = Screen(sections, ask, frozenset({"ready", "signal", "ballot"}), move, end)
