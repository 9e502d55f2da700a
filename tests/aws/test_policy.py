"""The roles may do what the code does, and no more. `make e2e` shows that it is enough: its
emulator enforces them."""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

ROOT: Final = Path(__file__).parents[2]
WHOSE: Final = {
    "DynamoRooms": ("dynamodb", "RoomsTable"),
    "DynamoPlayers": ("dynamodb", "PlayersTable"),
    "LambdaBeat": ("lambda", "Beat"),
    "SnsPush": ("sns", "push"),
}
"""The classes that call AWS: which service, and which resource of the stack."""
ACTIONS: Final = {"invoke": "InvokeFunction"}
"""Calls whose action has another name."""
STEPS: Final = {"Put": "PutItem", "Update": "UpdateItem", "ConditionCheck": "ConditionCheckItem"}
"""A transaction needs what its steps need."""
LOGS: Final = {
    ("logs:CreateLogStream", "logs"),
    ("logs:PutLogEvents", "logs"),
}
"""What Lambda itself does in the function's name."""

Grant = tuple[str, str]


def calls() -> set[Grant]:
    """(action, resource) of every call of AWS in the adapters."""
    found: set[Grant] = set()
    for file in (ROOT / "chalicelib" / "adapters").glob("*.py"):
        module = importlib.import_module(f"chalicelib.adapters.{file.stem}")
        for kind in ast.walk(ast.parse(file.read_text())):
            if isinstance(kind, ast.ClassDef) and kind.name in WHOSE:
                service, resource = WHOSE[kind.name]
                found |= {
                    (f"{service}:{action}", resource + index)
                    for action, index in _calls(kind, module)
                }
    return found


def _calls(kind: ast.ClassDef, module: Any) -> set[Grant]:
    found: set[Grant] = set()
    for node in ast.walk(kind):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if ast.unparse(node.func.value) != "self._client":
            continue
        name = node.func.attr
        if name == "transact_write_items":
            steps = {each.value for each in ast.walk(kind) if isinstance(each, ast.Constant)}
            found |= {(action, "") for step, action in STEPS.items() if step in steps}
            continue
        indexes = [each.value for each in node.keywords if each.arg == "IndexName"]
        index = "/index/" + getattr(module, ast.unparse(indexes[0])) if indexes else ""
        camel = "".join(part.capitalize() for part in name.split("_"))
        found.add((ACTIONS.get(name, camel), index))
    return found


def granted(policy: str) -> set[Grant]:
    """(action, resource) of every statement."""
    document = json.loads((ROOT / ".chalice" / f"policy-{policy}.json").read_text())
    found: set[Grant] = set()
    for statement in document["Statement"]:
        if "Fn::If" in statement:
            statement = statement["Fn::If"][1]
        assert statement["Effect"] == "Allow"
        found |= {(action, _named(statement["Resource"])) for action in statement["Action"]}
    return found


def _named(resource: Any) -> str:
    """Which resource of the stack a statement is about."""
    if isinstance(resource, list):
        assert all("Fn::If" in each for each in resource)
        return "push"
    if "Fn::Sub" in resource:
        text: str = resource["Fn::Sub"]
        return text.replace("${", "").replace(".Arn}", "")
    logical, attribute = resource["Fn::GetAtt"]
    assert attribute == "Arn"
    return "logs" if logical.endswith("Logs") else str(logical)


def test_together_the_functions_may_do_exactly_what_the_code_does() -> None:
    assert granted("api") | granted("beat") == calls() | LOGS


def test_the_beat_may_start_itself_where_there_are_lanes_and_nobody_else() -> None:
    stack = yaml.safe_load((ROOT / "infra" / "aws" / "stack.yaml").read_text())
    policy = stack["Resources"]["BeatStartsLanes"]
    assert policy["Condition"] == "HasLanes"
    assert policy["Properties"]["Roles"] == [{"Ref": "BeatRole"}]
    [statement] = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["lambda:InvokeFunction"]
    assert _named(statement["Resource"]) == "Beat"


def test_the_beat_may_not_wake_anybody_nor_look_at_lobby_ladder_or_devices_to_come() -> None:
    more = granted("beat") - granted("api")
    assert more == {("dynamodb:Query", "RoomsTable/index/due")}
    less = granted("api") - granted("beat")
    assert ("lambda:InvokeFunction", "Beat") in less
    assert ("sns:CreatePlatformEndpoint", "push") in less


def test_nothing_is_granted_by_a_wildcard_that_could_be_named() -> None:
    """Endpoints of push are made while the stack runs: below their application's name."""
    for policy in ("api", "beat"):
        text = (ROOT / ".chalice" / f"policy-{policy}.json").read_text()
        for line in text.splitlines():
            assert "*" not in line.replace("${Endpoints}/*", "")
