"""What the members of a room, and its host, can do besides playing. Each is a function (room,
context, action, decision) -> room that raises a `GameError` and changes nothing if it may not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import ValidationError

from . import match as matches
from .errors import (
    IllegalAction,
    InvalidAction,
    MatchRunning,
    NoMatch,
    NotHost,
    RoomFull,
    RoomLocked,
    StaleDecision,
    TooFewPlayers,
    TryAgain,
)
from .faults import faults, one_of
from .match import Games
from .model import SECOND, Instant
from .names import NOBODY, told_apart
from .receipts import Request
from .room import (
    CLAIM_SECONDS,
    DEPARTED_SECONDS,
    MAX_DEPARTED,
    MAX_KICKED,
    MAX_OBSERVERS,
    Claim,
    Departed,
    Member,
    Room,
    awaits_archive,
    can_seat_one_more,
    candidates,
    game_of,
    heir,
    short_id,
    status,
    stepped,
    with_match,
)
from .seating import seated
from .verbs import (
    AddBot,
    ClaimHost,
    Configure,
    Continue,
    GiveEntropy,
    Join,
    Kick,
    Leave,
    Observe,
    Promote,
    RemoveBot,
    Start,
)

BOT_NAMES: Final = ("Aceituna", "Pistacho", "Membrillo", "Anís", "Turrón", "Canela", "Higo")
"""What bots are called, in any language: things from the end of a long meal."""


class Guest(NamedTuple):
    """What somebody who comes in is called and reads."""

    name: str
    locale: str
    pushed: bool = False


class Context(NamedTuple):
    """What an action is applied with."""

    games: Games
    request: Request
    now: Instant
    seed: bytes
    """256 fresh random bits, for the match after the one that `start` starts."""
    guest: Guest
    """Who comes in, if this is a `join`."""


def checked_settings(games: Games, key: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """`settings` of game `key` in full. Raises pydantic's `ValidationError`."""
    full: dict[str, Any] = games[key].Settings.model_validate(settings, strict=True).model_dump()
    return full


# --- anyone ------------------------------------------------------------------------------------


def _join(room: Room, context: Context, action: Join, decision: int | None) -> Room:
    games, player = context.games, context.request.player
    me = room.member(player)
    entropy = action.entropy or (me.entropy if me else "")
    if me is not None:
        if me.observer and not can_seat_one_more(room, games) and room.match is None:
            raise RoomFull
        me = me.evolve(observer=False, entropy=entropy)
        return stepped(room, context.now, members=room.with_member(me))
    if room.locked:
        raise RoomLocked
    present = sum(not each.gone for each in room.members)
    observers = present - len(candidates(room, games))
    if not can_seat_one_more(room, games) and observers >= MAX_OBSERVERS:
        raise RoomFull
    name = told_apart(
        action.name or context.guest.name,
        (each.name for each in room.members if each.id != player),
    )
    before = next((each for each in room.members if each.id == player), None)
    gone = next((each for each in room.departed if each.id == short_id(player)), None)
    me = Member(
        id=player,
        name=name,
        locale=context.guest.locale,
        pushed=context.guest.pushed,
        entropy=entropy,
        receipts=gone.receipts if gone else (),
        seat=before.seat if before else None,
        out=before is not None,
    )
    others = tuple(each for each in room.members if each.id != player)
    return stepped(
        room,
        context.now,
        members=(*others, me),
        host=room.host or player,
        departed=tuple(each for each in room.departed if each.id != short_id(player)),
    )


def _entropy(room: Room, context: Context, action: GiveEntropy, decision: int | None) -> Room:
    me = _me(room, context).evolve(entropy=action.value)
    return stepped(room, context.now, members=room.with_member(me))


def _observe(room: Room, context: Context, action: Observe, decision: int | None) -> Room:
    me = _me(room, context)
    observers = sum(not each.gone for each in room.members) - len(candidates(room, context.games))
    if not me.observer and observers >= MAX_OBSERVERS:
        raise RoomFull
    room = _unseated(room, context, me)
    me = _me(room, context).evolve(observer=True)
    return stepped(room, context.now, members=room.with_member(me))


def _leave(room: Room, context: Context, action: Leave, decision: int | None) -> Room:
    return _removed(room, context, _me(room, context))


def _claim_host(room: Room, context: Context, action: ClaimHost, decision: int | None) -> Room:
    player = context.request.player
    if room.host == player:
        raise IllegalAction("already-host")
    if room.claim is not None:
        raise IllegalAction("claim-open")
    claim = Claim(by=player, due_at=context.now + CLAIM_SECONDS * SECOND)
    return stepped(room, context.now, claim=claim)


# --- the host ----------------------------------------------------------------------------------


def _configure(room: Room, context: Context, action: Configure, decision: int | None) -> Room:
    _as_host(room, context)
    games = context.games
    changes: dict[str, Any] = {}
    if action.game is not None or action.settings is not None:
        if status(room, games) == "playing":
            raise MatchRunning
        key = room.game if action.game is None else action.game
        if key not in games:
            raise InvalidAction(one_of("/action/game", games))
        before = room.settings if key == room.game else {}
        try:
            settings = checked_settings(games, key, before | (action.settings or {}))
        except ValidationError as problem:
            raise InvalidAction(*faults(problem, "/action/settings")) from None
        changes |= {"game": key, "settings": settings}
    if action.visibility is not None:
        changes["visibility"] = action.visibility
    if action.locked is not None:
        changes["locked"] = action.locked
    room = stepped(room, context.now, **changes)
    if any(each.bot and not each.gone for each in room.members) and _ranked(room, games):
        raise IllegalAction("ranked-needs-people")
    return room


def _ranked(room: Room, games: Games) -> bool:
    game = games[room.game]
    return game.ranked(game.Settings.model_validate(room.settings))


def _start(room: Room, context: Context, action: Start, decision: int | None) -> Room:
    _as_host(room, context)
    games, now = context.games, context.now
    if status(room, games) == "playing":
        raise MatchRunning
    if awaits_archive(room, games):
        raise TryAgain  # a rematch would lose the result
    if action.match != room.match_number + 1:
        raise StaleDecision
    players = candidates(room, games)
    if len(players) < games[room.game].seats.start:
        raise TooFewPlayers
    return seated(room, games, action.match, players, now, context.seed)


def _kick(room: Room, context: Context, action: Kick, decision: int | None) -> Room:
    _as_host(room, context)
    them = _other_human(room, context, action.player_id)
    running = room.match is not None and status(room, context.games) == "playing"
    if running and room.match is not None and room.match.ranked and them.playing_seat is not None:
        raise IllegalAction("ranked-kick")
    if len(room.kicked) >= MAX_KICKED:
        raise IllegalAction("too-many-kicked")
    room = _removed(room, context, them)
    return room.evolve(kicked=(*room.kicked, short_id(them.id)))


def _promote(room: Room, context: Context, action: Promote, decision: int | None) -> Room:
    _as_host(room, context)
    them = _other_human(room, context, action.player_id)
    return stepped(room, context.now, host=them.id)


def _add_bot(room: Room, context: Context, action: AddBot, decision: int | None) -> Room:
    _as_host(room, context)
    games = context.games
    if status(room, games) == "playing":
        raise MatchRunning
    if not can_seat_one_more(room, games):
        raise RoomFull
    if _ranked(room, games):
        raise IllegalAction("ranked-needs-people")
    number = room.bots_made + 1
    bot = Member(
        id=f"bot-{number}",
        name=told_apart(BOT_NAMES[number % len(BOT_NAMES)], (each.name for each in room.members)),
        bot=True,
    )
    return stepped(room, context.now, members=(*room.members, bot), bots_made=number)


def _remove_bot(room: Room, context: Context, action: RemoveBot, decision: int | None) -> Room:
    _as_host(room, context)
    them = room.member(action.player_id)
    if them is None or not them.bot:
        raise IllegalAction("no-such-bot")
    return _removed(room, context, them)


def hurried(room: Room, context: Context, action: Continue, decision: int | None) -> Room:
    _as_host(room, context)
    if room.match is None:
        raise NoMatch
    assert decision is not None
    game = game_of(room, context.games)
    closed = matches.hurry(game, room.match, room.code, decision, context.now)
    return with_match(room, closed, context.now)


# --- what they share ---------------------------------------------------------------------------


def _me(room: Room, context: Context) -> Member:
    me = room.member(context.request.player)
    assert me is not None
    return me


def _as_host(room: Room, context: Context) -> None:
    if room.host != context.request.player:
        raise NotHost


def _other_human(room: Room, context: Context, player: str) -> Member:
    them = room.member(player)
    if them is None or them.bot or player == context.request.player:
        raise IllegalAction("no-such-member")
    return them


def _unseated(room: Room, context: Context, them: Member) -> Room:
    """The room after `them` gave up the seat, if they had one in a running match."""
    seat = them.playing_seat
    if room.match is None or seat is None or status(room, context.games) != "playing":
        return room
    game, now = game_of(room, context.games), context.now
    room = with_match(room, matches.leave(game, room.match, room.code, seat, now), now)
    return room.evolve(members=room.with_member(them.evolve(out=True)))


def _removed(room: Room, context: Context, them: Member) -> Room:
    """The room without `them`; the row stays while the match shows the seat."""
    room = _unseated(room, context, them)
    if them.seat is None or room.match is None:
        members = tuple(each for each in room.members if each.id != them.id)
    else:
        row = them.evolve(out=True, gone=True, receipts=(), entropy="")
        members = room.with_member(row)
    departed = room.departed
    if not them.bot:
        now = max(them.created, context.request.created)
        departed = tuple(each for each in departed if now - each.created <= DEPARTED_SECONDS)[
            -MAX_DEPARTED + 1 :
        ]
        gone = Departed(id=short_id(them.id), created=them.created, receipts=them.receipts)
        departed = (*departed, gone)
    room = stepped(room, context.now, members=members, departed=departed)
    if room.claim is not None and room.claim.by == them.id:
        room = room.evolve(claim=None)
    if room.host == them.id:
        room = room.evolve(host=heir(room), claim=None)
    return room


def forgotten(room: Room, games: Games, player: str, now: Instant) -> Room:
    """The room without whoever wants to be forgotten: the seat is given up and the name gone, also
    of a row that is left of an earlier leaving. The same room if nothing is kept of them."""
    kept = any(each.id == player and not each.erased for each in room.members)
    if not kept and not any(each.id == short_id(player) for each in room.departed):
        return room
    rows = tuple(
        each.evolve(name=NOBODY, erased=True) if each.id == player else each
        for each in room.members
    )
    room = stepped(room, now, members=rows)
    me = room.member(player)
    if me is not None:
        request = Request(player, me.created, "", b"")
        room = _removed(room, Context(games, request, now, b"", Guest("", "")), me)
    # what they sent before is refused everywhere from now on
    departed = tuple(each for each in room.departed if each.id != short_id(player))
    return room.evolve(departed=departed)


Verb: TypeAlias = Callable[[Room, Context, Any, int | None], Room]

VERBS: Final[Mapping[str, Verb]] = {
    "join": _join,
    "entropy": _entropy,
    "observe": _observe,
    "leave": _leave,
    "claim-host": _claim_host,
    "configure": _configure,
    "start": _start,
    "kick": _kick,
    "promote": _promote,
    "add-bot": _add_bot,
    "remove-bot": _remove_bot,
    "continue": hurried,
}
