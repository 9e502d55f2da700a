"""What is told of an invocation: one JSON line, with its metrics in it (CloudWatch's embedded
metric format, which needs no call).

The use cases log as everybody does; `extra={"metric": NAME}` makes a record a count instead of a
line, and `value` a measurement. No body, header, key, name or address is ever told, and of an
exception only its type and where it was, since its message may quote what it should not.
"""

from __future__ import annotations

import logging
import re
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final, TextIO

from pythonjsonlogger.json import JsonFormatter

METRICS: Final[Mapping[str, str]] = {
    "ActionsAccepted": "Count",
    "ActionsRefused": "Count",
    "Conflicts": "Count",
    "Failures": "Count",
    "BeatLateness": "Milliseconds",
    "PushFailures": "Count",
    "MatchesFinished": "Count",
    "Reports": "Count",
}
"""Every metric there is, none with a dimension: each value of one bills as a metric of its own."""
ACTIONS: Final = "/v1/rooms/{code}/actions"
SAMPLE: Final = 50
"""One in so many refusals that cost a caller nothing is told: a flood must not fill the log."""
SAMPLED: Final = (401, 404, 405, 413, 415, 429)
MOST_VALUES: Final = 100
"""Measurements that one line can hold."""
FLUSH_SECONDS: Final = 30.0
CODE: Final = re.compile(r'\{"type":"urn:sobremesa:problem:([a-z-]+)"')


class Line(JsonFormatter):
    """A record as one line of JSON."""

    def __init__(self) -> None:
        super().__init__(
            ["levelname"],
            rename_fields={"levelname": "level", "exc_info": "exception"},
            timestamp=True,
            json_ensure_ascii=False,
        )

    def formatException(self, ei: Any) -> str:  # noqa: N802  # the base's name
        """Where, innermost last, and the types from the first cause on."""
        kinds: list[str] = []
        error = ei[1]
        while error is not None and len(kinds) < 5:
            response = getattr(error, "response", None)  # AWS's own word, such as AccessDenied
            code = response.get("Error", {}).get("Code", "") if isinstance(response, dict) else ""
            kinds.insert(0, type(error).__name__ + (f" {code}" if code else ""))
            error = error.__cause__ or error.__context__
        frames = traceback.extract_tb(ei[2])[-12:]
        places = [f"{each.filename.split('/')[-1]}:{each.lineno}" for each in frames]
        return f"{' > '.join(kinds)} at {' '.join(places)}"


class Telemetry(logging.Handler):
    """The handler of the app's logger while it runs on Lambda, where one invocation follows
    another. `draw` gives a number from 0 up to 1."""

    def __init__(self, stage: str, stream: TextIO, draw: Callable[[], float]) -> None:
        super().__init__()
        self._namespace = f"Sobremesa/{stage}"
        self._stream = stream
        self._draw = draw
        self.setFormatter(Line())
        self._forget("")

    def watch(self, dynamo: Any) -> None:
        """The units that calls of this client consume are counted."""
        events = dynamo.meta.events
        events.register("provide-client-params.dynamodb", _asking)
        events.register("after-call.dynamodb", self._consumed)

    def request(self, event: Mapping[str, Any], id_: str, run: Callable[[], Any]) -> Any:
        """The answer that `run` gives to `event`, told unless it says that nothing is new."""
        self._forget(id_)
        began = time.perf_counter()
        answer = run()
        milliseconds = (time.perf_counter() - began) * 1_000
        status, route = answer["statusCode"], event["requestContext"]["resourcePath"]
        fields: dict[str, Any] = {
            "route": f"{event['requestContext']['httpMethod']} {route}",
            "status": status,
            "ms": round(milliseconds, 1),
        }
        if status >= 400:
            code = CODE.match(answer["body"] or "")
            fields["code"] = code[1] if code else "internal"
        if route == ACTIONS:
            if status == 200 and "Idempotency-Replayed" not in answer["headers"]:
                self._count("ActionsAccepted", 1)
            elif status in (403, 409, 422):
                self._count("ActionsRefused", 1)
        untold = status == 304
        if status in SAMPLED:
            fields["sampled"] = SAMPLE
            untold = self._draw() * SAMPLE >= 1
        if not untold:
            self._tell(fields)
        elif self._metrics:  # what happened on the way counts all the same
            self._tell({})
        return answer

    def beat(self, id_: str, run: Callable[[], int]) -> int:
        """How many rooms `run` says to have fired; told unless there were none."""
        self._forget(id_)
        began = time.perf_counter()
        fired = run()
        if fired or self._metrics:
            self._tell({"fired": fired, "ms": round((time.perf_counter() - began) * 1_000)})
        return fired

    def emit(self, record: logging.LogRecord) -> None:
        metric: str = getattr(record, "metric", "")
        if metric in METRICS:
            self._count(metric, getattr(record, "value", 1))
        if record.levelno >= logging.ERROR:
            self._count("Failures", 1)
        if metric not in METRICS or record.levelno > logging.INFO:
            line = {"message": record.getMessage(), "request_id": self._id}
            told = {"levelname": record.levelname, "exc_info": record.exc_info, "msg": line}
            self._write(logging.makeLogRecord(told))

    def _count(self, metric: str, value: float) -> None:
        values = self._metrics.setdefault(metric, [])
        if METRICS[metric] == "Count":
            values[:] = [sum(values) + value]
        else:
            values.append(value)
        old = time.perf_counter() - self._since > FLUSH_SECONDS
        if len(values) >= MOST_VALUES or old:
            self._tell({})

    def _tell(self, fields: dict[str, Any]) -> None:
        extra = {"request_id": self._id, **fields}
        for kind, units in self._units.items():
            if units:
                extra[kind] = units
        if self._metrics:
            extra |= {name: v[0] if len(v) == 1 else v for name, v in self._metrics.items()}
            metrics = [{"Name": name, "Unit": METRICS[name]} for name in self._metrics]
            directive = {"Namespace": self._namespace, "Dimensions": [[]], "Metrics": metrics}
            now = int(time.time() * 1_000)
            extra["_aws"] = {"Timestamp": now, "CloudWatchMetrics": [directive]}
        self._write(logging.makeLogRecord({"levelname": "INFO", "msg": extra}))
        self._forget(self._id)

    def _write(self, record: logging.LogRecord) -> None:
        self._stream.write(f"{self.format(record)}\n")
        self._stream.flush()

    def _forget(self, id_: str) -> None:
        self._id = id_
        self._units = {"read_units": 0.0, "write_units": 0.0}
        self._metrics: dict[str, list[float]] = {}
        self._since = time.perf_counter()

    def _consumed(self, model: Any, parsed: Mapping[str, Any], **_: Any) -> None:
        capacity = parsed.get("ConsumedCapacity", [])
        for each in capacity if isinstance(capacity, list) else [capacity]:
            kind = "read_units" if model.name in READING else "write_units"
            self._units[kind] += each.get("CapacityUnits", 0.0)


READING: Final = ("GetItem", "Query", "BatchGetItem")


def _asking(params: dict[str, Any], **_: Any) -> None:
    params["ReturnConsumedCapacity"] = "TOTAL"
