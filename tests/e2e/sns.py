"""Amazon SNS for the functions of a deployed stage.

The emulator's own will not do: it keeps no message, publishes to disabled endpoints too, and gives
endpoints ARNs that are not of AWS's form, so that no right policy allows anything on them. Moto's
is like AWS's in these, but knows no roles. So here it is behind HTTP, and every call is put to the
emulator's IAM first: may the role do this, as it was deployed? What nothing shows is AWS itself,
whether calls are signed rightly, and the way from SNS to a phone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import boto3
import requests
from moto import mock_aws

from tests.e2e.conftest import Aws

FUNCTIONS: Final = ("APIHandler", "Beat")
PLATFORMS: Final = {"fcm": "GCM", "apns-sandbox": "APNS_SANDBOX"}
TARGETS: Final = ("PlatformApplicationArn", "EndpointArn", "TargetArn")
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
DENIED: Final = (
    "<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code>"
    "<Message>The role does not allow that.</Message></Error></ErrorResponse>"
)


class Call(NamedTuple):
    """What a function asked for, when, and the status of the answer."""

    at: float
    function: str
    asked: dict[str, str]
    target: str
    status: int


class Sns(HTTPServer):
    """Platform applications, their endpoints, and all calls of functions, in order."""

    def __init__(self, aws: Aws) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.calls: list[Call] = []
        self._aws = aws
        self._iam = aws.client("iam")
        self._moto = boto3.client("sns", region_name=aws.environment["AWS_DEFAULT_REGION"])
        self._roles: dict[str, str] = {}

    def serve(self, stage: str) -> None:
        """The functions of the stage of this name call here, each by a path of its own."""
        cloudformation, functions = self._aws.client("cloudformation"), self._aws.client("lambda")
        for name in FUNCTIONS:
            [resource] = cloudformation.describe_stack_resources(
                StackName=f"sobremesa-{stage}", LogicalResourceId=name
            )["StackResources"]
            function = resource["PhysicalResourceId"]
            was = functions.get_function_configuration(FunctionName=function)
            self._roles[name] = was["Role"]
            url = f"http://127.0.0.1:{self.server_port}/{name}"
            variables = {**was["Environment"]["Variables"], "AWS_ENDPOINT_URL_SNS": url}
            functions.update_function_configuration(
                FunctionName=function, Environment={"Variables": variables}
            )
        cloudformation.close()
        functions.close()

    def answer(self, function: str, body: bytes) -> tuple[int, str]:
        asked = dict(parse_qsl(body.decode()))
        [target] = [asked[name] for name in TARGETS if name in asked]
        status, text = 403, DENIED
        if self.allows(function, asked["Action"], target):
            reply = requests.post(self._moto.meta.endpoint_url, body, headers=FORM, timeout=10)
            status, text = reply.status_code, reply.text
        self.calls.append(Call(time.time(), function, asked, target, status))
        return status, text

    def allows(self, function: str, action: str, target: str) -> bool:
        """AWS's documents name no resource for calls on an endpoint, and its refusals name the
        application: a role has to allow both."""
        resources = {target}
        if ":endpoint/" in target:
            resources.add(target.replace(":endpoint/", ":app/").rpartition("/")[0])
        return all(
            self._allowed(self._roles[function], f"sns:{action}", each) for each in resources
        )

    def _allowed(self, role: str, action: str, resource: str) -> bool:
        [found] = self._iam.simulate_principal_policy(
            PolicySourceArn=role, ActionNames=[action], ResourceArns=[resource]
        )["EvaluationResults"]
        return bool(found["EvalDecision"] == "allowed")

    def application(self, platform: str, name: str = "ours") -> str:
        """The ARN of a platform application, which is made if need be."""
        made = self._moto.create_platform_application(
            Name=name, Platform=PLATFORMS[platform], Attributes={"PlatformCredential": "x"}
        )
        return str(made["PlatformApplicationArn"])

    def endpoint(self, platform: str, token: str) -> Any:
        """The endpoint that holds the token, with its attributes; None if there is none."""
        page = self._moto.list_endpoints_by_platform_application(
            PlatformApplicationArn=self.application(platform)
        )
        found = [each for each in page["Endpoints"] if each["Attributes"]["Token"] == token]
        assert len(found) < 2
        return found[0] if found else None

    def disable(self, endpoint: str) -> None:
        """What SNS does when Google or Apple say that the token is no good any more."""
        self._moto.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"Enabled": "false"})

    def done(self, action: str, target: str) -> list[Call]:
        """The calls that were carried out, in order."""
        return [
            call
            for call in list(self.calls)
            if (call.asked["Action"], call.target, call.status) == (action, target, 200)
        ]

    def close(self) -> None:
        self.server_close()
        self._iam.close()


class _Handler(BaseHTTPRequestHandler):
    server: Sns

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, text = self.server.answer(self.path.strip("/"), body)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Tests tell what they have to tell themselves."""


@contextmanager
def running(aws: Aws) -> Iterator[Sns]:
    """An empty one, which ends with the block."""
    with mock_aws():
        sns = Sns(aws)
        thread = threading.Thread(target=sns.serve_forever)
        thread.start()
        try:
            yield sns
        finally:
            sns.shutdown()
            thread.join()
            sns.close()
