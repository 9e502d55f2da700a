"""A view as sections: the room, the match, what is asked and how it ended; and the status line.

Pure: the same view, language and instant give the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import almost_even, crossed_coordinates, liars_dice
from .offers import Offers, settings_of
from .seats import Screen, View, marked, name_of, names_of
from .text import Section, clock, columns
from .words import Words

GAMES: Mapping[str, Screen] = {
    "liars-dice": liars_dice.SCREEN,
    "almost-even": almost_even.SCREEN,
    "crossed-coordinates": crossed_coordinates.SCREEN,
}
CLOSABLE = ("reveal", "council")
"""Phases that the host may close from their floor on."""


def sections(view: View, words: Words, offers: Offers) -> list[Section]:
    """Everything there is to see, from the room down to what is asked."""
    match = view["match"]
    shown = [_room(view, words, offers)]
    if view["room"].get("claim"):
        shown.append(_claim(view, words))
    if match is not None:
        game = GAMES.get(match["game"])
        if game is None:
            shown.append(Section("unknown", words.text("unknown-game", game=match["game"])))
        else:
            shown += game.sections(view, words)
        if match["answered"] is not None and match["expected"] > 1:
            key = f"progress.{match['phase']}"
            progress = words.text(
                key if key in words.texts else "progress",
                answered=match["answered"],
                expected=match["expected"],
            )
            shown.append(Section("progress", progress))
        if match["outcome"] is not None:
            shown.append(_outcome(view, words))
    asked = _asked(view, words)
    return [*shown, *([asked] if asked else [])]


def _room(view: View, words: Words, offers: Offers) -> Section:
    """Who is there; at play, who is not at the table is all that is of interest."""
    room, match = view["room"], view["match"]
    playing = match is not None and match["outcome"] is None
    lines = _beside_the_table(view, words) if playing else _members(view, words)
    gone = [each for each in room["members"] if each["left"] and each["seat"] is not None]
    lines += [f"  {words.text('gone', name=marked(view, each, words))}" for each in gone]
    if playing and view["you"]["seat"] is None:
        lines.append(f"  {words.text('no-seat')}")
    known = settings_of(room["game"], offers)
    settings = [
        f"{known[name].title if name in known else name} {_value(value, words)}"
        for name, value in room["settings"].items()
    ]
    if settings:
        lines.append(f"  {words.text('settings', settings=', '.join(settings))}")
    return Section("room", _title(view, words), tuple(lines))


def _members(view: View, words: Words) -> list[str]:
    rows = []
    for n, each in enumerate(present(view), 1):
        marks = []
        if each["player_id"] == view["room"]["host"]:
            marks.append(words.text("mark-host"))
        if each["bot"]:
            marks.append(words.text("mark-bot"))
        if each["role"] != "player":
            marks.append(words.named("role", each["role"]))
        rows.append([f"  {n}", marked(view, each, words), ", ".join(marks)])
    return columns(rows)


def _beside_the_table(view: View, words: Words) -> list[str]:
    here = present(view)
    host = [marked(view, each, words) for each in here if each["player_id"] == view["room"]["host"]]
    watching = [marked(view, each, words) for each in here if each["role"] != "player"]
    lines = [f"  {words.text('host', name=name)}" for name in host]
    if watching:
        lines.append(f"  {words.count('watching', len(watching), names=', '.join(watching))}")
    return lines


def present(view: View) -> list[dict[str, Any]]:
    """The members who are here, in the order of their numbers. Whoever gave up the seat of this
    match counts as left, and may be here all the same: to watch, to host, or to read this."""
    room = view["room"]
    here = (room["host"], view["you"]["player_id"])
    return [
        each
        for each in room["members"]
        if not each["left"] or each["role"] != "player" or each["player_id"] in here
    ]


def _value(value: Any, words: Words) -> str:
    return words.text("yes" if value else "no") if isinstance(value, bool) else str(value)


def _title(view: View, words: Words) -> str:
    room = view["room"]
    return words.text(
        "room",
        code=room["code"],
        game=words.named("game", room["game"]),
        visibility=words.named("visibility", room["visibility"]),
        locked=words.text("locked") if room["locked"] else "",
    )


def _claim(view: View, words: Words) -> Section:
    claim = view["room"]["claim"]
    names = {each["player_id"]: each["name"] for each in view["room"]["members"]}
    key = "claim-host" if view["you"]["host"] else "claim"
    return Section("claim", words.text(key, name=names.get(claim["player_id"], "?")))


def _outcome(view: View, words: Words) -> Section:
    outcome = view["match"]["outcome"]
    lines = []
    for each in outcome["standings"]:
        row = words.text("position", n=each["position"], name=name_of(view, each["seat"], words))
        if each["points"] is not None:
            row = words.text("position-points", row=row, points=each["points"])
        lines.append(f"  {row}")
    if outcome["status"] != "completed":
        lines.append(f"  {words.text('interrupted')}")
    if winners := outcome["winners"]:
        key = "won-one" if len(winners) == 1 else "won-shared"
        lines.append(f"  {words.text(key, names=names_of(view, winners, words))}")
    if game := GAMES.get(view["match"]["game"]):
        lines += [f"  {line}" for line in game.end(view, words)]
    number = view["match"]["number"]
    return Section("outcome", words.text("outcome"), tuple(lines), decision=number)


def _asked(view: View, words: Words) -> Section | None:
    """What may be typed now; None where there is nothing but waiting."""
    match, host, decision = view["match"], view["you"]["host"], 0
    text = ""
    if match is None or match["outcome"] is not None:
        key = "lobby" if match is None else "over"
        text = words.text(f"ask-{key}-host" if host else f"ask-{key}", code=view["room"]["code"])
    else:
        decision = match["decision"]
        if match["your_move"] and (game := GAMES.get(match["game"])):
            text = game.ask(view, words)
        elif host and match["phase"] in CLOSABLE and match["floor_at"] is not None:
            seconds = (match["floor_at"] - match["opened_at"]) // 1_000
            text = words.text("ask-continue", seconds=seconds)
    return Section("ask", text, decision=decision) if text else None


def status(view: View | None, now: int, words: Words) -> str:
    """One line, what matters most first: how long there is left by the server's clock, whose move
    it is, and where."""
    if view is None:
        return words.text("status-outside")
    match, where = view["match"], [words.named("game", view["room"]["game"]), view["room"]["code"]]
    if match is None:
        return " | ".join([words.text("status-lobby"), *where])
    parts = []
    if match["due_at"] is not None:
        parts.append(words.text("status-left", clock=clock(match["due_at"] - now)))
    if match["your_move"]:
        parts.append(words.text("status-your-move"))
    parts.append(words.named("phase", match["phase"]))
    if number := match["public"].get("round"):
        parts.append(words.text("status-round", round=number))
    return " | ".join([*parts, *where])
