"""Writes the document's examples anew, as the app says them; then `make openapi`. Tests hold them
against the schemas."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from tests.world import DiceRoom, World

FILE: Final = Path(__file__).parents[1] / "chalicelib/openapi/examples.json"


def example(summary: str, value: Any) -> dict[str, Any]:
    return {"summary": summary, "value": value}


def room_of(world: World, game: str, players: int) -> Any:
    """What the host sees of a match that has just begun."""
    people = [world.person(f"Person {number}") for number in range(players)]
    body = {"game": game, "visibility": "private", "name": "Person 0"}
    code = people[0].send("POST", "/v1/rooms", body).body["room"]["code"]
    for person in people[1:]:
        person.join(code)
    people[0].act(code, "start", match=1)
    views = [person.view(code) for person in people]
    return next(view for view in views if view["match"]["your_move"])


def recorded() -> dict[str, Any]:
    world = World()
    dice = DiceRoom(world, 3).start()
    decision = dice.decision
    acted = dice.bid(3, 4).body
    create = {
        "game": "liars-dice",
        "settings": {"bullets": 2},
        "visibility": "private",
        "name": "Ana",
    }
    made = world.person("Ana").send("POST", "/v1/rooms", create).body
    actions = {
        "join": ({"type": "join", "name": "Bo", "entropy": "rain on the terrace"}, None),
        "start": ({"type": "start", "match": 1}, None),
        "bid": ({"type": "bid", "quantity": 3, "face": 4}, decision),
        "vote": ({"type": "vote", "side": "a"}, 2),
        "ballot": ({"type": "ballot", "place": "p2", "signal": "s03"}, 4),
    }
    return {
        "createRoom": {
            "request": {"dice": example("A private table of liar's dice", create)},
            "answer": {"dice": example("Its lobby", made)},
        },
        "readRoom": {
            "answer": {
                "dice": example("Liar's dice, after a bid", dice.host.view(dice.code)),
                "even": example("Almost even: the author", room_of(world, "almost-even", 4)),
                "coordinates": example(
                    "Crossed coordinates: the study", room_of(world, "crossed-coordinates", 5)
                ),
            }
        },
        "act": {
            "request": {
                name: example(
                    f"The action `{name}`",
                    {"action": action}
                    if decision is None
                    else {"decision": decision, "action": action},
                )
                for name, (action, decision) in actions.items()
            },
            "answer": {"bid": example("A bid is accepted", acted)},
        },
        "reportPlayer": {"request": {"name": example("A name", {"reason": "name"})}},
        "changeMe": {
            "request": {"both": example("Both", {"name": "Ana", "locale": "es"})},
        },
        "putDevice": {
            "request": {
                "android": example("Android", {"platform": "fcm", "token": "fMEP0kqxRdC"}),
            }
        },
        "health": {"answer": {"up": example("Up", world.send("GET", "/v1/health").body)}},
        "readMe": {
            "answer": {"new": example("Somebody new", world.person("X").send("GET", "/v1/me").body)}
        },
        "myRooms": {
            "answer": {"one": example("Rooms", dice.host.send("GET", "/v1/me/rooms").body)}
        },
    }


def main() -> int:
    text = json.dumps(recorded(), ensure_ascii=False, indent=1)
    FILE.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
