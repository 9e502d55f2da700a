"""Almost even on the screen: the author's six dilemmas, the vote, the split and the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .seats import Action, Bad, Screen, View, name_of, names_of, number
from .text import Section
from .words import Words


def sections(view: View, words: Words) -> list[Section]:
    match = view["match"]
    public, private = match["public"], match["private"] or {}
    author = name_of(view, public["author"], words)
    title = words.text("ae.round", round=public["round"], rounds=public["rounds"], name=author)
    order = words.text("ae.order", names=names_of(view, public["order"], words))
    shown = [Section("round", title, (f"  {order}",))]
    if private.get("cards"):
        shown.append(_cards(private["cards"], words))
    elif match["phase"] == "author":
        shown.append(Section("wait", words.text("ae.wait", name=author)))
    if public["dilemma"] is not None:
        shown.append(_dilemma(public["dilemma"], words))
    if private.get("vote"):
        shown.append(Section("vote", words.text("ae.vote", side=private["vote"].upper())))
    if public["reveal"] is not None:
        shown.append(_reveal(view, words))
    ranking = sorted(public["scores"], key=lambda each: -each["points"])
    scores = [f"{name_of(view, each['seat'], words)} {each['points']}" for each in ranking]
    # every reveal shows them anew, also one that brought nothing
    scored = public["round"] - (public["reveal"] is None)
    title = words.text("ae.scores", scores=", ".join(scores))
    shown.append(Section("scores", title, decision=scored))
    return shown


def options(cards: Any) -> list[tuple[str, Any]]:
    """The author's dilemmas in the order of their numbers: (card, twist)."""
    return [(card["card"], twist) for card in cards for twist in card["twists"]]


def _cards(cards: Any, words: Words) -> Section:
    lines, n = [], 0
    for card in cards:
        lines.append(f"  {card['prompt']}")
        for twist in card["twists"]:
            n += 1
            lines += [f"    {n}  A  {twist['a']}", f"       B  {twist['b']}"]
    return Section("cards", words.text("ae.cards"), tuple(lines))


def _dilemma(dilemma: Any, words: Words) -> Section:
    lines = [f"  A  {dilemma['a']}", f"  B  {dilemma['b']}"]
    if dilemma["reserve"]:
        lines.insert(0, f"  {words.text('ae.reserve')}")
    return Section("dilemma", dilemma["prompt"], tuple(lines))


def _reveal(view: View, words: Words) -> Section:
    public = view["match"]["public"]
    reveal = public["reveal"]
    lines = [
        f"  {side.upper()}  {len(reveal[side])}  {names_of(view, reveal[side], words)}".rstrip()
        for side in ("a", "b")
    ]
    if reveal["omitted"]:
        omitted = words.text("ae.omitted", names=names_of(view, reveal["omitted"], words))
        lines.append(f"  {omitted}")
    key = "ae.points" if reveal["minority"] else "ae.points-none"
    points = words.text(
        "ae.points-reserve" if reveal["reserve"] else key,
        name=name_of(view, public["author"], words),
        points=reveal["points"],
        minority=reveal["minority"],
        majority=reveal["accepted"] - reveal["minority"],
        ideal=reveal["ideal"],
        rest=reveal["accepted"] - reveal["ideal"],
    )
    return Section("reveal", words.text("ae.reveal"), (*lines, f"  {points}"), public["round"])


def ask(view: View, words: Words) -> str:
    match = view["match"]
    if match["phase"] == "author":
        cards = (match["private"] or {}).get("cards", ())
        return words.text("ae.ask-author", most=len(options(cards)))
    return words.text("ae.ask-vote")


def move(verb: str, arguments: Sequence[str], view: View) -> Action | Bad:
    typed = arguments[0].lower() if len(arguments) == 1 else ""
    if verb in ("", "vote") and typed in ("a", "b"):
        return {"type": "vote", "side": typed}
    found = options((view["match"]["private"] or {}).get("cards", ()))
    chosen = number(typed, len(found))
    if verb in ("", "publish") and chosen:
        card, twist = found[chosen - 1]
        return {"type": "publish", "card": card, "twist": twist["twist"]}
    return Bad("ae.how")


SCREEN = Screen(sections, ask, frozenset({"publish", "vote"}), move)
