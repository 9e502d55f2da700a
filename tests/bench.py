"""How long a step and a request take: `make bench` prints medians, in microseconds.

Timings are printed, not asserted: a busy machine must not fail a build. The targets beside them
are those of the project's plan.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from chalicelib.games import GAMES
from chalicelib.kernel import actions, room, store
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.match import awaiting
from tests.table import Table, seed

RUNS = 2_000


def median_us(run: Callable[[], object], runs: int = RUNS) -> float:
    """The median of `runs` calls, after a tenth as many to warm up."""
    for _ in range(runs // 10):
        run()
    times = []
    for _ in range(runs):
        begun = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times) / 1_000


def full_table(game: str, players: int) -> Table:
    """A match with three receipts a member, in its first question."""
    table = Table(game, players)
    for number in range(players):
        for value in "abc":
            table.act(number, {"type": "entropy", "value": value})
    table.start()
    return table


def step(table: Table) -> Callable[[], str]:
    """Parse, settle, act and dump: what one answer costs the kernel."""
    assert table.room.match is not None
    question = awaiting(table.game, table.room.match)
    assert question is not None
    seat = min(question.asked or ())
    move = table.game.bot(
        table.game.view(table.state, seat), question.phase, seat, Draws(seed("bench"))
    )
    body = {"decision": question.decision, "action": move.model_dump(mode="json")}
    doc = store.dump(table.room)
    request = table.request(table.at(seat), b"{}", "bench")
    context = actions.Context(GAMES, request, table.now, seed(), actions.Guest("", "es"))

    def run() -> str:
        settled = room.settle(store.load(doc, GAMES), GAMES, table.now)
        return store.dump(actions.act(settled, context, body).room)

    return run


def poll(table: Table) -> Callable[[], object]:
    """Parse, settle and view."""
    doc = store.dump(table.room)
    me = table.at(0)

    def run() -> object:
        table.room = room.settle(store.load(doc, GAMES), GAMES, table.now)
        return table.view(me)

    return run


def main() -> None:
    for game, definition in GAMES.items():
        players = definition.seats.stop - 1
        table = full_table(game, players)
        size = table.bytes_stored
        print(f"{game}, {players} players, {size} bytes stored")
        print(f"  first answer: {median_us(step(table)):7.1f} us")
        print(f"  view:         {median_us(poll(table)):7.1f} us")


if __name__ == "__main__":
    main()
