"""Random histories of a room, for laws that hold in all of them and over every game.

What people do is drawn by the games' own bots, so every history is playable; what they do besides
(leaving, observing, waiting, claiming, joining late) is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from hypothesis import strategies as st

from chalicelib.games import GAMES
from chalicelib.kernel import match as matches
from chalicelib.kernel import room as rooms
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.errors import GameError
from tests.table import Table, seed

EVENTS = ("answer", "answer", "answer", "answer", "wait", "wait", "bound", "social")
SOCIAL = (
    {"type": "leave"},
    {"type": "observe"},
    {"type": "join"},
    {"type": "claim-host"},
    {"type": "entropy", "value": "salt"},
)


def begun(game: str, data: st.DataObject) -> Table:
    """A match that has just begun, with a bot or two now and then."""
    seats = GAMES[game].seats
    players = data.draw(st.integers(seats.start, seats.stop - 1), "players")
    bots = data.draw(st.integers(0, min(2, players - 1)), "bots")
    table = Table(game, players - bots, master=data.draw(st.text(max_size=3), "seed"))
    for _ in range(bots):
        table.act(0, {"type": "add-bot"})
    table.start()
    return table


def answer(table: Table, luck: int) -> None:
    """Somebody who is asked answers, as one of the game's bots would with that luck."""
    assert table.room.match is not None
    question = matches.awaiting(table.game, table.room.match)
    if question is None:
        return
    humans = [
        seat
        for seat in sorted((question.asked or frozenset()) - question.answered)
        if seat not in table.room.match.bots
    ]
    if not humans:
        return
    seat = humans[luck % len(humans)]
    action = table.game.bot(
        table.game.view(table.state, seat), question.phase, seat, Draws(seed(str(luck)))
    )
    table.act(table.at(seat), action.model_dump(mode="json"), question.decision)


def history(table: Table, data: st.DataObject, length: int = 30) -> Iterator[Table]:
    """The table again and again, after each thing that has happened."""
    yield table
    for _ in range(length):
        event = data.draw(st.sampled_from(EVENTS), "event")
        luck = data.draw(st.integers(0, 999), "luck")
        if event == "answer":
            answer(table, luck)
        elif event == "wait":
            table.wait(data.draw(st.integers(0, 20_000), "ms"))
        elif event == "bound":
            wake_at = rooms.wake_at(table.room, table.games)
            if wake_at is not None:
                table.now = max(table.now, wake_at - 1 + luck % 3)
                table.settle()
        else:
            with suppress(GameError):
                table.act(luck % 4, SOCIAL[luck % len(SOCIAL)])
        yield table
