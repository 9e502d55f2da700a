"""An action from envelope to receipt, in the order of checks that API.md gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from . import match as matches
from .errors import (
    InvalidAction,
    NoMatch,
    NotFound,
    NotSeated,
    StaleRequest,
    TooManyRequests,
    WrongGame,
)
from .faults import Fault, faults, one_of
from .lobby import VERBS, Context, Guest, Verb, checked_settings, hurried
from .match import Games
from .model import SECOND, Instant, hidden
from .receipts import Receipt, Request, added, known
from .room import (
    Departed,
    Member,
    Room,
    Visibility,
    game_of,
    master_and_shuffle,
    short_id,
    with_match,
)
from .verbs import MODELS, Envelope

__all__ = ["Accepted", "Context", "Guest", "act", "checked_settings", "create"]


MOST_IN_A_ROW: Final = 60
REST_SECONDS: Final = 60
"""Who asks so much of a room without a move in the game has to rest for so long."""


UNCOUNTED: Final = frozenset({"start", "continue", "leave"})
"""What the game has bounds of its own for, and what nobody may be kept from."""


class Accepted(NamedTuple):
    """The room after an action, and the receipt of whoever sent it."""

    room: Room
    receipt: Receipt
    replayed: bool


def create(
    *,
    code: str,
    game: str,
    settings: dict[str, Any],
    visibility: Visibility,
    name: str,
    entropy: str,
    locale: str,
    pushed: bool = False,
    request: Request,
    seed: bytes,
    now: Instant,
) -> Room:
    """A lobby whose only member, and host, is who asked. `settings` are checked and in full."""
    master, shuffle = master_and_shuffle(seed)
    host = Member(
        id=request.player,
        name=name,
        locale=locale,
        pushed=pushed,
        created=request.created,
        entropy=entropy,
        receipts=added((), request),
    )
    return Room(
        code=code,
        version=1,
        at=now,
        created_at=now,
        visibility=visibility,
        game=game,
        settings=settings,
        host=host.id,
        made_by=request.key_tag,
        members=(host,),
        master=hidden(master),
        shuffle=hidden(shuffle),
    )


def act(room: Room, context: Context, body: Any) -> Accepted:
    """The settled `room` after the request's action. Raises a `GameError`; then the caller still
    has the room as it was. `body` is any JSON value."""
    request, games = context.request, context.games
    me = room.member(request.player)
    joining = _type(body) == "join"
    gone = None if me else _departed(room, request.player)
    if me is None and (short_id(request.player) in room.kicked or not (joining or gone)):
        raise NotFound
    kept = me.receipts if me else gone.receipts if gone else ()
    if known(kept, request):
        receipt = Receipt(idempotency_key=request.key, decision=body.get("decision"))
        return Accepted(room, receipt, True)
    if me is None and not joining:
        raise NotFound

    verb, action, decision = _opened(room, games, body)
    last = me.created if me else gone.created if gone else 0
    if request.created < last:
        raise StaleRequest
    if verb is None:
        assert me is not None
        assert decision is not None
        quiet = game_of(room, games).forgets
        return _receipted(
            _play(room, context, me, action, decision), request, decision, quiet=quiet
        )
    busy = _busy(me, request) if action["type"] not in UNCOUNTED else me.busy if me else 0
    return _receipted(verb(room, context, _model(action), decision), request, decision, busy=busy)


def _busy(me: Member | None, request: Request) -> int:
    """How many requests to the room in a row this makes. Raises `TooManyRequests`."""
    if me is None or request.created - me.created >= REST_SECONDS:
        return 1
    if me.busy >= MOST_IN_A_ROW:
        raise TooManyRequests(REST_SECONDS * SECOND)
    return me.busy + 1


def _receipted(
    room: Room, request: Request, decision: int | None, *, busy: int = 0, quiet: bool = False
) -> Accepted:
    """With the receipt among the sender's. `quiet`: it leaves no other trace, since when somebody
    last answered would tell who did at all (CC-5); stale decisions keep such answers in order."""
    receipt = Receipt(idempotency_key=request.key, decision=decision)
    me = room.member(request.player)
    if me is not None:
        changes: dict[str, Any] = {"receipts": added(me.receipts, request, quiet=quiet)}
        if not quiet:
            changes |= {"created": request.created, "busy": busy}
        return Accepted(room.evolve(members=room.with_member(me.evolve(**changes))), receipt, False)
    gone = _departed(room, request.player)
    assert gone is not None
    gone = gone.evolve(created=request.created, receipts=added(gone.receipts, request))
    others = (each for each in room.departed if each.id != gone.id)
    return Accepted(room.evolve(departed=(*others, gone)), receipt, False)


def _type(body: Any) -> Any:
    action = body.get("action") if isinstance(body, dict) else None
    return action.get("type") if isinstance(action, dict) else None


def _opened(room: Room, games: Games, body: Any) -> tuple[Verb | None, dict[str, Any], int | None]:
    """(the room's verb, or None for a game's action; the action; the decision)."""
    if not isinstance(body, dict):
        raise InvalidAction(Fault("", "object"))
    try:
        envelope = Envelope.model_validate(body, strict=True)
    except ValidationError as problem:
        raise InvalidAction(*faults(problem)) from None
    kind = envelope.action.get("type")
    here = (*VERBS, *game_of(room, games).actions)
    if not isinstance(kind, str) or not (
        kind in here or any(kind in game.actions for game in games.values())
    ):
        raise InvalidAction(one_of("/action/type", here))
    verb = VERBS.get(kind)
    if envelope.decision is None and verb in (None, hurried):
        raise InvalidAction(Fault("/decision", "decision-missing"))
    return verb, envelope.action, envelope.decision


def _model(action: Mapping[str, Any]) -> Any:
    try:
        return MODELS[action["type"]].model_validate(action, strict=True)
    except ValidationError as problem:
        raise InvalidAction(*faults(problem, "/action")) from None


def _play(
    room: Room, context: Context, me: Member, action: Mapping[str, Any], decision: int
) -> Room:
    if room.match is None:
        raise NoMatch
    game = game_of(room, context.games)
    if action["type"] not in game.actions:
        raise NoMatch if matches.awaiting(game, room.match) is None else WrongGame
    if me.playing_seat is None:
        raise NoMatch if matches.awaiting(game, room.match) is None else NotSeated
    after = matches.act(game, room.match, room.code, me.playing_seat, decision, action, context.now)
    return with_match(room, after, context.now)


def _departed(room: Room, player: str) -> Departed | None:
    return next((each for each in room.departed if each.id == short_id(player)), None)
