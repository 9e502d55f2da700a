"""Liar's dice on the screen: the table, the bids, the own dice, and what came of a round."""

from __future__ import annotations

from collections.abc import Sequence

from .. import verify
from .seats import Action, Bad, Screen, View, name_of, number
from .text import Section, columns
from .words import Words

FACES = 6


def sections(view: View, words: Words) -> list[Section]:
    match = view["match"]
    public = match["public"]
    shown = []
    if public["reveal"] is None or match["outcome"] is not None:
        shown.append(_table(view, words))
    if public["reveal"] is not None:
        shown.append(_reveal(view, words))
        if match["outcome"] is None and public["turn"] is not None:
            following = name_of(view, public["turn"], words)
            shown.append(Section("next", words.text("ld.next", name=following)))
        return shown
    if public["bids"]:
        bids = [
            f"{name_of(view, each['seat'], words)} {dice(each['quantity'], each['face'], words)}"
            for each in public["bids"]
        ]
        shown.append(Section("bids", words.text("ld.bids", bids=", ".join(bids))))
    if match["private"] and match["private"]["dice"]:
        own = " ".join(map(str, sorted(match["private"]["dice"])))
        # every round is a new roll, also one that happens to show the same
        shown.append(Section("dice", words.text("ld.dice", dice=own), decision=public["round"]))
    if not match["your_move"] and public["turn"] is not None:
        turn = name_of(view, public["turn"], words)
        shown.append(Section("turn", words.text("ld.turn", name=turn), decision=match["decision"]))
    return shown


def dice(quantity: int, face: int, words: Words) -> str:
    """3 fives."""
    return words.count(f"ld.face-{face}", quantity)


def _table(view: View, words: Words) -> Section:
    public = view["match"]["public"]
    rows = []
    for each in public["players"]:
        row = [f"  {name_of(view, each['seat'], words)}"]
        if each["alive"]:
            row += [words.count("ld.dice-count", each["dice"])]
            row += [words.count("ld.bullets", each["bullets"])]
        else:
            row += [words.text("ld.dead"), words.text("ld.position", position=each["position"])]
        rows.append(row)
    title = words.text(
        "ld.round",
        round=public["round"],
        dice=public["dice_in_play"],
        ones=words.text("ld.ones-wild" if public["ones_wild"] else "ld.ones-plain"),
    )
    if view["match"]["outcome"] is None:  # afterwards the room may be set for another match
        first = words.count("ld.bullets", view["room"]["settings"]["bullets"])
        title += words.text("ld.first", bullets=first)
    return Section("table", title, tuple(columns(rows)))


def _reveal(view: View, words: Words) -> Section:
    public = view["match"]["public"]
    reveal = public["reveal"]
    caller = name_of(view, reveal["caller"], words)
    lines = []
    if reveal["bid"] and reveal["count"] is not None:
        cups = [
            [f"  {name_of(view, int(seat), words)}", " ".join(map(str, sorted(cup)))]
            for seat, cup in reveal["dice"].items()
        ]
        lines += [f"  {words.text('ld.cups')}", *(f"  {line}" for line in columns(cups))]
        lines.append(f"  {_verdict(view, words)}")
    for shot in reveal["shots"]:
        key = "ld.shot-dead" if shot["dead"] else "ld.shot-alive"
        said = words.text(
            key,
            name=name_of(view, shot["seat"], words),
            bullets=words.count("ld.bullets", shot["bullets"]),
            chamber=shot["chamber"],
        )
        lines.append(f"  {said}")
    title = words.named("ld.kind", reveal["kind"]).format(name=caller)
    return Section("reveal", title, tuple(lines), decision=public["round"])


def _verdict(view: View, words: Words) -> str:
    public = view["match"]["public"]
    reveal = public["reveal"]
    bid, count = reveal["bid"], reveal["count"]
    if reveal["kind"] == "exact":
        hit = count == bid["quantity"]
        key, loser = ("ld.exact-hit" if hit else "ld.exact-missed"), reveal["caller"]
    else:
        true = count >= bid["quantity"]
        key, loser = "ld.loses", reveal["caller"] if true else bid["seat"]
    return words.text(
        key,
        bid=dice(bid["quantity"], bid["face"], words),
        bidder=name_of(view, bid["seat"], words),
        count=dice(count, bid["face"], words)
        + (words.text("ld.with-ones") if public["ones_wild"] else ""),
        name=name_of(view, loser, words),
    )


def ask(view: View, words: Words) -> str:
    public = view["match"]["public"]
    bids = public["bids"]
    if not bids:
        return words.text("ld.ask-first")
    quantity, face, all_dice = bids[-1]["quantity"], bids[-1]["face"], public["dice_in_play"]
    exact = words.text("ld.ask-exact") if public["exact"] else ""
    if (quantity, face) == (all_dice, FACES):
        return words.text("ld.ask-top", exact=exact)
    higher = (quantity + 1, face) if quantity < all_dice else (quantity, face + 1)
    bid = dice(*higher, words)
    return words.text("ld.ask", quantity=higher[0], face=higher[1], bid=bid, exact=exact)


def move(verb: str, arguments: Sequence[str], view: View) -> Action | Bad:
    if verb in ("challenge", "exact") and not arguments:
        return {"type": verb}
    quantity = number(arguments[0], 99) if len(arguments) == 2 else None
    face = number(arguments[1], FACES) if len(arguments) == 2 else None
    if verb in ("", "bid") and quantity and face:
        return {"type": "bid", "quantity": quantity, "face": face}
    return Bad("ld.how")


def end(view: View, words: Words) -> list[str]:
    """Are the dice what was promised? It can be worked out again, from here on by anybody."""
    try:
        good = verify.verified(verify.check(verify.read(view)))
    except verify.Unreadable:  # a server of another release
        return []
    return [words.text("ld.checked" if good else "ld.not-checked")]


SCREEN = Screen(sections, ask, frozenset({"bid", "challenge", "exact"}), move, end)
