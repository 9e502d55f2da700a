"""Views as the API shows them, put together by hand for the terminal client's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

View = dict[str, Any]
NAMES = ("Ada", "Bruno", "Clara", "Darío", "Eva", "Fermín")
NOW = 1_800_000_000_000


def member(number: int, *, seat: int | None = None, **changes: Any) -> dict[str, Any]:
    row = {
        "player_id": f"id-{number}",
        "name": NAMES[number],
        "role": "player",
        "seat": seat,
        "bot": False,
        "left": False,
    }
    return row | changes


def lobby(game: str = "liars-dice", *, members: int = 3, me: int = 0, **room: Any) -> View:
    """Nobody has started; Ada hosts, and `me` looks."""
    wild = {"ones_wild": True, "exact": True, "bullets": 1, "turn_seconds": 60, "ranked": False}
    return {
        "room": {
            "code": "CDEFGH",
            "visibility": "private",
            "locked": False,
            "game": game,
            "settings": wild if game == "liars-dice" else {},
            "host": "id-0",
            "status": "lobby",
            "match_number": 0,
            "next_commitment": "0" * 64,
            "claim": None,
            "members": [member(number) for number in range(members)],
        }
        | room,
        "you": {"player_id": f"id-{me}", "role": "player", "seat": None, "host": me == 0},
        "match": None,
        "server_now": NOW,
        "poll_after_ms": 4_000,
    }


def match(
    game: str,
    phase: str,
    public: Mapping[str, Any],
    *,
    private: Any = None,
    members: int = 3,
    me: int = 0,
    move: bool = False,
    asked: tuple[int | None, int] = (0, 0),
    floor: int | None = None,
    outcome: Any = None,
) -> View:
    """Everybody is seated in the order of joining, and the phase has 60 s to go."""
    view = lobby(game, members=members, me=me, status="finished" if outcome else "playing")
    for seat, each in enumerate(view["room"]["members"]):
        each["seat"] = seat
    view["you"]["seat"] = me
    view["match"] = {
        "number": 1,
        "game": game,
        "phase": phase,
        "decision": 7,
        "opened_at": NOW,
        "floor_at": None if floor is None else NOW + floor * 1_000,
        "due_at": None if outcome else NOW + 60_000,
        "your_move": move,
        "answered": asked[0],
        "expected": asked[1],
        "you_answered": False,
        "public": dict(public),
        "private": private,
        "outcome": outcome,
    }
    return view


def outcome(
    standings: Sequence[tuple[int, int | None, int | None]],
    winners: Sequence[int],
    status: str = "completed",
) -> dict[str, Any]:
    rows = [{"seat": seat, "position": at, "points": points} for seat, at, points in standings]
    return {"status": status, "standings": rows, "winners": list(winners)}


# --- liar's dice ---------------------------------------------------------------------------------


def dice(
    phase: str = "turn",
    *,
    bids: Sequence[tuple[int, int, int]] = (),
    turn: int | None = 0,
    reveal: Any = None,
    dead: Mapping[int, int] | None = None,
    bullets: Sequence[int] = (0, 0, 0),
    exact: bool = True,
    wild: bool = True,
    **rest: Any,
) -> View:
    """Three at the table; `dead` gives positions by seat."""
    dead = dead or {}
    players = [
        {
            "seat": seat,
            "alive": seat not in dead,
            "bullets": loaded,
            "dice": 0 if seat in dead else 5,
            "position": dead.get(seat),
        }
        for seat, loaded in enumerate(bullets)
    ]
    public = {
        "round": 2,
        "dice_in_play": 15 - 5 * len(dead),
        "turn": turn,
        "bids": [{"seat": seat, "quantity": n, "face": face} for seat, n, face in bids],
        "players": players,
        "reveal": reveal,
        "ones_wild": wild,
        "exact": exact,
        "fairness": {},
    }
    rest.setdefault("private", {"dice": [6, 1, 5, 5, 2]})
    return match("liars-dice", phase, public, **rest)


def called(
    kind: str,
    *,
    caller: int = 1,
    bid: tuple[int, int, int] | None = None,
    count: int | None = None,
    shots: Sequence[tuple[int, int, int]] = (),
) -> dict[str, Any]:
    """A reveal; `bid` is (seat, quantity, face), a shot (seat, bullets, chamber)."""
    cups = {"0": [6, 1, 5, 5, 2], "1": [3, 3, 4, 4, 6], "2": [5, 2, 2, 1, 1]}
    return {
        "kind": kind,
        "caller": caller,
        "bid": bid and {"seat": bid[0], "quantity": bid[1], "face": bid[2]},
        "face": bid and bid[2],
        "count": count,
        "dice": {} if count is None else cups,
        "shots": [
            {"seat": seat, "bullets": n, "chamber": chamber, "dead": chamber <= n}
            for seat, n, chamber in shots
        ],
    }


# --- almost even ---------------------------------------------------------------------------------

DILEMMA = {"prompt": "An evening off.", "a": "A film at home", "b": "A walk", "reserve": False}


def card(number: int) -> dict[str, Any]:
    twists = [
        {"twist": twist, "prompt": f"Prompt {number}", "a": f"a{number}{twist}", "b": "b"}
        for twist in range(3)
    ]
    return {"card": f"card-{number}", "prompt": f"Prompt {number}", "twists": twists}


CARDS = {"cards": [card(1), card(2)]}


def even(phase: str, *, author: int = 0, points: Sequence[int] = (0, 0, 0), **rest: Any) -> View:
    public = {
        "round": 2,
        "rounds": 6,
        "author": author,
        "order": [1, 0, 2],
        "dilemma": rest.pop("dilemma", None),
        "scores": [{"seat": seat, "points": n} for seat, n in enumerate(points)],
        "reveal": rest.pop("reveal", None),
    }
    return match("almost-even", phase, public, **rest)


def split(a: Sequence[int], b: Sequence[int], **changes: Any) -> dict[str, Any]:
    accepted, minority = len(a) + len(b), min(len(a), len(b))
    return {
        "a": list(a),
        "b": list(b),
        "omitted": [],
        "accepted": accepted,
        "minority": minority,
        "ideal": accepted // 2,
        "distance": accepted // 2 - minority,
        "points": 500,
        "reserve": False,
    } | changes


# --- crossed coordinates -------------------------------------------------------------------------

PLACES = [
    {"place": f"p{n}", "name": name, "description": f"{name} by day."}
    for n, name in enumerate(("The cave", "The mine", "The port", "The reef"))
]
TRAITS = [
    {"trait": f"t{n:02}", "text": text} for n, text in enumerate(("Salt", "Dark", "Steep", "Crowd"))
]
SIGNALS = [
    {"signal": "s01", "traits": [TRAITS[0], TRAITS[1]]},
    {"signal": "s02", "traits": [TRAITS[2], TRAITS[3]]},
]
HAND = {"fragment": "Mind the head.", "traits": TRAITS, "signal": None, "ballot": None}


def crossed(phase: str, *, signals: Any = (), reveal: Any = None, **rest: Any) -> View:
    public = {
        "round": 1,
        "signals": list(signals),
        "score": rest.pop("score", 0),
        "rounds": rest.pop("rounds", []),
        "reveal": reveal,
        "candidates": PLACES,
    }
    rest.setdefault("members", 4)
    rest.setdefault("private", HAND)
    return match("crossed-coordinates", phase, public, **rest)


FRAGMENTS = [
    {"text": "Mind the head.", "place": "p1"},
    {"text": "Low beams.", "place": "p1"},
    {"text": "A lamp each.", "place": "p1"},
    {"text": "Salt air.", "place": "p2"},
]
FOUND = {
    "target": "p1",
    "fragments": FRAGMENTS,
    "distorted_signals": ["s02"],
    "place_votes": {"p0": 1, "p1": 3, "p2": 0, "p3": 0},
    "signal_votes": {"s01": 1, "s02": 3},
    "place_points": 200,
    "noise_points": 100,
    "alignment_points": 100,
}


MISSED = FOUND | {
    "place_votes": {"p0": 2, "p1": 2, "p2": 0, "p3": 0},
    "signal_votes": {"s01": 2, "s02": 2},
    "place_points": 0,
    "noise_points": 0,
    "alignment_points": 0,
}
"""Two ties."""
SILENT = MISSED | {
    "distorted_signals": [],
    "place_votes": {"p0": 0, "p1": 2, "p2": 0, "p3": 1},
    "signal_votes": {"s01": 3},
}
"""Whoever had the odd fragment gave no signal."""


def brought(*points: tuple[int, int, int]) -> list[dict[str, int]]:
    """What each round did."""
    names = ("place", "noise", "alignment")
    return [{**dict(zip(names, each, strict=True)), "points": sum(each)} for each in points]


def left_before_the_ballot() -> View:
    """A round of five, one of whom is gone: for all that is shown N may be four or five."""
    mud = {"text": "Mud.", "place": "p1"}
    view = crossed(
        "reveal",
        signals=SIGNALS,
        reveal=MISSED | {"fragments": [*FRAGMENTS, mud]},
        private=None,
        members=5,
    )
    view["room"]["members"][4]["left"] = True
    return view


def host_watches(*, over: bool = False) -> View:
    """The host gave up the seat of a match of three; the one who looks plays on."""
    end = outcome([(1, 1, None), (2, 2, None), (0, 3, None)], [1])
    more: Any = {"turn": None, "outcome": end} if over else {"turn": 1}
    view = dice("over" if over else "turn", dead={0: 3, **({2: 2} if over else {})}, me=1, **more)
    view["room"]["members"][0] |= {"role": "observer", "left": True}
    if over:
        view["room"]["members"][2]["left"] = True
    return view


def crowd() -> View:
    """A lobby with one of each."""
    view = lobby(claim={"player_id": "id-1", "due_at": NOW + 60_000})
    view["room"]["members"] = [
        member(0),
        member(1, role="observer"),
        member(2, bot=True, name="Aceituna"),
        member(3, left=True),
    ]
    return view


def watching() -> View:
    """A match of two, one of whom has left; the one who looks came too late."""
    view = dice(bids=[(0, 2, 5)], turn=1, me=2, private=None, asked=(0, 1))
    view["room"]["members"][2] |= {"seat": None, "role": "observer"}
    view["room"]["members"][1]["left"] = True
    view["you"] |= {"seat": None, "role": "observer"}
    view["match"]["public"]["players"].pop()
    return view


# --- every phase of every game -------------------------------------------------------------------

BIDS = ((0, 2, 5), (1, 3, 5))
ASKED = (0, 1)

CASES: Mapping[str, View] = {
    "lobby: the host": lobby(),
    "lobby: a guest": lobby(
        "crossed-coordinates", members=2, me=1, visibility="public", locked=True
    ),
    "lobby: a bot, an observer, somebody who left, and a claim": crowd(),
    "match: one who watches": watching(),
    "match: the host watches": host_watches(),
    "match: over, as somebody left, and the host watched": host_watches(over=True),
    "dice: the first bid": dice(move=True, asked=ASKED),
    "dice: a raise": dice(bids=BIDS, move=True, asked=ASKED, bullets=(0, 1, 2)),
    "dice: no more dice, but a higher face": dice(bids=[(1, 15, 4)], move=True, asked=ASKED),
    "dice: no bid is higher": dice(bids=[(1, 15, 6)], move=True, exact=False, asked=ASKED),
    "dice: somebody else's turn": dice(bids=BIDS, turn=2, wild=False, asked=ASKED),
    "dice: the bid was true": dice(
        "reveal",
        bids=BIDS,
        turn=2,
        reveal=called("challenge", caller=2, bid=(1, 3, 5), count=6, shots=[(2, 1, 4)]),
        floor=3,
    ),
    "dice: the bid was a lie": dice(
        "reveal",
        bids=BIDS,
        turn=2,
        reveal=called("challenge", caller=2, bid=(1, 7, 5), count=6, shots=[(1, 2, 2)]),
        me=1,
        floor=3,
    ),
    "dice: exact": dice(
        "reveal",
        turn=1,
        reveal=called("exact", bid=(0, 6, 5), count=6, shots=[(0, 1, 1), (2, 2, 3)]),
        me=2,
    ),
    "dice: not exact": dice(
        "reveal",
        turn=1,
        reveal=called("exact", bid=(0, 5, 5), count=6, shots=[(1, 1, 3)]),
        me=2,
    ),
    "dice: out of time": dice("reveal", turn=2, reveal=called("timeout", shots=[(1, 6, 3)]), me=2),
    "dice: the bidder left": dice("reveal", turn=2, reveal=called("void"), me=2),
    "dice: over": dice(
        "over",
        turn=None,
        dead={1: 3, 2: 2},
        bullets=(1, 2, 3),
        reveal=called("challenge", caller=0, bid=(2, 9, 5), count=6, shots=[(2, 3, 2)]),
        outcome=outcome([(0, 1, None), (2, 2, None), (1, 3, None)], [0]),
    ),
    "even: the author": even("author", private=CARDS, move=True, asked=ASKED),
    "even: waiting for the author": even("author", author=1, private={"vote": None}, asked=ASKED),
    "even: the vote": even(
        "vote", author=1, dilemma=DILEMMA, private={"vote": None}, move=True, asked=(0, 2)
    ),
    "even: the own vote is in": even(
        "vote", author=1, dilemma=DILEMMA, private={"vote": "b"}, asked=(1, 2)
    ),
    "even: the reveal": even(
        "reveal",
        author=1,
        dilemma=DILEMMA,
        private={"vote": "b"},
        reveal=split([2], [0]),
        points=(0, 500, 0),
        floor=5,
    ),
    "even: an empty side": even(
        "reveal",
        author=1,
        dilemma=DILEMMA,
        private={"vote": "b"},
        reveal=split([], [0, 2], points=0),
    ),
    "even: a reserve": even(
        "reveal",
        author=1,
        dilemma=DILEMMA | {"reserve": True},
        private={"vote": None},
        reveal=split([], [2], omitted=[0], points=0, reserve=True),
    ),
    "even: over": even(
        "over",
        author=1,
        dilemma=DILEMMA,
        reveal=split([2], [0]),
        points=(500, 500, 0),
        outcome=outcome([(0, 1, 500), (1, 1, 500), (2, 3, 0)], [0, 1]),
    ),
    "crossed: the study": crossed("study", move=True, asked=(1, 4)),
    "crossed: a signal is asked": crossed("encode", move=True, asked=(None, 4)),
    "crossed: the own signal is in": crossed(
        "encode", private=HAND | {"signal": ["t00", "t02"]}, asked=(None, 4)
    ),
    "crossed: the council": crossed(
        "council", signals=SIGNALS, private=HAND | {"signal": ["t00", "t01"]}, floor=60
    ),
    "crossed: the ballot": crossed("ballot", signals=SIGNALS, move=True, asked=(None, 4)),
    "crossed: a ballot without signals": crossed("ballot", move=True, asked=(None, 4)),
    "crossed: the own ballot is in": crossed(
        "ballot",
        signals=SIGNALS,
        private=HAND | {"ballot": {"place": "p1", "signal": "s02"}},
        asked=(None, 4),
    ),
    "crossed: the reveal": crossed(
        "reveal", signals=SIGNALS, reveal=FOUND, private=None, score=400, floor=6
    ),
    "crossed: two ties": crossed(
        "reveal", signals=SIGNALS, reveal=MISSED, private=None, floor=6, me=1
    ),
    "crossed: no distorted signal": crossed(
        "reveal", signals=SIGNALS[:1], reveal=SILENT, private=None, floor=6, me=1
    ),
    "crossed: somebody left before the ballot": left_before_the_ballot(),
    "crossed: over": crossed(
        "over",
        signals=SIGNALS,
        reveal=MISSED,
        private=None,
        score=700,
        rounds=brought((200, 100, 100), (200, 0, 0), (0, 100, 0), (0, 0, 0)),
        outcome=outcome([], []),
    ),
    "crossed: interrupted": crossed(
        "over",
        signals=SIGNALS,
        reveal=FOUND,
        private=None,
        score=400,
        rounds=brought((200, 100, 100)),
        outcome=outcome([], [], "interrupted"),
    ),
}
