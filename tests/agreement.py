"""What the app says, held against its OpenAPI document: nothing undocumented, nothing missing."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from chalicelib import gateway
from chalicelib.endpoints import RELEASE
from chalicelib.openapi import document
from chalicelib.routes import ROUTES
from tests.world import Reply

URN = "urn:document"


class Contract:
    """A document whose answers are closed: a field that it does not name is a fault. To a client
    answers are open, since they may grow."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = copy.deepcopy(document)
        for name, schema in self._document["components"]["schemas"].items():
            if "properties" in schema and name != "Document":
                schema.setdefault("additionalProperties", False)
        self._methods = {
            path: [method.upper() for method in operations]
            for path, operations in self._document["paths"].items()
        }
        resource = Resource.from_contents(self._document, default_specification=DRAFT202012)
        registry: Registry[Any] = Registry().with_resource(URN, resource)
        self._validator = cache(
            lambda ref: Draft202012Validator({"$ref": f"{URN}{ref}"}, registry=registry)
        )

    def schema_faults(self, name: str, value: Any) -> list[str]:
        """Where `value` is not what the schema of this name says."""
        return [
            f"{each.json_path}: {each.message[:300]}"
            for each in self._validator(f"#/components/schemas/{name}").iter_errors(value)
        ]

    def faults(self, method: str, path: str, reply: Reply) -> list[str]:
        """What the document does not say of this answer."""
        said: Any = json.loads(reply.text) if reply.text else None
        template = gateway.rest_event(
            {
                "rawPath": path.partition("?")[0],
                "requestContext": {"http": {"method": method}},
            },
            self._methods,
        )["requestContext"]["resourcePath"]
        if template == gateway.OWN:
            return self.schema_faults("Problem", said)
        operation = self._document["paths"][template][method.lower()]
        answer: Any = self._resolved(operation["responses"].get(str(reply.status)))
        if answer is None:
            return [f"{reply.status} is not an answer of {method} {template}"]
        faults = [
            f"the header {name} is not told of"
            for name in reply.headers
            if name not in ("Content-Type", "X-Request-Id")
            and not name.startswith("Access-Control-")
            and name not in answer.get("headers", {})
        ]
        kind: Any = reply.headers.get("Content-Type")
        if "content" not in answer:
            return faults + (["there is a body"] if reply.text else [])
        if kind not in answer["content"]:
            return [*faults, f"{kind} is not told of"]
        if "x-codes" in answer and said["code"] not in answer["x-codes"]:
            faults.append(f"{said['code']} is not a code of {method} {template}")
        name = answer["content"][kind]["schema"]["$ref"].rpartition("/")[2]
        return faults + self.schema_faults(name, said)

    def check(self, method: str, path: str, reply: Reply) -> None:
        faults = self.faults(method, path, reply)
        assert not faults, f"{method} {path}: {faults}\n{reply.text[:2_000]}"

    def _resolved(self, answer: Any) -> Any:
        if answer is None or "$ref" not in answer:
            return answer
        return self._document["components"]["responses"][answer["$ref"].rpartition("/")[2]]


@cache
def contract() -> Contract:
    """That of the routes as they are."""
    return Contract(document(ROUTES, RELEASE))
