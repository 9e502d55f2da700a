"""Whom a step concerns, so that their phones may wake: from what each may know alone."""

from __future__ import annotations

from typing import Literal, NamedTuple

from . import match as matches
from .match import Games
from .room import Member, Room, game_of

Kind = Literal["match-started", "your-move", "phase-opened", "match-over"]


class Notice(NamedTuple):
    """Something that a member of the room would like to be woken for. It holds no secret: which
    room, which question, and what kind of thing."""

    player: str
    locale: str
    kind: Kind
    code: str
    game: str
    decision: int


def notices(before: Room, after: Room, games: Games, actor: str) -> tuple[Notice, ...]:
    """Whom the change concerns, each once and never whoever made it."""
    match = after.match
    if match is None or after.decision == before.decision:
        return ()
    question = matches.awaiting(game_of(after, games), match)

    def kind(member: Member) -> Kind | None:
        seat = member.playing_seat
        if question is None:
            return "match-over"
        if before.match is None or before.match.number != match.number:
            return "match-started"
        if seat in (question.asked or ()) and seat not in question.answered:
            return "your-move"
        return "phase-opened" if question.asked is None and seat is not None else None

    return tuple(
        Notice(each.id, each.locale, found, after.code, match.game, after.decision)
        for each in after.members
        if each.human and each.id != actor and each.pushed and (found := kind(each)) is not None
    )
