"""Settings from the environment, one match, and an exit status: 0 if it ended and was verified, 1
if not, 2 if it could not be played as asked."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..child import DidNotStart, serving
from ..client import Client
from . import almost_even, crossed_coordinates, liars_dice
from .table import Failed, Pace, Script, Table, View, accepted, measured_speed, sent
from .voice import LOCALES, Voice

SCRIPTS: Mapping[str, Callable[[Voice], Script]] = {
    each.game: each for each in (liars_dice.Script, almost_even.Script, crossed_coordinates.Script)
}
SPEED = 20
LIMIT_SECONDS = 58
"""On a server of our own; on somebody else's clock a match takes as long as it takes."""
LIMIT_ELSEWHERE_SECONDS = 3_600


def main() -> int:
    game, locale = os.environ.get("GAME", "liars-dice"), os.environ.get("LOCALE", "en")
    url = os.environ.get("URL", "").rstrip("/")
    speed = os.environ.get("SPEED", str(SPEED))
    if game not in SCRIPTS or locale not in LOCALES or not speed.isdecimal() or speed == "0":
        print(
            f"GAME is one of {', '.join(SCRIPTS)}; LOCALE is {' or '.join(LOCALES)}; "
            "SPEED is a whole number from 1.",
            file=sys.stderr,
        )
        return 2
    began = time.monotonic()
    try:
        with nullcontext(url) if url else serving(speed=int(speed)) as address:
            return played(game, locale, address, began, own=not url)
    except DidNotStart as problem:
        print(f"the local server did not start:\n{problem}", file=sys.stderr)
    except Failed as problem:
        print(f"\nthe demo could not go on: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
    except BrokenPipeError:  # whoever was reading has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 2


def played(game: str, locale: str, url: str, began: float, *, own: bool) -> int:
    """One match from the first key to the last check."""
    voice = Voice(game, locale)
    script = SCRIPTS[game](voice)
    speed = measured_speed(url)
    pace = Pace(speed, began + (LIMIT_SECONDS if own else LIMIT_ELSEWHERE_SECONDS))
    table = Table(url, script, voice.words["names"][: script.players], locale, pace)
    introduce(voice, offered(url, game, locale), url, speed)
    table.open()
    seat_them(voice, table)
    table.start()
    view = table.play()
    standings(voice, view)
    good = script.end(view) and view["match"]["outcome"]["status"] == "completed"
    if path := os.environ.get("RECORD"):
        record = getattr(script, "record", lambda view: view)(view)
        Path(path).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    voice.say("verified" if good else "not-verified", style="good" if good else "bad")
    seconds = time.monotonic() - began
    voice.say("took", style="faint", seconds=round(seconds), minutes=round(seconds * speed / 60))
    return 0 if good else 1


def offered(url: str, game: str, locale: str) -> Any:
    """The game as the server presents it."""
    items = accepted(sent(Client(url, locale=locale), "GET", "/v1/games"))["items"]
    for item in items:
        if item["game"] == game:
            return item
    raise Failed(f"{url} does not offer {game}")


def introduce(voice: Voice, item: Any, url: str, speed: float) -> None:
    """What is played, and where."""
    voice.say("about", style="faint")
    voice.line()
    voice.say("title", style="strong", name=item["name"], summary=item["summary"])
    for line in voice.words["rules"]:
        voice.line(line)
    voice.line()
    key = "server" if speed > 1 else "server-real"
    voice.say(key, style="faint", url=url, speed=round(speed))


def seat_them(voice: Voice, table: Table) -> None:
    """The table is full, and every player introduced."""
    names = [device.name for device in table.devices]
    voice.say("keys", count=voice.number(len(names)))
    voice.say("room", host=names[0], code=table.code)
    table.sit()
    values = dict(zip(names, voice.words["entropy"], strict=False))
    given = {name: value for name, value in values.items() if value and table.script.entropies}
    if table.script.entropies:
        commitment = table.host.view["room"]["next_commitment"]
        voice.say("sealed", commitment=commitment)
    kinds = [{"ed25519": "Ed25519", "p256": "P-256"}[device.kind] for device in table.devices]
    tempers = table.script.tempers()
    if not tempers:
        voice.row([f"{name} ({kind})" for name, kind in zip(names, kinds, strict=True)], indent=2)
    for name, kind, temper in zip(names, kinds, tempers, strict=False):
        about = [temper]
        if name in given:
            about.append(voice.words["adds"].format(value=given[name]))
        voice.line(f"  {name:7} {kind:8} {'; '.join(about)}")
    table.give(given)
    voice.say("start", host=names[0])


def standings(voice: Voice, view: View) -> None:
    """Who came where; a common score is told by the game itself."""
    names = {each["seat"]: each["name"] for each in view["room"]["members"]}
    outcome = view["match"]["outcome"]
    if outcome["status"] != "completed":
        voice.line()
        voice.say("interrupted", style="bad")
    if not outcome["standings"]:
        return
    voice.line()
    voice.say("standings", style="strong")
    for each in outcome["standings"]:
        key = "position" if each["points"] is None else "position-points"
        row = voice.text(
            key, position=each["position"], name=names[each["seat"]], points=each["points"]
        )
        voice.line(f"  {row}")
    winners = [names[seat] for seat in outcome["winners"]]
    if winners:
        form = voice.words["won"]["one" if len(winners) == 1 else "other"]
        voice.show(form.format(names=voice.listed(winners)))


if __name__ == "__main__":
    sys.exit(main())
