"""Coordenadas cruzadas, rule by rule (RULES.md, CC-1 to CC-12)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, Final, TypeVar

from ...kernel.draws import Draws
from ...kernel.errors import IllegalAction
from ...kernel.game import Awaiting, Deck, Outcome, Setup
from ...kernel.model import Model, Seat
from . import atlas
from .model import (
    BALLOT_SECONDS,
    COUNCIL_FLOOR_SECONDS,
    ENCODE_SECONDS,
    FEWEST,
    HAND,
    NOT_DEALT,
    PLACE_IDS,
    PLACES,
    REVEAL_FLOOR_SECONDS,
    REVEAL_SECONDS,
    ROUNDS,
    SIGNAL_IDS,
    STUDY_FLOOR_SECONDS,
    STUDY_SECONDS,
    TRAIT_IDS,
    Ballot,
    CrossedCoordinatesSettings,
    Points,
    Ready,
    Signal,
    State,
)

PLACE_POINTS: Final = 200
NOISE_POINTS: Final = 100
ALIGNMENT_POINTS: Final = 100

ORDERS: Final = tuple(permutations(range(HAND)))
"""Ways in which a hand can lie."""

T = TypeVar("T")


# --- the table of RULES ------------------------------------------------------------------------


def distorted(dealt: int) -> int:
    """Fragments from another candidate among so many dealt (CC-2)."""
    return 1 if dealt < 8 else 2


def council_seconds(dealt: int) -> int:
    """CC-6: a little longer for each player from the fifth."""
    return min(160, 120 + 5 * max(0, dealt - 4))


def majority(voters: int) -> int:
    """The fewest votes that are more than half (CC-8)."""
    return voters // 2 + 1


def noise_bar(voters: int) -> int:
    """The fewest votes that single out a signal (CC-8)."""
    return max(2, -(-voters // 3))


def alignment_bar(voters: int) -> int:
    """The fewest who must choose the target themselves (CC-9)."""
    return -(-3 * voters // 4)


def scored(
    voters: int,
    place_votes: Sequence[int],
    signal_votes: Sequence[int],
    target: int,
    distorted_signals: Sequence[int],
) -> Points:
    """CC-8 and CC-9. Ties and bars not reached bring nothing, and nothing breaks a tie."""
    found = _leader(place_votes, majority(voters)) == target
    heard = _leader(signal_votes, noise_bar(voters)) in distorted_signals
    aligned = place_votes[target] >= alignment_bar(voters)
    return Points(
        place=PLACE_POINTS if found else 0,
        noise=NOISE_POINTS if heard else 0,
        alignment=ALIGNMENT_POINTS if aligned else 0,
    )


def _leader(votes: Sequence[int], bar: int) -> int | None:
    """Which has most votes, alone, and at least `bar` of them."""
    most = max(votes, default=0)
    return votes.index(most) if most >= bar and votes.count(most) == 1 else None


# --- a match -----------------------------------------------------------------------------------


def start(setup: Setup[CrossedCoordinatesSettings], draws: Draws) -> State:
    """The first round is dealt (CC-1)."""
    state = State(
        decision=setup.decision,
        phase="study",
        seats=setup.seats,
        quartets=setup.dealt["quartets"],
        round=0,
        target=0,
    )
    return state.evolve(**_deal(state, draws))


def awaiting(state: State) -> Awaiting | None:
    """While signals and ballots are being given nobody may learn how many have come (CC-5). A
    leaver is not expected any more, whether or not an answer was in, so that not even leaving
    tells that."""
    if state.phase == "over":
        return None
    asked = frozenset(range(state.seats)).difference(state.left)
    if state.phase == "study":
        return Awaiting(
            decision=state.decision,
            phase="study",
            seconds=STUDY_SECONDS,
            floor_seconds=STUDY_FLOOR_SECONDS,
            asked=asked,
            answered=asked.intersection(state.ready),
        )
    if state.phase in ("encode", "ballot"):
        given = state.sent if state.phase == "encode" else state.ballots
        return Awaiting(
            decision=state.decision,
            phase=state.phase,
            seconds=ENCODE_SECONDS if state.phase == "encode" else BALLOT_SECONDS,
            asked=asked,
            answered=asked.intersection([seat for seat, answer in enumerate(given) if answer]),
            counted=False,
        )
    council = state.phase == "council"
    return Awaiting(
        decision=state.decision,
        phase=state.phase,
        seconds=council_seconds(state.dealt) if council else REVEAL_SECONDS,
        floor_seconds=COUNCIL_FLOOR_SECONDS if council else REVEAL_FLOOR_SECONDS,
        asked=None,
        host_may_close=True,
    )


def act(state: State, seat: Seat, action: Model, draws: Draws) -> State:
    """`seat` has confirmed the study, signalled, or voted (CC-3, CC-4, CC-7)."""
    if state.phase == "study" and isinstance(action, Ready):
        return state.evolve(ready=tuple(sorted((*state.ready, seat))))
    if state.phase == "encode" and isinstance(action, Signal):
        return state.evolve(sent=_with(state.sent, seat, _pair(state, seat, action)))
    if state.phase == "ballot" and isinstance(action, Ballot):
        return state.evolve(ballots=_with(state.ballots, seat, _ballot(state, action)))
    raise IllegalAction("CC-3.other-phase")


def _pair(state: State, seat: Seat, action: Signal) -> tuple[int, ...]:
    """CC-4, in ascending order: which of the two was named first is forgotten."""
    own = {TRAIT_IDS[trait]: trait for trait in state.hands[seat]}
    if not own.keys() >= set(action.traits):
        raise IllegalAction("CC-4.own-traits")
    if len(set(action.traits)) < len(action.traits):
        raise IllegalAction("CC-4.two-different")
    return tuple(sorted(own[trait] for trait in action.traits))


def _ballot(state: State, action: Ballot) -> tuple[int, ...]:
    """CC-7. Nothing here depends on whose ballot it is: the own signal may be chosen."""
    if action.place not in PLACE_IDS:
        raise IllegalAction("CC-7.no-such-place")
    place = PLACE_IDS.index(action.place)
    published = SIGNAL_IDS[: len(state.signals)]
    if not published:
        if action.signal is not None:
            raise IllegalAction("CC-7.place-only")
        return (place,)
    if action.signal is None:
        raise IllegalAction("CC-7.signal-missing")
    if action.signal not in published:
        raise IllegalAction("CC-7.no-such-signal")
    return place, published.index(action.signal)


def expire(state: State, draws: Draws) -> State:
    """The open phase closes, lapsed or full, and the next one opens; a lapsed clock invents no
    signal and no ballot (C-2)."""
    nobody = ((),) * state.seats
    changes: dict[str, Any]
    if state.phase == "study":
        changes = {"phase": "encode", "ready": (), "sent": nobody}
    elif state.phase == "encode":
        changes = {"phase": "council", **_publish(state, draws)}
    elif state.phase == "council":
        changes = {"phase": "ballot", "voters": len(state.active), "ballots": nobody}
    elif state.phase == "ballot":
        changes = {"phase": "reveal", **_score(state)}
    elif state.round == ROUNDS or state.short:
        changes = {"phase": "over"}
    else:
        changes = {"phase": "study", **_deal(state, draws)}
    return state.evolve(decision=state.decision + 1, **changes)


def _deal(state: State, draws: Draws) -> dict[str, Any]:
    """A round's target, and a fragment with its traits for each active seat (CC-2)."""
    number, seats = state.round + 1, state.active
    quartet = atlas.quartet(state.quartets[number - 1])
    draws = draws.fork("deal", number)
    target = draws.below(PLACES, "target")
    holders = draws.sample(seats, distorted(len(seats)), "distorted")
    others = [place for place in range(PLACES) if place != target]
    origin = dict.fromkeys(seats, target)
    origin.update(zip(holders, draws.sample(others, len(holders), "origins"), strict=True))
    piles = {
        place: iter(draws.shuffled(quartet.of(place), "fragments", place))
        for place in sorted(set(origin.values()))
    }
    fragments = {seat: next(piles[place]) for seat, place in origin.items()}
    orders = draws.rolls(state.seats, len(ORDERS), "traits")
    return {
        "round": number,
        "target": target,
        "fragments": tuple(fragments.get(seat, NOT_DEALT) for seat in range(state.seats)),
        "hands": tuple(
            tuple(quartet.fragments[fragments[seat]].traits[each] for each in ORDERS[order])
            if seat in fragments
            else ()
            for seat, order in enumerate(orders)
        ),
        "signals": (),
        "distorted": (),
        "shown": (),
        "place_votes": (),
        "signal_votes": (),
    }


def _publish(state: State, draws: Draws) -> dict[str, Any]:
    """CC-5. Sorted before the shuffle, so that what is published is a function of what was
    signalled, not of who signalled or when; the shuffle itself is not kept, and the seed that it
    was drawn from is ratcheted away."""
    origins = atlas.quartet(state.quartet).fragments
    pairs = sorted(
        (pair, origins[fragment].place != state.target)
        for pair, fragment in zip(state.sent, state.fragments, strict=True)
        if pair
    )
    shuffled = draws.shuffled(pairs, "signals", state.round)
    return {
        "signals": tuple(pair for pair, _ in shuffled),
        "distorted": tuple(number for number, (_, odd) in enumerate(shuffled) if odd),
    }


def _score(state: State) -> dict[str, Any]:
    """CC-8 to CC-10: points and sums; whatever could be told of one seat is erased."""
    cast = [ballot for ballot in state.ballots if ballot]
    places = [ballot[0] for ballot in cast]
    suspects = [ballot[1] for ballot in cast if len(ballot) > 1]
    place_votes = tuple(places.count(place) for place in range(PLACES))
    signal_votes = tuple(suspects.count(signal) for signal in range(len(state.signals)))
    points = scored(state.voters, place_votes, signal_votes, state.target, state.distorted)
    return {
        **ERASED,
        "shown": tuple(sorted(each for each in state.fragments if each != NOT_DEALT)),
        "place_votes": place_votes,
        "signal_votes": signal_votes,
        "rounds": (*state.rounds, points),
    }


ERASED: Final = {"fragments": (), "hands": (), "ready": (), "sent": (), "ballots": (), "voters": 0}
"""All that is kept by seat while a round is played, and N with it."""


def leave(state: State, seat: Seat) -> State:
    """`seat` is out: a signal or ballot that was accepted stands, and the fragment still counts
    as dealt (CC-8, CC-12). With nobody left the match is over at once (C-8)."""
    if seat in state.left or state.phase == "over":
        return state
    state = state.evolve(left=tuple(sorted((*state.left, seat))))
    if len(state.active) < FEWEST and not _last_reveal(state):
        state = state.evolve(short=True)
    if state.active:
        return state
    return state.evolve(decision=state.decision + 1, phase="over", **ERASED)


def _last_reveal(state: State) -> bool:
    return state.phase == "reveal" and state.round == ROUNDS


def outcome(state: State) -> Outcome:
    """CC-1: the score is everybody's. Interrupted if the table fell below four before the last
    reveal (C-8)."""
    return Outcome(status="interrupted" if state.short else "completed", standings=(), winners=())


def deals(seats: int) -> dict[str, Deck]:
    """A quartet a round: sixteen different places a match (CC-1)."""
    return {"quartets": Deck(size=len(atlas.index()), needed=ROUNDS)}


def used(state: State) -> dict[str, int]:
    """Quartets of rounds that began."""
    return {"quartets": state.round}


def ranked(settings: CrossedCoordinatesSettings) -> bool:
    """Only liar's dice is ever ranked."""
    return False


def _with(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
