"""A signing client: what an app does, in the shortest form that is complete."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

from .device import Device

TIMEOUT_SECONDS = 30


class Reply(NamedTuple):
    """An answer; `body` is the parsed JSON, None where there is none."""

    status: int
    body: Any
    headers: Mapping[str, str]


class Through(HTTPAdapter):
    """Connects to one address, whatever host a request is for: as a proxy would, by its name."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> Any:
        parts = urlsplit(request.url or "")
        request.headers["Host"] = parts.netloc
        request.url = self._address + (request.path_url or "/")
        return super().send(request, *args, **options)


class Client:
    """One device against one server, which is reached at its URL or else `through` another
    address, as the stages of an emulator are."""

    def __init__(
        self, url: str, device: Device | None = None, locale: str = "en", *, through: str = ""
    ) -> None:
        self.url = url
        self.device = device or Device()
        self.locale = locale
        self._http = requests.Session()
        if through:
            self._http.mount(url, Through(through))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        etag: str | None = None,
    ) -> Reply:
        """The answer to a signed request. A POST gets a fresh idempotency key unless told one:
        send the same again after a time-out, and the answer is the same."""
        raw = None if body is None else json.dumps(body).encode()
        if method == "POST":
            key = key or uuid.uuid4().hex
        url = self.url + path
        headers = self.device.sign(method, url, raw, key, created=int(time.time()))
        headers["Accept-Language"] = self.locale
        if etag is not None:
            headers["If-None-Match"] = etag
        answer = self._http.request(method, url, data=raw, headers=headers, timeout=TIMEOUT_SECONDS)
        return Reply(answer.status_code, answer.json() if answer.content else None, answer.headers)

    def act(self, code: str, action: Mapping[str, Any], decision: int | None = None) -> Reply:
        """The answer to one action in a room."""
        body: dict[str, Any] = {"action": dict(action)}
        if decision is not None:
            body["decision"] = decision
        return self.call("POST", f"/v1/rooms/{code}/actions", body)
