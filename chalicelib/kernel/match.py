"""One match in time: answers, floors, deadlines, early closing and bots, as pure steps.

Every function is (match, ..., instant) -> match. `due` says which step comes next by itself and
when; a room applies it with `step`. Nothing here knows which game is played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field, InstanceOf, SerializeAsAny, ValidationError

from .draws import Draws, commitment, keyed
from .errors import (
    AlreadyAnswered,
    IllegalAction,
    InvalidAction,
    NoMatch,
    NotYourTurn,
    StaleDecision,
    TooEarly,
)
from .faults import faults
from .game import Awaiting, Game, Outcome, Setup
from .model import SECOND, Instant, Model, Seat, Secret, hidden, uncovered

AnyGame = Game[Any, Any]
Games = Mapping[str, AnyGame]

THINKING = range(1_000, 4_001)
"""How long a bot thinks, in milliseconds."""

Step = Literal["close", "bot"]


class Due(NamedTuple):
    """What happens by itself next, and when. Sorts by time, then closings before bots."""

    at: Instant
    rank: int
    step: Step
    seat: Seat | None = None


class Match(Model):
    """A running or finished match. `seed` is secret until the match is over, and for ever if
    the game forgets."""

    number: int
    game: str
    seed: Secret
    """The master (API.md), or what it has been ratcheted to."""
    entropy: tuple[str, ...] = ()
    """The players' values in the order of their ids; kept where dice can be checked."""
    dealt: dict[str, int] = Field(default_factory=dict)
    """Deck -> how many were dealt for this match."""
    players: int
    """Seats at the start."""
    bots: tuple[Seat, ...] = ()
    began_at: Instant
    opened_at: Instant
    """When the open question opened, or when the match ended."""
    broken: bool = False
    """A rule failed and the house ended the match: nobody wins."""
    ranked: bool = False
    state: SerializeAsAny[InstanceOf[Model]]


def start(
    game: AnyGame,
    *,
    code: str,
    number: int,
    master: bytes,
    entropy: tuple[str, ...],
    bots: tuple[Seat, ...],
    setup: Setup[Any],
    now: Instant,
) -> Match:
    """A match whose first question is open since `now`."""
    root = root_seed(master, code, number, entropy)
    return Match(
        number=number,
        game=game.key,
        seed=hidden(root if game.forgets else master),
        entropy=() if game.forgets else entropy,
        players=setup.seats,
        bots=bots,
        began_at=now,
        opened_at=now,
        ranked=not bots and game.ranked(setup.settings),
        dealt={deck: len(numbers) for deck, numbers in setup.dealt.items()},
        state=game.start(setup, Draws(root)),
    )


def root_seed(master: bytes, code: str, number: int, entropy: Sequence[str]) -> bytes:
    """Where all draws of a match begin: the house's `master` and the players' entropy."""
    digest = commitment("\n".join(entropy).encode())
    return keyed(master, f"sobremesa/1|{code}|{number}|{digest}")


def root(game: AnyGame, match: Match, code: str) -> Draws:
    """The draws of the open question."""
    if game.forgets:
        return Draws(uncovered(match.seed))
    return Draws(root_seed(uncovered(match.seed), code, match.number, match.entropy))


def awaiting(game: AnyGame, match: Match) -> Awaiting | None:
    """The open question; None once the match is over."""
    return None if match.broken else game.awaiting(match.state)


def outcome(game: AnyGame, match: Match) -> Outcome:
    """How a match that is over ended."""
    if match.broken:
        return Outcome(status="interrupted", standings=(), winners=())
    return game.outcome(match.state)


def opens_floor_at(match: Match, question: Awaiting) -> Instant:
    """Before this instant the question does not close."""
    return match.opened_at + question.floor_seconds * SECOND


def due_at(match: Match, question: Awaiting) -> Instant:
    """From this instant on no answer is in time."""
    return match.opened_at + question.seconds * SECOND


def is_full(question: Awaiting) -> bool:
    """All who are asked have answered (C-4)."""
    return question.asked is not None and question.asked <= question.answered


def due(game: AnyGame, match: Match, code: str) -> Due | None:
    """The next step that time alone brings; None once the match is over."""
    question = awaiting(game, match)
    if question is None:
        return None
    closing = due_at(match, question)
    if is_full(question):
        closing = min(closing, opens_floor_at(match, question))
    first = Due(closing, 0, "close")
    waiting = [
        seat
        for seat in match.bots
        if seat in (question.asked or ()) and seat not in question.answered
    ]
    if waiting:
        draws = root(game, match, code)
        for seat in waiting:
            span = len(THINKING)
            think = THINKING[draws.below(span, "think", question.decision, seat)]
            first = min(first, Due(match.opened_at + think, 1 + seat, "bot", seat))
    return first


def act(
    game: AnyGame,
    match: Match,
    code: str,
    seat: Seat,
    decision: int,
    action: Mapping[str, Any],
    now: Instant,
) -> Match:
    """`seat` has answered question `decision` of a running match, and the question has closed if
    that was the last answer. Raises a `GameError`; then nothing has changed."""
    question = awaiting(game, match)
    if question is None:
        raise NoMatch
    if decision != question.decision or now >= due_at(match, question):
        raise StaleDecision
    if seat in question.answered:
        raise AlreadyAnswered
    if question.asked is None or seat not in question.asked:
        raise NotYourTurn
    return _answer(game, match, code, question, seat, checked(game, action), now)


def checked(game: AnyGame, action: Mapping[str, Any]) -> Model:
    """The action as its model. Raises `InvalidAction` naming every wrong field."""
    try:
        return game.actions[action["type"]].model_validate(action, strict=True)
    except ValidationError as problem:
        raise InvalidAction(*faults(problem, "/action")) from None


def _answer(
    game: AnyGame,
    match: Match,
    code: str,
    question: Awaiting,
    seat: Seat,
    action: Model,
    now: Instant,
) -> Match:
    state = game.act(match.state, seat, action, root(game, match, code))
    after = game.awaiting(state)
    if after is not None and after.decision == question.decision:
        if after.asked != question.asked or after.answered != question.answered | {seat}:
            raise RuntimeError("an answer adds its seat to `answered` and nothing else")
        match = match.evolve(state=state)
    else:
        match = _closed(game, match, question, state, now)
    return _close_while_full(game, match, code, after, now)


def _closed(game: AnyGame, match: Match, question: Awaiting, state: Model, now: Instant) -> Match:
    if state.decision <= question.decision:  # type: ignore[attr-defined]  # every State has it
        raise RuntimeError("a closing must advance `decision`")
    changes: dict[str, Any] = {"state": state, "opened_at": now}
    if game.forgets:
        changes["seed"] = hidden(keyed(uncovered(match.seed), "ratchet"))
    return match.evolve(**changes)


def _close_while_full(
    game: AnyGame, match: Match, code: str, question: Awaiting | None, now: Instant
) -> Match:
    """C-4: what all have answered closes at once, from its floor on."""
    if question is None or not is_full(question) or now < opens_floor_at(match, question):
        return match
    return close(game, match, code, now)


def leave(game: AnyGame, match: Match, code: str, seat: Seat, now: Instant) -> Match:
    """`seat` is out of the match for good."""
    question = awaiting(game, match)
    if question is None:
        return match
    bots = tuple(each for each in match.bots if each != seat)
    try:
        state = game.leave(match.state, seat)
        after = game.awaiting(state)
        if after is None or after.decision != question.decision:
            match = _closed(game, match, question, state, now).evolve(bots=bots)
        else:
            left = None if question.asked is None else question.asked - {seat}
            if after.asked not in (left, question.asked):
                raise RuntimeError("leaving removes the leaver alone from `asked`")
            match = match.evolve(state=state, bots=bots)
    except Exception:  # noqa: BLE001  # whatever fails in a rule, the room must live on
        return match.evolve(broken=True, opened_at=now)
    return _close_while_full(game, match, code, after, now)


def hurry(game: AnyGame, match: Match, code: str, decision: int, now: Instant) -> Match:
    """The host has closed the open phase, from its floor on (C-3)."""
    question = awaiting(game, match)
    if question is None:
        raise NoMatch
    if decision != question.decision or now >= due_at(match, question):
        raise StaleDecision
    if not question.host_may_close:
        raise IllegalAction("cannot-continue")
    wait = opens_floor_at(match, question) - now
    if wait > 0:
        raise TooEarly(wait)
    return close(game, match, code, now)


def close(game: AnyGame, match: Match, code: str, now: Instant) -> Match:
    """The open question has closed at `now`, and whatever that leaves with nobody to ask. A rule
    that fails ends the match instead, so that no room can be poisoned."""
    question = awaiting(game, match)
    assert question is not None
    try:
        state = game.expire(match.state, root(game, match, code))
        match = _closed(game, match, question, state, now)
        after = game.awaiting(state)
    except Exception:  # noqa: BLE001  # whatever fails in a rule, the room must live on
        return match.evolve(broken=True, opened_at=now)
    return _close_while_full(game, match, code, after, now)


def move_bot(game: AnyGame, match: Match, code: str, seat: Seat, now: Instant) -> Match:
    """The bot at `seat` has answered; one that fails or plays illegally has left instead."""
    question = awaiting(game, match)
    assert question is not None
    draws = root(game, match, code).fork("bot", question.decision, seat)
    try:
        action = game.bot(game.view(match.state, seat), question.phase, seat, draws)
        return _answer(game, match, code, question, seat, action, now)
    except Exception:  # noqa: BLE001  # whatever fails in a bot, the room must live on
        return leave(game, match, code, seat, now)
