"""CC-5, CC-10: who wrote which signal and who voted what, hidden for good.

Two rooms are played step by step with the same instants and seeds. In the second, hands and with
them signals are dealt out differently among the seats, and so, in another way, are the ballots. As
long as a round is played only the seats concerned can tell the rooms apart, by what is their own;
once it is scored nobody can, not even who holds the stored item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.games.crossed_coordinates import rules
from chalicelib.games.crossed_coordinates.model import PLACE_IDS, ROUNDS, SIGNAL_IDS
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.model import Seat

from .table import Table

# --- whole matches, twice ----------------------------------------------------------------------


class Script(NamedTuple):
    """One round. The orders say who acts when; whoever is not in one lets the clock lapse."""

    ready: tuple[Seat, ...]
    signals: tuple[tuple[Seat, int, int], ...]
    """(seat, two places in its hand)"""
    ballots: tuple[tuple[Seat, int, int], ...]
    """(seat, place, a number that picks a signal)"""
    hands: tuple[Seat, ...]
    """By seat: where its hand lies in the other room."""
    votes: tuple[Seat, ...]
    """By seat: who casts its ballot in the other room."""
    leaves: tuple[str, Seat] | None
    """Somebody leaves when that phase has opened."""
    pause: int


@st.composite
def scripts(draw: st.DrawFn, players: int) -> Script:
    seats = range(players)
    some = st.lists(st.sampled_from(seats), unique=True).map(tuple)
    pairs = st.sampled_from([(a, b) for a in range(4) for b in range(4) if a != b])
    most = st.permutations(seats).flatmap(
        lambda order: st.integers(players - 2, players).map(lambda n: order[:n])
    )
    rarely = st.integers(0, 5).map(lambda n: n == 0)
    phases = st.sampled_from(("study", "encode", "council", "ballot", "reveal"))
    return Script(
        ready=draw(some),
        signals=tuple((seat, *draw(pairs)) for seat in draw(most | some)),
        ballots=tuple(
            (seat, draw(st.integers(0, 3)), draw(st.integers(0, 11))) for seat in draw(most | some)
        ),
        hands=tuple(draw(st.permutations(seats))),
        votes=tuple(draw(st.permutations(seats))),
        leaves=draw(st.tuples(phases, st.sampled_from(seats))) if draw(rarely) else None,
        pause=draw(st.integers(0, 3_000)),
    )


@st.composite
def matches(draw: st.DrawFn) -> tuple[int, int, list[Script]]:
    players = draw(st.sampled_from((4, 4, 5, 6, 8, 12)))
    return (
        players,
        draw(st.integers(0, 1_000)),
        draw(st.lists(scripts(players), min_size=ROUNDS, max_size=ROUNDS)),
    )


def keeping(order: Sequence[Seat], kept: Sequence[Seat]) -> list[Seat]:
    """The permutation with the seats in `kept` left where they are."""
    moved = iter([seat for seat in order if seat not in kept])
    return [seat if seat in kept else next(moved) for seat in range(len(order))]


def signalled(table: Table, seat: Seat, pair: tuple[int, int]) -> None:
    table.signal(seat, *pair)


def voted(table: Table, seat: Seat, fields: dict[str, Any]) -> None:
    table.play(seat, "ballot", **fields)


class Twins:
    """Two rooms in one state, of which `other` has hands and ballots elsewhere."""

    def __init__(self, players: int, master: int) -> None:
        self.one = Table(players, master=f"twin {master}")
        self.other = Table(players, master=f"twin {master}")
        self.affected: frozenset[Seat] = frozenset()

    @property
    def both(self) -> tuple[Table, Table]:
        return self.one, self.other

    def each(self, step: Callable[[Table], object]) -> None:
        for table in self.both:
            step(table)
        self.look()

    def answer(self, seat: Seat, elsewhere: Seat, step: Callable[[Table, Seat], object]) -> None:
        """`seat` does it in the one room and `elsewhere` in the other."""
        step(self.one, seat)
        step(self.other, elsewhere)
        self.look()

    def look(self) -> None:
        """Everybody looks, and can tell no difference but the own."""
        one, other = self.both
        assert one.people == other.people
        for number in one.people:
            if one.member(number).playing_seat in self.affected:
                assert one.shared_with(number) == other.shared_with(number)
            else:
                assert one.view(number) == other.view(number)
                assert one.poll_after_ms(number) == other.poll_after_ms(number)

    def compare_bytes(self) -> None:
        """The same to the byte, in both languages."""
        one, other = self.both
        for number in one.people:
            if one.member(number).playing_seat not in self.affected:
                assert one.everything_for(number) == other.everything_for(number)

    def play(self, script: Script) -> None:
        fixed = [*self.one.state.left, *([script.leaves[1]] if script.leaves else [])]
        hands, votes = keeping(script.hands, fixed), keeping(script.votes, fixed)
        state = self.other.state
        back = [hands.index(seat) for seat in range(state.seats)]
        self.other.with_state(
            fragments=tuple(state.fragments[seat] for seat in back),
            hands=tuple(state.hands[seat] for seat in back),
        )
        self.affected = frozenset(
            seat for seat in range(state.seats) if hands[seat] != seat or votes[seat] != seat
        )
        self._opens("study", script)
        for seat in self._here(script.ready):
            self.answer(seat, hands[seat], Table.ready)
        self._opens("encode", script)
        for seat, first, second in script.signals:
            if self._here([seat]):
                self.answer(seat, hands[seat], partial(signalled, pair=(first, second)))
        self._opens("council", script)
        self._opens("ballot", script)
        for seat, place, signal in script.ballots:
            fields: dict[str, Any] = {"place": PLACE_IDS[place]}
            if published := len(self.one.state.signals):
                fields["signal"] = SIGNAL_IDS[signal % published]
            if self._here([seat]):
                self.answer(seat, votes[seat], partial(voted, fields=fields))
        self._opens("reveal", script)

    def _here(self, seats: Sequence[Seat]) -> list[Seat]:
        return [seat for seat in seats if seat in self.one.seats]

    def _opens(self, phase: str, script: Script) -> None:
        if self.one.phase != phase:
            self.each(lambda table: table.wait(script.pause))
        self.each(lambda table: table.until(phase))
        if phase == "reveal":
            self.scored()
        self.compare_bytes()
        when, who = script.leaves or (None, -1)
        if when == phase and who in self.one.seats:
            self.each(lambda table: table.leave(who))
        if self.one.phase == phase:
            self.each(lambda table: table.wait(script.pause // 2))

    def scored(self) -> None:
        """CC-10: what differed is gone, from what anybody sees and from what is stored."""
        self.affected = frozenset()
        self.look()
        self.compare_bytes()
        assert kept(self.one) == kept(self.other)


def kept(table: Table) -> Any:
    """The stored item without receipts, which are hashes of what was sent. Nothing else may differ:
    not when somebody last answered either."""
    doc = json.loads(table.stored)
    for row in (*doc["members"], *doc.get("departed", ())):
        row.pop("receipts", None)
    return doc


@settings(max_examples=15, deadline=None)
@given(matches())
def test_nobody_can_tell_who_wrote_what(match: tuple[int, int, list[Script]]) -> None:
    players, master, rounds = match
    twins = Twins(players, master)
    for script in rounds:
        if twins.one.status != "playing":
            break
        twins.play(script)
        twins.each(lambda table: table.wait_for_next())
    assert kept(twins.one) == kept(twins.other)


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(12)), st.integers(0, 12), st.binary(min_size=32, max_size=32))
def test_what_is_published_is_a_function_of_what_was_sent(
    order: Sequence[Seat], senders: int, seed: bytes
) -> None:
    """CC-5: the same pairs of the same fragments, from other seats: the same list, bit by bit."""
    state = Table(12).until("encode").state
    sent = tuple(tuple(sorted(h[:2])) if n < senders else () for n, h in enumerate(state.hands))
    one = rules.expire(state.evolve(sent=sent), Draws(seed))
    other = rules.expire(
        state.evolve(
            sent=tuple(sent[seat] for seat in order),
            fragments=tuple(state.fragments[seat] for seat in order),
            hands=tuple(state.hands[seat] for seat in order),
        ),
        Draws(seed),
    )
    assert (one.signals, one.distorted) == (other.signals, other.distorted)
    assert len(one.signals) == senders


def test_the_order_in_which_people_act_is_kept_nowhere() -> None:
    """CC-5: first or last, the state is the same in every phase, and so is what is published."""
    one, other = Table(7), Table(7)
    for phase in ("study", "encode", "ballot"):
        for table in (one, other):
            table.until(phase)
            seats = table.seats if table is one else table.seats[::-1]
            for seat in seats[1:-1]:
                if phase == "study":
                    table.ready(seat)
                elif phase == "encode":
                    table.signal(seat)
                else:
                    table.ballot(seat, "T", "a")
            left = (5, 3) if phase == "study" else ()
            for seat in left if table is one else left[::-1]:
                table.leave(seat)
        assert one.state == other.state
    assert one.until("reveal").state == other.until("reveal").state


def test_a_signal_can_end_up_anywhere_in_the_shuffle() -> None:
    """Seat 0's signal, over many matches, under every number."""
    ended: set[int] = set()
    for number in range(60):
        table = Table(5, master=f"shuffle {number}").all_signal()
        ended.add(table.state.signals.index(table.state.sent[0]))
    assert ended == set(range(5))


# --- while answers come in ---------------------------------------------------------------------


def test_nothing_moves_for_the_others_when_an_answer_comes_in() -> None:
    """CC-5: no count, tag or hint; not even for the table's host or who watches."""
    table = Table(6).until("encode")
    for phase in ("encode", "ballot"):
        table.until(phase)
        table.wait(1_000)
        assert table.match()["answered"] is None
        for seat in table.seats[:-1]:
            others = [number for number in table.people if number != table.at(seat)]
            before = [table.everything_for(number) for number in others]
            if phase == "encode":
                table.signal(seat)
            else:
                table.ballot(seat, "T", "a")
            assert [table.everything_for(number) for number in others] == before
            assert table.match(table.at(seat))["answered"] is None
