"""The Chalice app: routes and the beat's schedule, wired to what decides."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from chalice.app import Chalice, CloudWatchEvent, Rate, Request, Response

from chalicelib import gateway, http
from chalicelib.adapters.beat import LambdaBeat, NoBeat
from chalicelib.adapters.dynamo import DynamoPlayers, DynamoRooms
from chalicelib.adapters.system import SystemChance, SystemClock
from chalicelib.routes import ROUTES
from chalicelib.service import Service

METHODS: dict[str, list[str]] = {}
for _route in ROUTES:
    METHODS.setdefault(_route.path, []).append(_route.method)


class Sobremesa(Chalice):
    """Chalice behind any gateway; `service` makes the use cases when first needed."""

    service: Callable[[], Service]

    def __call__(self, event: Any, context: Any) -> Any:
        return super().__call__(gateway.rest_event(event, METHODS), context)


@cache
def _service() -> Service:
    import boto3

    dynamo = boto3.client("dynamodb")
    function = os.environ.get("BEAT_FUNCTION")
    return Service(
        rooms=DynamoRooms(dynamo, os.environ["ROOMS_TABLE"]),
        players=DynamoPlayers(dynamo, os.environ["PLAYERS_TABLE"]),
        clock=SystemClock(int(os.environ.get("SPEED", "1"))),
        chance=SystemChance(),
        beating=LambdaBeat(boto3.client("lambda"), function) if function else NoBeat(),
    )


app = Sobremesa(app_name="sobremesa")
app.service = _service


def _request() -> Request:
    request = app.current_request
    assert request is not None
    return request


def _endpoint(route: http.Route) -> Callable[..., Response]:
    def endpoint(**parameters: str) -> Response:
        return http.answer(route, app.service(), _request())

    endpoint.__name__ = route.run.__name__
    return endpoint


for _route in ROUTES:
    app.route(_route.path, methods=[_route.method], content_types=["*/*"])(_endpoint(_route))


@app.route(gateway.OWN, methods=["GET"], content_types=["*/*"])
def unmatched(unmatched: str) -> Response:
    allowed = _request().to_original_event()["allowed"]
    return http.unmatched(unmatched, allowed, app.service(), _request())


@app.schedule(Rate(1, unit=Rate.MINUTES))
def beat(event: CloudWatchEvent) -> int:
    """Fires what falls due while any match is live; stays until its successor has come."""
    return app.service().beat(woken=event.detail_type == "wake", seconds=BEAT_SECONDS)


BEAT_SECONDS = 150
"""The next one comes after 60, so two may fail to; then the function's own limit is near."""
