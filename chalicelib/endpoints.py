"""What each endpoint does (API.md, "Endpoints"). Docstrings are what its document says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from . import content, people
from .bodies import NewDevice, NewRoom, ProfileChange, Report
from .http import Answer, Call, Problem
from .kernel.errors import NotFound
from .kernel.faults import Fault, faults, one_of
from .kernel.model import Model
from .ports import Page, Profile
from .service import CODE_LENGTH, CODE_LETTERS, Seen

RELEASE: Final = "0.1.0"


DEVICE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
PLAYER: Final = re.compile(r"[a-z2-7]{26}")
USUAL: Final = 20
MOST: Final = 100


def _json(value: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _view_headers(seen: Seen) -> dict[str, str]:
    return {
        "ETag": seen.etag,
        "Server-Now": str(seen.server_now),
        "Poll-After-Ms": str(seen.poll_after_ms),
    }


# --- what is the same for everybody ------------------------------------------------------------


def health(call: Call) -> Answer:
    """Whether the service is up

    Also tells the time: `Server-Now` is the clock that deadlines go by.
    """
    return _json({"status": "ok", "release": RELEASE})


def games(call: Call) -> Answer:
    """The games, and what a host may set

    `settings` is a JSON schema with defaults, fit to make a form from.
    """
    items = []
    for game in call.service.games.values():
        words = content.of_game(game.key, call.words)["words"]
        items.append(
            {
                "game": game.key,
                "name": words["name"],
                "summary": words["summary"],
                "seats": {"min": game.seats.start, "max": game.seats.stop - 1},
                "settings": _form(game.Settings, words["settings"]),
            }
        )
    return _json({"items": items})


def _form(settings: type[Model], words: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The JSON schema, with title and description of each setting in the words of players."""
    schema = settings.model_json_schema(mode="validation")
    properties = {name: each | words[name] for name, each in schema["properties"].items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def rules(call: Call) -> Answer:
    """The rules page of a game

    In the words that players read, by `Accept-Language`.
    """
    game = call.path["game"]
    if game not in call.service.games:
        raise Problem("not-found")
    page = content.of_game(game, call.words)["words"]["rules"]
    return _json({"game": game, "title": page["title"], "sections": page["sections"]})


def odds(call: Call) -> Answer:
    """How likely a bid at liar's dice is

    For every number of dice that one does not see, ones wild and not.
    """
    from .games.liars_dice.odds import MOST_UNKNOWN, at_least, exactly

    asked = call.query.get("unknown_dice")
    if asked is None:
        rows = range(1, MOST_UNKNOWN + 1)
    else:
        known = {str(number): number for number in range(MOST_UNKNOWN + 1)}
        if asked not in known:
            raise Problem("bad-request", faults=(_between("?unknown_dice", 0, MOST_UNKNOWN),))
        rows = range(known[asked], known[asked] + 1)
    tables = [
        {
            "ones_wild": wild,
            "unknown_dice": unknown,
            "at_least": at_least(unknown, wild),
            "exactly": exactly(unknown, wild),
        }
        for wild in (True, False)
        for unknown in rows
    ]
    return _json({"tables": tables})


# --- rooms -------------------------------------------------------------------------------------


def create_room(call: Call) -> Answer:
    """Open a room and host it

    The same key and body give the same room for 24 hours, 404 if it is gone. 60 rooms an hour, and
    no more while in 75.
    """
    body = call.body_as(NewRoom)
    if body.game not in call.service.games:
        raise Problem("bad-request", faults=(one_of("/game", call.service.games),))
    try:
        seen, replayed = call.service.create(
            call.request,
            game=body.game,
            settings=body.settings,
            visibility=body.visibility,
            name=body.name,
            entropy=body.entropy or "",
            locale=call.locale,
        )
    except ValidationError as problem:
        raise Problem("bad-request", faults=faults(problem, "/settings")) from None
    headers = _view_headers(seen)
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return Answer(201, seen.body, headers)


def read_room(call: Call) -> Answer:
    """My view of a room

    Wait `Poll-After-Ms` before the next one, and send the ETag along: 304 means nothing moved.
    """
    seen = call.service.read(_code(call), call.player, call.locale)
    if call.etag is not None and {seen.etag, "*"} & {tag.strip() for tag in call.etag.split(",")}:
        return Answer(304, None, _view_headers(seen))
    return Answer(200, seen.body, _view_headers(seen))


def act(call: Call) -> Answer:
    """Do something in a room

    Everything from joining to bidding. Send the same again, key included, when in doubt.
    """
    done = call.service.act(_code(call), call.request, call.body, call.locale, call.source)
    receipt = done.receipt.model_dump_json()
    view = "null" if done.seen is None else done.seen.body
    headers = {} if done.seen is None else _view_headers(done.seen)
    if done.replayed:
        headers["Idempotency-Replayed"] = "true"
    return Answer(200, f'{{"receipt":{receipt},"view":{view}}}', headers)


def _code(call: Call) -> str:
    """The room's code as stored; what cannot be one costs no read."""
    code = call.path["code"].upper()
    if len(code) != CODE_LENGTH or not set(code) <= set(CODE_LETTERS):
        raise NotFound
    return code


# --- me ----------------------------------------------------------------------------------------


def read_me(call: Call) -> Answer:
    """My profile

    It exists for every key; whoever never set a name has none.
    """
    return _me(call, people.profile(call.service, call.player))


def change_me(call: Call) -> Answer:
    """Change my name or language

    Fields left out, or null, stay as they are.
    """
    body = call.body_as(ProfileChange)
    changes = Profile(name=body.name, locale=body.locale, created=call.signer.created)
    return _me(call, people.change_profile(call.service, call.player, changes))


def _me(call: Call, profile: Profile) -> Answer:
    return _json({**people.shown(call.player, profile), "locale": profile.locale})


def forget_me(call: Call) -> Answer:
    """Forget me

    Name, push tokens and history are erased; running matches stay playable for the others.
    """
    people.forget(call.service, call.player, call.signer.created)
    return Answer(204)


def my_rooms(call: Call) -> Answer:
    """My rooms

    Those where a move of mine is awaited come first.
    """
    return _json({"items": people.inbox(call.service, call.player), "next_cursor": None})


def my_results(call: Call) -> Answer:
    """My results

    Newest first.
    """
    return _page(call, lambda limit, at: people.results(call.service, call.player, limit, at))


def my_export(call: Call) -> Answer:
    """Everything kept about me

    As it is stored, for whoever wants to know.
    """
    return _json(people.export(call.service, call.player))


def put_device(call: Call) -> Answer:
    """Wake this device by push

    Several devices may share a key. 400 where its platform is not configured.
    """
    body = call.body_as(NewDevice)
    device = _device(call)
    created = call.signer.created
    if not people.register_device(
        call.service, call.player, created, device, body.platform, body.token
    ):
        raise Problem("bad-request", faults=(Fault("/platform", "no-push"),))
    return Answer(204)


def drop_device(call: Call) -> Answer:
    """No more push to this device

    Also where there was none.
    """
    people.drop_device(call.service, call.player, call.signer.created, _device(call))
    return Answer(204)


def _device(call: Call) -> str:
    if not DEVICE.fullmatch(call.path["device_id"]):
        raise Problem("not-found")
    return call.path["device_id"]


# --- others ------------------------------------------------------------------------------------


def lobby(call: Call) -> Answer:
    """Public rooms that can be joined

    Newest first within a game; a page may be short though more follow: go by `next_cursor`.
    """
    game = call.query.get("game")
    if game is not None and game not in call.service.games:
        raise Problem("bad-request", faults=(one_of("?game", call.service.games),))
    return _page(call, lambda limit, at: call.service.lobby(game, limit, at))


def ladder(call: Call) -> Answer:
    """The ladder of TEMPLE

    Best first; 10 ranked matches are needed.
    """
    return _page(call, lambda limit, at: people.ladder(call.service, limit, at))


def read_player(call: Call) -> Answer:
    """What everybody may know of a player

    A key that was never seen is a player without a name.
    """
    return _json(people.public(call.service, _player(call)))


def report_player(call: Call) -> Answer:
    """Report a name or conduct

    Stored and counted; one report of mine a day and player counts. Nobody reports themselves.
    """
    body = call.body_as(Report)
    people.report(call.service, call.player, _player(call), body.model_dump(exclude_none=True))
    return _json({"reported": _player(call)}, 201)


def read_match(call: Call) -> Answer:
    """A finished match

    For whoever played it. At liar's dice with all that is needed to check the dice.
    """
    number = call.path["n"]
    if not number.isascii() or not number.isdigit() or len(number) > 6:
        raise NotFound
    return _json(people.match(call.service, _code(call), int(number), call.player, call.words))


def _player(call: Call) -> str:
    if not PLAYER.fullmatch(call.path["player_id"]):
        raise NotFound
    return call.path["player_id"]


def _between(pointer: str, least: int, most: int) -> Fault:
    """A whole number of a query that is none, or out of its range."""
    return Fault(pointer, "between", {"least": least, "most": most})


def _page(call: Call, page: Callable[[int, str | None], Page]) -> Answer:
    """A list by `limit` and `cursor`."""
    limits = {str(number): number for number in range(1, MOST + 1)}
    asked = call.query.get("limit", str(USUAL))
    if asked not in limits:
        raise Problem("bad-request", faults=(_between("?limit", 1, MOST),))
    try:
        found = page(limits[asked], call.query.get("cursor"))
    except ValueError:
        raise Problem("bad-request", faults=(Fault("?cursor", "cursor"),)) from None
    return _json({"items": found.items, "next_cursor": found.cursor})
