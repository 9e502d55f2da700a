"""What was published of a match, read from files: views, archived records, the demo's own.

A view shows one round. Several of one match are one record: the last says how things stand, and the
earlier ones bring their reveals, and what was promised before the dice were out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

GAME = "liars-dice"
CALLS = ("challenge", "exact")
"""The reveals that show dice."""
KINDS = (*CALLS, "timeout", "void")
MOST_ROUNDS = 1_000
"""More than any match can have: six seats, six bullets."""


class Unreadable(ValueError):
    """There is nothing to check dice by. `key` is one of the words, `values` fill its gaps."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class Row(NamedTuple):
    """One round's line of the fairness data."""

    number: int
    commitment: str
    seed: bytes | None


class Player(NamedTuple):
    seat: int
    alive: bool
    bullets: int
    dice: int
    """How many were rolled this round."""
    position: int | None


class Bid(NamedTuple):
    seat: int
    quantity: int
    face: int


class Shot(NamedTuple):
    seat: int
    bullets: int
    chamber: int
    dead: bool


@dataclass(frozen=True, kw_only=True)
class Reveal:
    """How a round ended."""

    kind: str
    caller: int
    bid: Bid | None
    face: int | None
    count: int | None
    dice: Mapping[int, Sequence[int]]
    shots: Sequence[Shot]


@dataclass(frozen=True, kw_only=True)
class Table:
    """The table in one round, as one file shows it."""

    round: int
    players: Mapping[int, Player]
    bids: Sequence[Bid]
    dice_in_play: int
    turn: int | None
    ones_wild: bool
    exact: bool
    reveal: Reveal | None
    over: bool = False
    own: tuple[int, Sequence[int]] | None = None
    """The seat that the file was made for, and its dice."""
    left: frozenset[int] | None = None
    """The seats that were given up, where the file says so."""


class Settings(NamedTuple):
    ones_wild: bool
    exact: bool
    bullets: int
    """What a first defeat loads."""


class Outcome(NamedTuple):
    completed: bool
    standings: Sequence[tuple[int, int | None]]
    """Seat and position, in the order of the file."""
    winners: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Noted:
    """What somebody wrote down before it was due; several values if several did."""

    masters: tuple[str, ...] = ()
    """`next_commitment` as it stood in the lobby."""
    rounds: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Commitments as they stood before the shots, by round."""
    entropy: str | None = None
    """The own, as it was given."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """All that is known of a match from outside."""

    code: str
    match: int
    round: int
    master_commitment: str
    master: bytes | None
    entropy: Mapping[str, str]
    listed: Sequence[int]
    """The rounds of the last file's fairness data, in its order."""
    rows: Sequence[Row]
    tables: Sequence[Table]
    """In the order of time."""
    outcome: Outcome | None
    settings: Settings | None
    """None if no file says them for this match."""
    people: Collection[str] | None
    """Who has a seat, where the file says so."""
    names: Mapping[int, str]
    me: str | None
    """The player that the last file was made for."""
    noted: Noted
    earlier: Sequence[Record] = ()
    """The other files of the match, in the order of time."""
    decision: int = 0
    """The open question of the view, to put views in order."""


# --- what to keep --------------------------------------------------------------------------------


def noted(view: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What to keep of a view, of a lobby or of a match, added to what was kept `before`: the
    promises in it that are not opened yet. What was kept of the room stays as it first was; of
    another room, and of matches before the last, nothing does. Saved in a view as its `noted`, it
    is what `read` compares with."""
    room, match = view["room"], view["match"]
    number = room["match_number"]
    kept: dict[str, Any] = {}
    if before is not None and before.get("code") == room["code"]:
        kept = {each: dict(was) for each, was in before["matches"].items() if int(each) >= number}
    kept.setdefault(str(number + 1), {}).setdefault("next_commitment", room["next_commitment"])
    fairness = None if match is None else match["public"].get("fairness")
    for row in () if fairness is None else fairness["rounds"]:
        if row["seed"] is None:
            here = kept.setdefault(str(number), {})
            here["rounds"] = {str(row["round"]): row["commitment"], **here.get("rounds", {})}
    return {"code": room["code"], "matches": kept}


def _noted(kept: Any, code: str, match: int) -> Noted:
    """What is of this match in what `noted` gives, or in one match's part of that by itself."""
    if kept is None:
        return Noted()
    if "matches" in kept:
        same = _text(kept["code"]).upper() == code
        kept = kept["matches"].get(str(match), {}) if same else {}
    master, entropy = kept.get("next_commitment"), kept.get("entropy")
    return Noted(
        masters=() if master is None else (_text(master),),
        rounds={int(number): (_text(one),) for number, one in kept.get("rounds", {}).items()},
        entropy=None if entropy is None else _text(entropy),
    )


def _with(one: Noted, other: Noted) -> Noted:
    """Both, each value once."""
    return Noted(
        masters=tuple(dict.fromkeys((*one.masters, *other.masters))),
        rounds={
            number: tuple(
                dict.fromkeys((*one.rounds.get(number, ()), *other.rounds.get(number, ())))
            )
            for number in {**one.rounds, **other.rounds}
        },
        entropy=one.entropy if one.entropy is not None else other.entropy,
    )


# --- reading -------------------------------------------------------------------------------------


class _File(NamedTuple):
    """What one file holds: a match, or none yet; and promises, as `noted` gives them."""

    code: str
    record: Record | None
    promises: Mapping[str, Any] | None


def read(*documents: Any) -> Record:
    """The record in views, actions' answers, archived records or the demo's own: all of one match,
    but that views of its lobby may be among them. Raises `Unreadable`."""
    files = [_file(document) for document in documents]
    records = sorted((each.record for each in files if each.record is not None), key=_when)
    if not records:
        raise Unreadable("no-match")
    last = records[-1]
    if any(each.code != last.code for each in files):
        raise Unreadable("several-rooms", codes=", ".join(sorted({each.code for each in files})))
    matches = {each.match for each in records if not _is_lobby_of(last, each)}
    if len(matches) > 1:
        raise Unreadable("several-matches", matches=", ".join(map(str, sorted(matches))))
    records = [each for each in records if each.match == last.match]
    kept = Noted()
    for record in records:
        kept = _with(kept, record.noted)
    for file in files:
        if file.record is not last:
            kept = _with(kept, _noted(file.promises, last.code, last.match))
    return replace(
        last,
        rows=sorted({row.number: row for each in records for row in each.rows}.values()),
        tables=[table for each in records for table in each.tables],
        settings=next((each.settings for each in records if each.settings is not None), None),
        names={seat: name for each in records for seat, name in each.names.items()},
        noted=kept,
        earlier=records[:-1],
    )


def _when(record: Record) -> tuple[int, bool, int, int, int]:
    """What puts views in order: also one question sees people leave."""
    dead = sum(not each.alive for each in record.tables[-1].players.values())
    return record.match, record.outcome is not None, record.round, record.decision, dead


def _is_lobby_of(record: Record, other: Record) -> bool:
    """A match that is over shows the lobby of the next."""
    return other.match + 1 == record.match and other.outcome is not None


def _file(document: Any) -> _File:
    try:
        return _of(document.get("view") or document)
    except Unreadable:
        raise
    except KeyError as problem:
        raise Unreadable("no-field", field=_shown(problem.args[0])) from None
    except (TypeError, ValueError, AttributeError):
        raise Unreadable("no-dice") from None


def _of(document: Any) -> _File:
    room, match = document.get("room"), document.get("match")
    if room is None and match is None:
        raise Unreadable("no-dice")
    if room is None:
        return _File(_text(document["code"]).upper(), _kept(document), None)
    if match is not None:
        _be_dice(match["game"])
    code, promises = _text(room["code"]).upper(), noted(document)
    return _File(code, None if match is None else _seen(document, room, match), promises)


def _seen(document: Any, room: Any, match: Any) -> Record:
    """A view."""
    record = _record(
        document,
        code=room["code"],
        number=match["number"],
        public=match["public"],
        outcome=match["outcome"],
    )
    members, you = room["members"], document["you"]
    seated = {_int(each["seat"]): each for each in members if each["seat"] is not None}
    own = None
    if match["private"] is not None and you["seat"] is not None:
        own = _int(you["seat"]), [_int(die) for die in match["private"]["dice"]]
    left = frozenset(seat for seat, each in seated.items() if _bool(each["left"]))
    running = room["status"] == "playing"  # afterwards the settings may be the next match's
    return replace(
        record,
        tables=[replace(each, own=own, left=left) for each in record.tables],
        settings=_settings(room["settings"]) if running else None,
        people=[_text(each["player_id"]) for each in seated.values()],
        names={seat: _text(each["name"]) for seat, each in seated.items()},
        me=_text(you["player_id"]),
        decision=_int(match["decision"]),
    )


def _kept(document: Any) -> Record:
    """An archived record; or the demo's, which has all reveals and the settings."""
    _be_dice(document["game"])
    record = _record(
        document,
        code=document["code"],
        number=document["match"],
        public=document["public"],
        outcome=document["outcome"],
    )
    reveals, settings = document.get("reveals", ()), document.get("settings")
    before = [_table(each, over=False) for each in reveals]
    return replace(
        record,
        tables=[*(each for each in before if each.round != record.round), *record.tables],
        settings=None if settings is None else _settings(settings),
    )


def _be_dice(game: Any) -> None:
    if game != GAME:
        raise Unreadable("other-game", game=_shown(game))


def _record(document: Any, *, code: Any, number: Any, public: Any, outcome: Any) -> Record:
    fairness, over = public["fairness"], outcome is not None
    code, number = _text(code).upper(), _int(number)
    if number < 1:
        raise Unreadable("no-field", field="number")
    if not 1 <= _int(public["round"]) <= MOST_ROUNDS:
        raise Unreadable("no-field", field="round")
    rows = [
        Row(_int(each["round"]), _text(each["commitment"]), _bytes(each["seed"]))
        for each in fairness["rounds"]
    ]
    return Record(
        code=code,
        match=number,
        round=_int(public["round"]),
        master_commitment=_text(fairness["master_commitment"]),
        master=_bytes(fairness["master_seed"]),
        entropy={_text(each["player_id"]): _text(each["value"]) for each in fairness["entropy"]},
        listed=[row.number for row in rows],
        rows=rows,
        tables=[_table(public, over=over and outcome["status"] == "completed")],
        outcome=_outcome(outcome) if over else None,
        settings=None,
        people=None,
        names={},
        me=None,
        noted=_noted(document.get("noted"), code, number),
    )


def _settings(settings: Any) -> Settings:
    return Settings(
        _bool(settings["ones_wild"]), _bool(settings["exact"]), _int(settings["bullets"])
    )


def _outcome(outcome: Any) -> Outcome:
    return Outcome(
        completed=outcome["status"] == "completed",
        standings=[
            (_int(each["seat"]), _int_or_none(each["position"])) for each in outcome["standings"]
        ],
        winners=[_int(seat) for seat in outcome["winners"]],
    )


def _table(public: Any, *, over: bool) -> Table:
    players = [
        Player(
            _int(each["seat"]),
            _bool(each["alive"]),
            _int(each["bullets"]),
            _int(each["dice"]),
            _int_or_none(each["position"]),
        )
        for each in public["players"]
    ]
    if [each.seat for each in players] != list(range(len(players))):
        raise Unreadable("no-field", field="players")
    reveal = public["reveal"]
    return Table(
        round=_int(public["round"]),
        players={each.seat: each for each in players},
        bids=[_bid(each) for each in public["bids"]],
        dice_in_play=_int(public["dice_in_play"]),
        turn=_int_or_none(public["turn"]),
        ones_wild=_bool(public["ones_wild"]),
        exact=_bool(public["exact"]),
        reveal=None if reveal is None else _reveal(reveal),
        over=over,
    )


def _bid(each: Any) -> Bid:
    return Bid(_int(each["seat"]), _int(each["quantity"]), _int(each["face"]))


def _reveal(each: Any) -> Reveal:
    if each["kind"] not in KINDS:
        raise Unreadable("no-field", field="kind")
    return Reveal(
        kind=each["kind"],
        caller=_int(each["caller"]),
        bid=None if each["bid"] is None else _bid(each["bid"]),
        face=_int_or_none(each["face"]),
        count=_int_or_none(each["count"]),
        dice={int(seat): [_int(die) for die in cup] for seat, cup in each["dice"].items()},
        shots=[
            Shot(
                _int(shot["seat"]),
                _int(shot["bullets"]),
                _int(shot["chamber"]),
                _bool(shot["dead"]),
            )
            for shot in each["shots"]
        ],
    )


def _int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _int_or_none(value: Any) -> int | None:
    return None if value is None else _int(value)


def _bool(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _text(value: Any) -> str:
    """A text that can be hashed."""
    if type(value) is not str:
        raise TypeError
    value.encode()
    return value


def _bytes(text: Any) -> bytes | None:
    return None if text is None else bytes.fromhex(_text(text))


def _shown(name: Any) -> str:
    """A name out of a file, fit for a message."""
    return "".join(each for each in str(name) if each.isprintable())[:40]
