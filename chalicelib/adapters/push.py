"""Mobile push by Amazon SNS: platform applications, endpoints, messages."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Final

log = logging.getLogger("sobremesa")

GROUPS: Final = {"apns": "APNS", "apns-sandbox": "APNS_SANDBOX", "fcm": "GCM"}
THERE: Final = re.compile(r"Endpoint (arn:\S+) already exists with the same token", re.IGNORECASE)
NO_SUCH: Final = re.compile(r"no endpoint found", re.IGNORECASE)
COLLAPSE: Final = "AWS.SNS.MOBILE.APNS.COLLAPSE_ID"


class SnsPush:
    """`applications`: platform -> ARN of its platform application; none of them, no push."""

    def __init__(self, client: Any, applications: Mapping[str, str]) -> None:
        self._client = client
        self._applications = applications
        self.configured = bool(applications)
        if not self.configured:
            log.info("no platform application is configured: running without push")

    def register(self, platform: str, token: str) -> str | None:
        application = self._applications.get(platform)
        if application is None:
            return None
        try:
            answer = self._client.create_platform_endpoint(
                PlatformApplicationArn=application, Token=token
            )
            endpoint: str = answer["EndpointArn"]
        except self._client.exceptions.InvalidParameterException as refused:
            # SNS gives the endpoint of a token again, unless it has been disabled meanwhile
            there = THERE.search(str(refused))
            if there is None:
                raise
            endpoint = there[1]
        # a token that comes back after an uninstall may belong to a disabled endpoint
        self._client.set_endpoint_attributes(
            EndpointArn=endpoint, Attributes={"Enabled": "true", "Token": token}
        )
        return endpoint

    def forget(self, endpoint: str) -> None:
        if self.configured:
            self._client.delete_endpoint(EndpointArn=endpoint)

    def send(self, endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        try:
            self._client.publish(
                TargetArn=endpoint,
                MessageStructure="json",
                Message=json.dumps({"default": message["body"], **payload(platform, message)}),
                MessageAttributes={
                    COLLAPSE: {"DataType": "String", "StringValue": message["code"]},
                },
            )
        except self._client.exceptions.EndpointDisabledException:
            self.forget(endpoint)
            return False
        except self._client.exceptions.NotFoundException:
            return False
        except self._client.exceptions.InvalidParameterException as refused:
            if NO_SUCH.search(str(refused)) is None:
                raise
            return False
        return True


def payload(platform: str, message: Mapping[str, str]) -> dict[str, str]:
    """What one platform is sent: words, and where to look; a newer notice of a room replaces an
    older one."""
    words = {"title": message["title"], "body": message["body"]}
    data = {name: message[name] for name in ("code", "decision", "kind")}
    if platform == "fcm":
        body: dict[str, Any] = {
            "fcmV1Message": {
                "message": {
                    "notification": words,
                    "data": data,
                    "android": {"collapse_key": message["code"]},
                }
            }
        }
    else:
        body = {"aps": {"alert": words, "thread-id": message["code"]}, **data}
    return {GROUPS[platform]: json.dumps(body, ensure_ascii=False)}
