"""What is looked up now and then: the own and the public rooms, the rules of a game, and why
something was refused."""

from __future__ import annotations

from typing import Any

from ..client import Reply
from .commands import game_called
from .offers import Offers
from .text import Section
from .wire import problem, retry_after_ms
from .words import Words


def rooms(mine: Any, listed: Any, words: Words) -> list[Section]:
    """From GET /v1/me/rooms and GET /v1/rooms."""
    own = [
        _row(each, words.named("rooms", "move" if each["your_move"] else each["status"]), words)
        for each in _items(mine)
    ]
    public = []
    for each in _items(listed):
        players = words.text(
            "rooms-players",
            players=each["players"],
            seats=each["seats"],
            host=each["host_name"],
        )
        public.append(_row(each, players, words))
    none = (f"  {words.text('rooms-none')}",)
    return [
        Section("mine", words.text("rooms-mine"), tuple(own) or none),
        Section("public", words.text("rooms-public"), tuple(public) or none),
    ]


def _items(body: Any) -> Any:
    return body.get("items", ()) if isinstance(body, dict) else ()


def _row(each: Any, what: str, words: Words) -> str:
    game = words.named("game", each["game"])
    return f"  {words.text('rooms-row', code=each['code'], game=game, what=what)}"


def rules_path(typed: str, here: str, offers: Offers) -> str:
    """Where the rules of the typed game are, or else of the one that is played here."""
    game = game_called(typed, offers) or here or next(iter(offers), "")
    return f"/v1/games/{game}/rules"


def rules(body: Any) -> list[Section]:
    sections = body.get("sections", ()) if isinstance(body, dict) else ()
    return [
        Section(
            f"rules-{each['number']}",
            f"{each['number']}. {each['title']}",
            tuple(f"  {line}" for line in each["text"].splitlines()),
        )
        for each in sections
    ]


def refusal(reply: Reply, words: Words, offers: Offers) -> list[str]:
    """In the server's words, where it has any."""
    told = problem(reply)
    if "title" not in told:
        return [words.text("refused-status", status=reply.status)]
    said = [words.text("refused", title=told["title"], detail=told.get("detail", ""))]
    titles = {name: each.title for game in offers.values() for name, each in game.settings.items()}
    for each in told.get("errors", ()):
        name = each["pointer"].rpartition("/")[2]
        field = titles.get(name) or words.named("field", name)
        said.append(words.text("refused-place", field=field, detail=each["detail"]))
    if wait := retry_after_ms(reply):
        said.append(words.text("in-seconds", seconds=-(-wait // 1_000)))
    return said
