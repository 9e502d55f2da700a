"""For Schemathesis: every request is signed, whatever it is made of; and a problem's code is one
of those that the document gives for the operation and status."""

from __future__ import annotations

import time
from typing import Any

import requests
import schemathesis
from requests.auth import AuthBase

from infra.local.device import Device

DEVICE = Device()


class Signature(AuthBase):
    """Over the request as it goes onto the wire; none over what cannot be signed."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        body: Any = request.body
        raw = body.encode() if isinstance(body, str) else body
        key = request.headers.get("Idempotency-Key")
        now = int(time.time())
        try:
            signed = DEVICE.sign(
                request.method or "", request.url or "", raw or None, key, created=now
            )
        except UnicodeEncodeError:
            return request
        signed.pop("Content-Type", None)
        request.headers.update(signed)
        return request


schemathesis.auth.set_from_requests(Signature())


@schemathesis.check  # type: ignore[untyped-decorator]
def code_is_documented(ctx: Any, response: Any, case: Any) -> None:
    """A problem's code is among the `x-codes` of the answer."""
    if response.status_code < 400 or case.method.upper() != case.operation.method.upper():
        return
    document = case.operation.schema.raw_schema
    responses = case.operation.definition.raw["responses"]
    answer = responses.get(str(response.status_code))
    assert answer is not None, f"{response.status_code} is not documented"
    if "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    assert response.json()["code"] in answer["x-codes"], response.text
