"""The Chalice app: routes and the beat's schedule, wired to what decides."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from chalice.app import Chalice, CloudWatchEvent, Rate, Request, Response

from chalicelib import beat as beats
from chalicelib import gateway, http
from chalicelib.adapters.beat import LambdaBeat, NoBeat
from chalicelib.adapters.dynamo import DynamoRooms
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.adapters.push import SnsPush
from chalicelib.adapters.system import SystemChance, SystemClock
from chalicelib.ports import FIRST_LANE
from chalicelib.routes import ROUTES
from chalicelib.service import Service

if TYPE_CHECKING:
    from botocore.config import Config

    from chalicelib.adapters.telemetry import Telemetry

METHODS: dict[str, list[str]] = {}
for _route in ROUTES:
    METHODS.setdefault(_route.path, []).append(_route.method)


class Sobremesa(Chalice):
    """Chalice behind any gateway; `service` makes the use cases when first needed."""

    service: Callable[[], Service]
    telemetry: Telemetry | None = None

    def __call__(self, event: Any, context: Any) -> Any:
        routed = gateway.rest_event(event, METHODS)
        run = partial(super().__call__, routed, context)
        if self.telemetry is None:
            return run()
        return self.telemetry.request(routed, context.aws_request_id, run)


class Client:
    """A client of an AWS service, made when first used: that takes a tenth of a second each."""

    def __init__(self, service: str) -> None:
        self._service = service

    @cached_property
    def _client(self) -> Any:
        import boto3

        return boto3.client(self._service, config=_patience())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@cache
def _patience() -> Config:
    """A call that hangs is given up and made again while the caller still waits, which conditional
    writes bear."""
    from botocore.config import Config

    retries: Any = {"mode": "standard", "total_max_attempts": 3}
    return Config(connect_timeout=1, read_timeout=2, retries=retries)


@cache
def _service() -> Service:
    import boto3

    setting = os.environ.get
    dynamo = boto3.client("dynamodb", config=_patience())
    if app.telemetry is not None:
        app.telemetry.watch(dynamo)
    # the beat starts itself in other lanes: a template cannot tell a function its own name
    beat_function = setting("BEAT_FUNCTION") or setting("AWS_LAMBDA_FUNCTION_NAME")
    said = json.loads(setting("PUSH_APPLICATIONS", "{}"))
    applications = {platform: arn for platform, arn in said.items() if arn}
    return Service(
        rooms=DynamoRooms(dynamo, os.environ["ROOMS_TABLE"]),
        players=DynamoPlayers(dynamo, os.environ["PLAYERS_TABLE"]),
        clock=SystemClock(int(setting("SPEED", "1")), int(setting("SPEED_SINCE", "0"))),
        chance=SystemChance(),
        beating=LambdaBeat(Client("lambda"), beat_function) if beat_function else NoBeat(),
        push=SnsPush(Client("sns"), applications),
        lanes=int(setting("LANES", "1")),
    )


app = Sobremesa(app_name="sobremesa", configure_logs=False)
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
    lane = event.detail.get("lane", FIRST_LANE)
    woken = event.detail_type == "wake"
    run = partial(beats.beat, app.service(), lane, woken=woken, seconds=BEAT_SECONDS)
    if app.telemetry is None:
        return run()
    return app.telemetry.beat(getattr(event.context, "aws_request_id", ""), run)


BEAT_SECONDS = 150
"""The next one comes after 60, so two may fail to while something is due; then the function's own
limit is near."""


def _on_lambda() -> None:
    """All is ready before the first request: while a function starts, Lambda gives it a whole
    processor."""
    from chalicelib.adapters.telemetry import Telemetry

    app.telemetry = Telemetry(os.environ["STAGE"], sys.stdout, SystemChance().jitter)
    app.log.addHandler(app.telemetry)
    app.log.setLevel(logging.INFO)
    app.log.propagate = False
    _service()


if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    _on_lambda()
