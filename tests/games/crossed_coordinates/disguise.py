"""What a viewer may not know of crossed coordinates: another state that must look the same."""

from __future__ import annotations

from hypothesis import strategies as st

from chalicelib.games.crossed_coordinates.model import (
    HAND,
    NOT_DEALT,
    PLACES,
    TRAITS,
    State,
)
from chalicelib.kernel.model import Seat

FRAGMENTS = 48

numbers = st.integers(0, FRAGMENTS - 1)
hands = st.lists(st.integers(0, TRAITS - 1), min_size=HAND, max_size=HAND, unique=True).map(tuple)


def crossed_coordinates(state: State, viewer: Seat | None, data: st.DataObject) -> State:
    """Until a round is scored, anything at all that others hold, send or vote, the target, which
    signals are distorted, and who has confirmed; and always the quartets to come."""
    known = state.round
    to_come = tuple(data.draw(st.permutations(state.quartets[known:]), "quartets"))
    state = state.evolve(quartets=state.quartets[:known] + to_come)
    if state.shown:
        return state
    others = [
        seat
        for seat, fragment in enumerate(state.fragments)
        if fragment != NOT_DEALT and seat != viewer
    ]
    fragments, dealt = list(state.fragments), list(state.hands)
    sent, ballots = list(state.sent), list(state.ballots)
    for seat in others:
        fragments[seat] = data.draw(numbers, "fragment")
        dealt[seat] = data.draw(hands, "hand")
        if sent:
            pair = tuple(sorted(dealt[seat][:2]))
            sent[seat] = data.draw(st.sampled_from([(), pair]), "signal")
        if ballots:
            place, signal = data.draw(st.integers(0, PLACES - 1)), len(state.signals) - 1
            ballot = (place,) if signal < 0 else (place, data.draw(st.integers(0, signal)))
            ballots[seat] = data.draw(st.sampled_from([(), ballot]), "ballot")
    asked = [seat for seat in others if seat not in state.left]
    ready = data.draw(st.permutations(asked))[: sum(seat in asked for seat in state.ready)]
    return state.evolve(
        target=data.draw(st.integers(0, PLACES - 1), "target"),
        fragments=tuple(fragments),
        hands=tuple(dealt),
        sent=tuple(sent),
        ballots=tuple(ballots),
        ready=tuple(sorted([*ready, *(seat for seat in state.ready if seat not in asked)])),
        distorted=tuple(
            number for number in range(len(state.signals)) if data.draw(st.booleans(), "distorted")
        ),
    )
