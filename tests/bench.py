"""How long a step and a request take: `make bench` prints medians, in microseconds.

Timings are printed, not asserted: a busy machine must not fail a build. The targets beside them
are those of the project's plan.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

from chalicelib.games import GAMES
from chalicelib.kernel import actions, room, store
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.match import awaiting
from chalicelib.kernel.model import SECOND
from tests.table import Table, seed
from tests.world import AUTHORITY, DiceRoom, World

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


def handlers() -> tuple[float, float]:
    """(an accepted bid, a 304) through the whole app, without storage and without the client's
    signing."""
    world = World()
    room = DiceRoom(world, 6).start()
    body = {"decision": room.decision, "action": {"type": "bid", "quantity": 2, "face": 3}}
    path, turn = f"/v1/rooms/{room.code}", room.on_turn
    now = world.clock.real() // SECOND
    raw = json.dumps(body).encode()
    url = f"https://{AUTHORITY}{path}"
    bid = turn.device.sign("POST", f"{url}/actions", raw, "bench", created=now)
    poll = turn.device.sign("GET", url, created=now)
    poll["If-None-Match"] = world.send("GET", path, poll).headers["ETag"]
    before = world.rooms.items[room.code]

    def act() -> None:
        world.rooms.items[room.code] = before
        assert world.send("POST", f"{path}/actions", bid, raw).status == 200

    acted = median_us(act, 500)
    world.rooms.items[room.code] = before

    def look() -> None:
        assert world.send("GET", path, poll).status == 304

    return acted, median_us(look, 500)


def main() -> None:
    for game, definition in GAMES.items():
        players = definition.seats.stop - 1
        table = full_table(game, players)
        size = table.bytes_stored
        print(f"{game}, {players} players, {size} bytes stored")
        print(f"  first answer: {median_us(step(table)):7.1f} us")
        print(f"  view:         {median_us(poll(table)):7.1f} us")
    acted, looked = handlers()
    print("whole handler, liars-dice, 6 players, without storage")
    print(f"  accepted bid: {acted:7.1f} us (at most 2,000)")
    print(f"  304:          {looked:7.1f} us (at most 1,000)")


if __name__ == "__main__":
    main()
