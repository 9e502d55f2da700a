"""What one viewer sees of a room, built from an allow-list (ARCHITECTURE 7, API.md "The view").

Everything here is a function of what the viewer may know: poll hints too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import match as matches
from .draws import Draws, commitment
from .game import Awaiting
from .match import AnyGame, Games, Match
from .model import Instant, Model, Seat, uncovered
from .room import Member, Room, can_seat_one_more, candidates, game_of, status

Say = Callable[[AnyGame, Model], dict[str, Any]]
"""Turns a game's view into the viewer's language."""

OTHERS_MOVE_MS: Final = 2_000
MY_MOVE_MS: Final = 5_000
LOBBY_MS: Final = 4_000
PUSHED_MS: Final = 15_000
LONGEST_MS: Final = 20_000


def view(room: Room, games: Games, me: Member, say: Say) -> dict[str, Any]:
    """The viewer's JSON, without the two fields that move by themselves (`server_now`,
    `poll_after_ms`): two rooms that differ only in what `me` may not know give equal bytes."""
    roles = _roles(room, games)
    return {
        "room": _room(room, games, roles),
        "you": {
            "player_id": me.id,
            "role": roles(me),
            "seat": me.playing_seat,
            "host": room.host == me.id,
        },
        "match": None if room.match is None else _match(room, games, room.match, me, say),
    }


def _room(room: Room, games: Games, roles: Callable[[Member], str]) -> dict[str, Any]:
    return {
        "code": room.code,
        "visibility": room.visibility,
        "locked": room.locked,
        "game": room.game,
        "settings": room.settings,
        "host": room.host,
        "status": status(room, games),
        "match_number": room.match_number,
        "next_commitment": commitment(uncovered(room.master)),
        "claim": None
        if room.claim is None
        else {"player_id": room.claim.by, "due_at": room.claim.due_at},
        "members": [
            {
                "player_id": each.id,
                "name": each.name,
                "role": roles(each),
                "seat": each.seat,
                "bot": each.bot,
                "left": each.gone or each.out,
            }
            for each in room.members
        ],
    }


def _roles(room: Room, games: Games) -> Callable[[Member], str]:
    """In a running match by seat; else whether the next match would seat them."""
    playing = status(room, games) == "playing"
    seated = {each.id for each in candidates(room, games)}

    def role(member: Member) -> str:
        sits = member.playing_seat is not None if playing else member.id in seated
        return "player" if sits or member.gone else "observer"

    return role


def _match(room: Room, games: Games, match: Match, me: Member, say: Say) -> dict[str, Any]:
    game = game_of(room, games)
    seat = me.playing_seat
    question = matches.awaiting(game, match)
    said = say(game, game.view(match.state, seat))
    if game.fairness is not None:
        said["public"]["fairness"] = _fairness(room, match, game)
    asked = frozenset[Seat]() if question is None else question.asked or frozenset()
    answered = frozenset[Seat]() if question is None else question.answered
    counted = question is None or question.counted
    return {
        "number": match.number,
        "game": match.game,
        "phase": "over" if question is None else question.phase,
        "decision": room.decision,
        "opened_at": match.opened_at,
        "floor_at": _floor_at(match, question),
        "due_at": None if question is None else matches.due_at(match, question),
        "your_move": seat in asked and seat not in answered,
        "answered": len(answered) if counted else None,
        "expected": len(asked),
        "you_answered": seat in answered,
        "public": said["public"],
        "private": said["private"],
        "outcome": _outcome(game, match) if question is None else None,
    }


def _floor_at(match: Match, question: Awaiting | None) -> Instant | None:
    if question is None or not question.floor_seconds:
        return None
    return matches.opens_floor_at(match, question)


def _outcome(game: AnyGame, match: Match) -> dict[str, Any]:
    outcome = matches.outcome(game, match)
    return {
        "status": outcome.status,
        "standings": [
            {"seat": seat, "position": position, "points": points}
            for seat, position, points in outcome.standings
        ],
        "winners": list(outcome.winners),
    }


def _fairness(room: Room, match: Match, game: AnyGame) -> dict[str, Any]:
    """Derived from the seed whenever it is shown, never stored."""
    assert game.fairness is not None
    over = matches.awaiting(game, match) is None
    master = uncovered(match.seed)
    draws = Draws(matches.root_seed(master, room.code, match.number, match.entropy))
    seated = sorted(each.id for each in room.members if each.seat is not None)
    rows = []
    for number, shown in game.fairness(match.state):
        seed = draws.seed("round", number)
        rows.append(
            {
                "round": number,
                "commitment": commitment(seed),
                "seed": seed.hex() if shown or over else None,
            }
        )
    return {
        "master_commitment": commitment(master),
        "master_seed": master.hex() if over else None,
        "entropy": [
            {"player_id": player, "value": value}
            for player, value in zip(seated, match.entropy, strict=True)
        ],
        "rounds": rows,
    }


def poll_after_ms(room: Room, games: Games, me: Member, now: Instant, *, pushed: bool) -> int:
    """How long a polite client waits: from what the viewer sees and its own clock alone."""
    longest = PUSHED_MS if pushed else LONGEST_MS
    game = game_of(room, games)
    question = None if room.match is None else matches.awaiting(game, room.match)
    if room.match is None or question is None:
        return longest if pushed else LOBBY_MS
    seat, asked = me.playing_seat, question.asked
    left = matches.due_at(room.match, question) - now
    if asked is None or (question.counted and matches.is_full(question)):
        to_floor = matches.opens_floor_at(room.match, question) - now
        wait = to_floor if to_floor > 0 else OTHERS_MOVE_MS if question.host_may_close else left
        return min(max(0, wait) + _spread(seat), longest)
    mine = seat in asked and seat not in question.answered
    wait = longest if pushed else MY_MOVE_MS if mine else OTHERS_MOVE_MS
    return min(wait, max(0, left) + _spread(seat))


def _spread(seat: Seat | None) -> int:
    """Past a deadline, by seat, so that a table does not ask all at once: 0.3 to 2 s."""
    return 300 + 140 * (12 if seat is None else seat)


def listing(room: Room, games: Games) -> dict[str, Any] | None:
    """The room as the public list shows it; None unless anybody may come and get a seat."""
    if room.visibility != "public" or room.locked or status(room, games) == "playing":
        return None
    if room.host is None or not can_seat_one_more(room, games):
        return None
    host = room.member(room.host)
    return {
        "code": room.code,
        "game": room.game,
        "settings": room.settings,
        "players": len(candidates(room, games)),
        "seats": games[room.game].seats.stop - 1,
        "host_name": "" if host is None else host.name,
        "created_at": room.created_at,
    }


def inbox_row(room: Room, games: Games, me: Member) -> dict[str, Any]:
    """The room as the member's own list shows it."""
    game = game_of(room, games)
    question = None if room.match is None else matches.awaiting(game, room.match)
    seat = me.playing_seat
    return {
        "code": room.code,
        "game": room.game,
        "status": status(room, games),
        "your_move": question is not None
        and seat in (question.asked or ())
        and seat not in question.answered,
        "due_at": None
        if question is None or room.match is None
        else matches.due_at(room.match, question),
        "phase": None if question is None else question.phase,
    }
