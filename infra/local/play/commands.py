"""From a typed line to a request, or to something that this client does by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from .offers import Offers, settings_of
from .screen import GAMES, present
from .seats import Action, Bad, View, still_in
from .text import plain
from .words import Words

LOCAL = ("look", "help", "name", "rooms", "rules", "save", "drop")
ANYWHERE = ("look", "help", "name", "open", "join", "rooms", "rules", "quit")


class Post(NamedTuple):
    """A request to be sent."""

    path: str
    body: dict[str, Any]
    warning: str = ""
    """What is said first, where it would cost more than it seems: then it takes a yes."""


class Local(NamedTuple):
    """Something that this client does by itself."""

    verb: str
    argument: str


class Wrong(NamedTuple):
    """A line that is neither; the sentence says what would be right."""

    text: str


class Where(NamedTuple):
    """What a line is read against."""

    words: Words
    offers: Offers
    view: View | None
    code: str
    name: str


def actions_path(code: str) -> str:
    return f"/v1/rooms/{code}/actions"


def available(where: Where) -> list[str]:
    """The verbs that make sense now, in the order of the help."""
    view = where.view
    if view is None:
        return list(ANYWHERE)
    match = view["match"]
    playing = match is not None and match["outcome"] is None
    game = GAMES.get(match["game"]) if still_in(view) else None
    moves = [verb for verb in where.words.commands if game is not None and verb in game.moves]
    return [*moves, *_of_the_room(view, playing=playing), *ANYWHERE]


def _of_the_room(view: View, *, playing: bool) -> list[str]:
    """What its members and, if that is who looks, its host can do now."""
    room, here = view["room"], present(view)
    verbs = ["leave", "observe"]
    verbs += ["entropy"] if not playing else []
    verbs += ["save"] if view["match"] is not None else []
    if not view["you"]["host"]:
        return ["claim-host", *verbs]
    own = ["continue"] if playing else ["start", "game", "set", "add-bot"]
    own += ["remove-bot"] if not playing and any(each["bot"] for each in here) else []
    own += ["kick", "promote"] if sum(not each["bot"] for each in here) > 1 else []
    own.append("private" if room["visibility"] == "public" else "public")
    own.append("unlock" if room["locked"] else "lock")
    return [*own, *verbs]


def parse(line: str, where: Where) -> Post | Local | Wrong:
    """What the line asks for."""
    line = line.strip()
    first, _, rest = line.partition(" ")
    verb, rest = where.words.verb(first) if first else "look", rest.strip()
    if verb and rest and " " not in where.words.commands[verb]["usage"]:
        return _usage(verb, where)
    if verb == "rules" and rest and game_called(rest, where.offers) is None:
        return _which_game(where)
    if verb in LOCAL:
        return Local(verb, rest)
    if verb == "open":
        return _open(rest, where)
    if verb == "join" and (rest or not where.code):
        if not rest.isascii() or not rest.isalnum():
            return _usage("join", where)
        action = {"type": "join", **({"name": where.name} if where.name else {})}
        warning = "" if rest.upper() == where.code else _elsewhere(where)
        return Post(actions_path(rest.upper()), {"action": action}, warning)
    if where.view is None:
        return Wrong(where.words.text("how-outside" if verb else "how-unknown"))
    found: Action | Bad | Wrong | None
    found = ROOM[verb](rest, where) if verb in ROOM else _move(verb, line, where.view)
    if found is None:
        return Wrong(where.words.text("how-no-match" if verb else "how-unknown"))
    if isinstance(found, Wrong):
        return found
    if isinstance(found, Bad):
        return Wrong(where.words.text(found.key))
    body: dict[str, Any] = {"action": found}
    if (verb not in ROOM or verb == "continue") and where.view["match"] is not None:
        body["decision"] = where.view["match"]["decision"]
    return Post(actions_path(where.code), body, _at_stake(verb, where))


def _at_stake(verb: str | None, where: Where) -> str:
    """What giving up the seat means, while it is worth something."""
    view = where.view
    if verb not in ("leave", "observe") or view is None or not still_in(view):
        return ""
    deadly = view["match"]["game"] == "liars-dice"
    return where.words.text("sure-death" if deadly else "sure-seat")


def _elsewhere(where: Where) -> str:
    """What going to another room means."""
    return where.words.text("sure-elsewhere", code=where.code) if where.code else ""


def _move(verb: str | None, line: str, view: View) -> Action | Bad | None:
    """The game's action; None if there is no match for it, or if it is no move at all."""
    match = view["match"]
    if match is None or match["outcome"] is not None or match["game"] not in GAMES:
        return None
    game = GAMES[match["game"]]
    words = line.split()
    if verb is None:
        looks_like_one = all(len(each) < 3 for each in words)
        return game.move("", words, view) if looks_like_one else None
    return game.move(verb, words[1:], view) if verb in game.moves else None


def _usage(verb: str, where: Where) -> Wrong:
    return Wrong(where.words.text("how-usage", usage=where.words.commands[verb]["usage"]))


def _open(rest: str, where: Where) -> Post | Wrong:
    words = rest.split()
    visibility = "private"
    if len(words) > 1 and (last := where.words.verb(words[-1])) in ("public", "private"):
        visibility, words = last, words[:-1]
    game = game_called(" ".join(words), where.offers)
    if game is None:
        return _which_game(where)
    body = {"game": game, "visibility": visibility}
    named = {"name": where.name} if where.name else {}
    return Post("/v1/rooms", body | named, _elsewhere(where))


def game_called(text: str, known: Offers) -> str | None:
    """The one game whose key or name begins like this."""
    wanted = plain(text)
    found = [
        key
        for key, offer in known.items()
        if wanted and (plain(key).startswith(wanted) or plain(offer.name).startswith(wanted))
    ]
    return found[0] if len(found) == 1 else None


def _which_game(where: Where) -> Wrong:
    names = ", ".join(f"{key} ({offer.name})" for key, offer in where.offers.items())
    return Wrong(where.words.text("how-game", games=names))


# --- what is asked of the room -------------------------------------------------------------------

Ask: TypeAlias = Callable[[str, Where], Action | Wrong]


def _simply(**action: Any) -> Ask:
    """An action that takes nothing that is typed."""

    def ask(rest: str, where: Where) -> Action | Wrong:
        return dict(action)

    return ask


def _start(rest: str, where: Where) -> Action | Wrong:
    assert where.view is not None
    return {"type": "start", "match": where.view["room"]["match_number"] + 1}


def _game(rest: str, where: Where) -> Action | Wrong:
    game = game_called(rest, where.offers)
    return _which_game(where) if game is None else {"type": "configure", "game": game}


def _set(rest: str, where: Where) -> Action | Wrong:
    assert where.view is not None
    settings = settings_of(where.view["room"]["game"], where.offers)
    called, _, typed = rest.rpartition(" ")
    wanted = plain(called)
    found = [
        name
        for name, each in settings.items()
        if wanted and (name == wanted or plain(each.title).startswith(wanted))
    ]
    if len(found) != 1:
        titles = ", ".join(each.title for each in settings.values())
        return Wrong(where.words.text("how-setting", settings=titles or "—"))
    title, kind = settings[found[0]]
    value = _value(kind, typed, where.words)
    if value is None:
        kind = where.words.named("kind", kind)
        return Wrong(where.words.text("how-value", name=title, kind=kind))
    return {"type": "configure", "settings": {found[0]: value}}


def _value(kind: str, typed: str, words: Words) -> bool | int | str | None:
    """The typed value as the setting's type; None if it is none."""
    said = plain(typed)
    if kind == "boolean":
        yes, no = ("on", "true"), ("no", "off", "false")
        return True if words.is_yes(typed) or said in yes else False if said in no else None
    if kind == "integer":
        return int(said) if said.isascii() and said.isdigit() and len(said) < 7 else None
    return typed or None


def _entropy(rest: str, where: Where) -> Action | Wrong:
    return {"type": "entropy", "value": rest} if rest else _usage("entropy", where)


def _member(kind: str, *, bot: bool) -> Ask:
    """An action about somebody, by name or by number in the room's list."""

    def ask(rest: str, where: Where) -> Action | Wrong:
        assert where.view is not None
        found = _called(rest, present(where.view))
        if found is None or found["bot"] != bot:
            return Wrong(where.words.text("how-member"))
        return {"type": kind, "player_id": found["player_id"]}

    return ask


def _called(text: str, members: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    named = [each for each in members if plain(each["name"]) == plain(text)]
    if len(named) == 1:
        return named[0]
    numbered = {str(n): each for n, each in enumerate(members, 1)}
    return numbered.get(text)


ROOM: Mapping[str | None, Ask] = {
    **{kind: _simply(type=kind) for kind in ("join", "leave", "observe", "claim-host", "add-bot")},
    "continue": _simply(type="continue"),
    "entropy": _entropy,
    "start": _start,
    "game": _game,
    "set": _set,
    "public": _simply(type="configure", visibility="public"),
    "private": _simply(type="configure", visibility="private"),
    "lock": _simply(type="configure", locked=True),
    "unlock": _simply(type="configure", locked=False),
    "remove-bot": _member("remove-bot", bot=True),
    "kick": _member("kick", bot=False),
    "promote": _member("promote", bot=False),
}
