"""Every endpoint: one table, which `app.py` wires and the OpenAPI document is made from."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from . import endpoints as does
from .http import Answer, Call, Route


def openapi(call: Call) -> Answer:
    """This document

    OpenAPI 3.1, made from the models and the table of routes that the service runs on.
    """
    return Answer(200, _document())


@cache
def _document() -> str:
    from .openapi import document  # what serves a poll does not pay for it

    return json.dumps(document(ROUTES, does.RELEASE), ensure_ascii=False, separators=(",", ":"))


LIST: Final = ("limit", "cursor")
OF_A_ROOM: Final = (
    *("not-seated", "not-host", "stale-decision", "stale-request", "not-your-turn"),
    *("already-answered", "too-early", "room-full", "room-locked", "too-few-players"),
    *("match-running", "no-match", "wrong-game", "invalid-action", "illegal-action"),
    "idempotency-key-reused",
)

ROUTES: Final = (
    Route(method="GET", path="/v1/health", run=does.health, gives="Health"),
    Route(method="GET", path="/v1/openapi.json", run=openapi, gives="Document", catalogue=True),
    Route(method="GET", path="/v1/games", run=does.games, gives="Games", catalogue=True),
    Route(
        method="GET",
        path="/v1/games/{game}/rules",
        run=does.rules,
        gives="RulesPage",
        catalogue=True,
    ),
    Route(
        method="GET",
        path="/v1/games/liars-dice/odds",
        run=does.odds,
        gives="Odds",
        query=("unknown_dice",),
        catalogue=True,
    ),
    Route(method="GET", path="/v1/leaderboard", run=does.ladder, gives="Leaderboard", query=LIST),
    Route(method="GET", path="/v1/players/{player_id}", run=does.read_player, gives="Player"),
    Route(
        method="POST",
        path="/v1/players/{player_id}/reports",
        run=does.report_player,
        gives="Reported",
        status=201,
        takes="Report",
        codes=("illegal-action",),
        signed=True,
    ),
    Route(method="GET", path="/v1/rooms", run=does.lobby, gives="Lobby", query=("game", *LIST)),
    Route(
        method="POST",
        path="/v1/rooms",
        run=does.create_room,
        gives="View",
        status=201,
        takes="NewRoom",
        codes=("not-found", "stale-request", "illegal-action", "idempotency-key-reused"),
        signed=True,
    ),
    Route(method="GET", path="/v1/rooms/{code}", run=does.read_room, gives="View", signed=True),
    Route(
        method="POST",
        path="/v1/rooms/{code}/actions",
        run=does.act,
        gives="Acted",
        takes="ActionRequest",
        codes=OF_A_ROOM,
        signed=True,
    ),
    Route(
        method="GET",
        path="/v1/rooms/{code}/matches/{n}",
        run=does.read_match,
        gives="Record",
        signed=True,
    ),
    Route(method="GET", path="/v1/me", run=does.read_me, gives="Me", signed=True),
    Route(
        method="PATCH",
        path="/v1/me",
        run=does.change_me,
        gives="Me",
        takes="ProfileChange",
        codes=("stale-request",),
        signed=True,
    ),
    Route(
        method="DELETE",
        path="/v1/me",
        run=does.forget_me,
        gives="",
        status=204,
        codes=("stale-request",),
        signed=True,
    ),
    Route(method="GET", path="/v1/me/rooms", run=does.my_rooms, gives="Inbox", signed=True),
    Route(
        method="GET",
        path="/v1/me/results",
        run=does.my_results,
        gives="Results",
        query=LIST,
        signed=True,
    ),
    Route(method="GET", path="/v1/me/export", run=does.my_export, gives="Export", signed=True),
    Route(
        method="PUT",
        path="/v1/me/push/{device_id}",
        run=does.put_device,
        gives="",
        status=204,
        takes="NewDevice",
        codes=("illegal-action", "stale-request"),
        signed=True,
    ),
    Route(
        method="DELETE",
        path="/v1/me/push/{device_id}",
        run=does.drop_device,
        gives="",
        status=204,
        codes=("stale-request",),
        signed=True,
    ),
)
