"""One signed match on a deployed stage: liar's dice by two players who never trust each other."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from random import Random

from infra.local.demo.table import Action, Failed, Pace, Table, View

__all__ = ["Failed", "played"]

LIMIT_SECONDS = 120


class Script:
    """The first bids, the second calls it; five bullets in six chambers make it short."""

    game = "liars-dice"
    players = 2
    hurried = frozenset({"reveal"})
    entropies = False

    def tempers(self) -> Sequence[str]:
        return ()

    def lobby(self, view: View) -> None:
        """Nothing to note."""

    def notice(self, who: int, view: View) -> None:
        """Nothing to note."""

    def decide(self, who: int, view: View, rng: Random) -> Action | None:  # noqa: ARG002
        if view["match"]["public"]["bids"]:
            return {"type": "challenge"}
        return {"type": "bid", "quantity": 1, "face": rng.randint(2, 6)}

    def tell(self, view: View) -> None:
        """It is no story."""

    def end(self, view: View) -> bool:
        return bool(view["match"]["outcome"]["status"] == "completed")


def played(url: str, speed: int, through: str = "") -> str:
    """What there is to say of the match. Raises `Failed` if it was not played to its end."""
    if through:  # the emulator puts its port into some URLs, but not into the requests
        url = re.sub(r":\d+$", "", url)
    began = time.monotonic()
    script = Script()
    pace = Pace(speed, began + LIMIT_SECONDS)
    table = Table(url, script, ["Ada", "Blaise"], "en", pace, through=through)
    table.open()
    table.sit()
    table.configure({"bullets": 5})
    table.start()
    view = table.play()
    if not script.end(view):
        raise Failed("the match on the new stage did not come to its end")
    return (
        f"over after {time.monotonic() - began:.0f} s, in round {view['match']['public']['round']}"
    )
