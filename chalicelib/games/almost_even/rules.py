"""Casi por igual, rule by rule (RULES.md, AE-1 to AE-10)."""

from __future__ import annotations

from typing import Final

from ...kernel.draws import Draws
from ...kernel.errors import IllegalAction
from ...kernel.game import Awaiting, Deck, Outcome, Setup
from ...kernel.model import Model, Seat
from . import cards
from .model import (
    AUTHOR_SECONDS,
    FEWEST,
    HAND,
    OPEN,
    REVEAL_FLOOR_SECONDS,
    REVEAL_SECONDS,
    UNASKED,
    VOTE_SECONDS,
    AlmostEvenSettings,
    Dilemma,
    Publish,
    State,
    Tally,
    Vote,
)

BY_DISTANCE: Final = (500, 300, 150)
"""The author's points by distance to the ideal split; further away 0 (AE-6)."""
TWO_LAPS_TO: Final = 5
"""Up to so many players each is author twice (AE-1)."""


def laps(seats: int) -> int:
    """How often each of `seats` players is author (AE-1)."""
    return 2 if seats <= TWO_LAPS_TO else 1


def start(setup: Setup[AlmostEvenSettings], draws: Draws) -> State:
    """The turn order is drawn and the first author has two cards (AE-1, AE-2)."""
    return State(
        decision=setup.decision,
        phase="author",
        order=draws.shuffled(range(setup.seats), "order"),
        turn=0,
        round=1,
        points=(0,) * setup.seats,
        cards=setup.dealt["cards"],
        reserves=setup.dealt["reserves"],
    )


def turns_to_come(state: State) -> tuple[int, ...]:
    """The author turns after the open one: those of leavers have vanished (AE-1)."""
    seats = len(state.order)
    turns = range(state.turn + 1, laps(seats) * seats)
    return tuple(turn for turn in turns if state.order[turn % seats] not in state.gone)


def rounds(state: State) -> int:
    """Rounds begun and still to be played; an interrupted match ends with the one it is in."""
    return state.round + (0 if state.interrupted else len(turns_to_come(state)))


def awaiting(state: State) -> Awaiting | None:
    """The author chooses, then the others vote, then nobody is asked (AE-2, AE-3, AE-8)."""
    if state.over:
        return None
    if state.phase == "author":
        return Awaiting(
            decision=state.decision,
            phase="author",
            seconds=AUTHOR_SECONDS,
            asked=frozenset((state.author,)),
        )
    if state.phase == "vote":
        return Awaiting(
            decision=state.decision,
            phase="vote",
            seconds=VOTE_SECONDS,
            asked=frozenset(state.marked(f"ab{OPEN}")),
            answered=frozenset(state.marked("ab")),
        )
    return Awaiting(
        decision=state.decision,
        phase="reveal",
        seconds=REVEAL_SECONDS,
        asked=None,
        floor_seconds=REVEAL_FLOOR_SECONDS,
        host_may_close=True,
    )


def act(state: State, seat: Seat, action: Model, draws: Draws) -> State:
    """The author has published, which opens the vote (AE-3); or a voter's vote is accepted."""
    if state.phase == "author":
        if not isinstance(action, Publish):
            raise IllegalAction("AE-2.author-publishes")
        return _published(state, action)
    if not isinstance(action, Vote):
        raise IllegalAction("AE-3.others-vote")
    return state.evolve(votes=_marked(state.votes, seat, action.side))


def _published(state: State, action: Publish) -> State:
    for number in state.hand:
        if cards.card(number) == action.card:
            return _vote(state, Dilemma(number, action.twist))
    raise IllegalAction("AE-2.not-dealt")


def _reserve(state: State) -> State:
    """AE-7: the reserve that was next in line since before the phase opened."""
    dilemma = Dilemma(state.reserves[state.shown], None)
    return _vote(state.evolve(shown=state.shown + 1), dilemma)


def _vote(state: State, dilemma: Dilemma) -> State:
    """AE-3: all who are active now are asked, but never the author, not even one who lapsed."""
    asked = set(state.active) - {state.author}
    return state.evolve(
        decision=state.decision + 1,
        phase="vote",
        dilemma=dilemma,
        votes="".join(OPEN if seat in asked else UNASKED for seat in range(len(state.points))),
    )


def _marked(votes: str, seat: Seat, mark: str) -> str:
    return votes[:seat] + mark + votes[seat + 1 :]


def expire(state: State, draws: Draws) -> State:
    """The author's time has lapsed, the vote has closed, or the reveal is over."""
    if state.phase == "author":
        return _reserve(state)
    if state.phase == "vote":
        return _revealed(state)
    return _next_round(state)


def author_points(accepted: int, minority: int) -> int:
    """AE-5 and AE-6: an empty side, or fewer than two votes, wins over distance."""
    if minority == 0:
        return 0
    distance = accepted // 2 - minority
    return BY_DISTANCE[distance] if distance < len(BY_DISTANCE) else 0


def tally(state: State) -> Tally:
    """The votes of the round; a reserve earns its author nothing, however it splits (AE-7)."""
    a, b = state.votes.count("a"), state.votes.count("b")
    minority = min(a, b)
    assert state.dilemma is not None
    points = 0 if state.dilemma.reserve else author_points(a + b, minority)
    return Tally(a + b, minority, points)


def _revealed(state: State) -> State:
    """AE-8: scored. An author who left meanwhile is scored like any other (AE-5)."""
    gained = {state.author: tally(state).points}
    return state.evolve(
        decision=state.decision + 1,
        phase="reveal",
        points=tuple(points + gained.get(seat, 0) for seat, points in enumerate(state.points)),
    )


def _next_round(state: State) -> State:
    """The next author has two cards and the votes are forgotten; or the match is over, and its
    last reveal stays on the table."""
    to_come = turns_to_come(state)
    if state.interrupted or not to_come:
        return state.evolve(decision=state.decision + 1, over=True)
    return state.evolve(
        decision=state.decision + 1,
        phase="author",
        turn=to_come[0],
        round=state.round + 1,
        dilemma=None,
        votes="",
    )


def leave(state: State, seat: Seat) -> State:
    """`seat` is out; what it gave stands.

    An author who has not published is like one whose time lapsed, at once (AE-7). A voter who has
    not voted drops out (AE-5). Below three active the round is played out, reveal included, and
    the match then ends interrupted (C-8): sticky, since whoever leaves later cannot mend it. It
    stays whole if this is the last reveal, also when it is the last only because the leaver's
    own turns have vanished: nobody who is left loses a turn. With nobody left it is over at once,
    an open vote unscored.
    """
    if seat in state.gone or state.over:
        return state
    state = state.evolve(gone=(*state.gone, seat))
    played = state.phase == "reveal" and not turns_to_come(state)
    if len(state.active) < FEWEST and not played:
        state = state.evolve(interrupted=True)
    if not state.active:
        votes = state.votes if state.phase == "reveal" else ""
        return state.evolve(decision=state.decision + 1, over=True, votes=votes)
    if state.phase == "author" and seat == state.author:
        return _reserve(state)
    if state.phase == "vote" and state.votes[seat] == OPEN:
        return state.evolve(votes=_marked(state.votes, seat, UNASKED))
    return state


def outcome(state: State) -> Outcome:
    """AE-9: ranked by points, leavers among the rest; equal points share a position (1, 1, 3).

    A leaver cannot win: the winners of a completed match are the active seats with the highest
    total **among the active**, so a leaver ahead of them keeps position 1 and takes no win away.
    Nobody wins an interrupted match; its points and positions stand.
    """
    ranking = sorted(range(len(state.points)), key=lambda seat: (-state.points[seat], seat))
    best = max((state.points[seat] for seat in state.active), default=None)
    return Outcome(
        status="interrupted" if state.interrupted else "completed",
        standings=tuple(
            (seat, 1 + sum(more > state.points[seat] for more in state.points), state.points[seat])
            for seat in ranking
        ),
        winners=()
        if state.interrupted
        else tuple(seat for seat in state.active if state.points[seat] == best),
    )


def deals(seats: int) -> dict[str, Deck]:
    """Two cards for each round, and a reserve for each, since any author can lapse."""
    most, ids = laps(seats) * seats, cards.ids()
    return {
        "cards": Deck(size=len(ids["cards"]), needed=HAND * most),
        "reserves": Deck(size=len(ids["reserves"]), needed=most),
    }


def used(state: State) -> dict[str, int]:
    """All cards, chosen or not (AE-2); of the reserves only those shown."""
    return {"reserves": state.shown}


def ranked(settings: AlmostEvenSettings) -> bool:
    """Only liar's dice is ever ranked."""
    return False
