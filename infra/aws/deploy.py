"""`make deploy STAGE=` and `make destroy STAGE=`: one stack a stage, by CloudFormation.

Settings come from the environment: STAGE, ARCHITECTURE, SPEED, and PARAMETERS, which are names
and values of stack.yaml's parameters (`AlarmEmail=me@example.org BudgetDollars=5`); what is not
said stays as it was. Credentials, region and endpoint are found as every AWS tool finds them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

import boto3
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from . import smoke
from .package import NotPackaged, Package, own_architecture, package

UNRESERVED: Final = 100
"""What Lambda keeps for functions that reserve nothing."""
RESERVING: Final = ("ApiConcurrency", "BeatConcurrency")
WAITING: Final = {"Delay": 2, "MaxAttempts": 900}
GOOD: Final = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
Parameters = dict[str, str]


class NotDeployed(Exception):  # names what happened
    """Nothing has changed, or was changed back; the message says why."""


def main(arguments: list[str]) -> int:
    try:
        stage = os.environ.get("STAGE", "")
        if not re.fullmatch("[a-z][a-z0-9-]{0,19}", stage):
            raise NotDeployed("STAGE is a word of lowercase letters, digits and hyphens.")
        session = boto3.Session()
        account = whoever(session)
        if arguments == ["destroy"]:
            destroy(session, account, stage, os.environ.get("CONFIRM", ""))
        elif arguments == ["deploy"]:
            architecture = os.environ.get("ARCHITECTURE") or "arm64"
            if architecture == "own":
                architecture = own_architecture()
            speed = int(os.environ.get("SPEED") or "1")
            said = told(os.environ.get("PARAMETERS", ""))
            deploy(session, account, stage, architecture, speed, said)
        else:
            raise NotDeployed("deploy or destroy?")
    except (NotDeployed, NotPackaged, smoke.Failed, BotoCoreError, ClientError) as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    return 0


def told(text: str) -> Parameters:
    """`A=b C=d` as a dictionary."""
    pairs = [pair.partition("=") for pair in text.split()]
    return {name: value for name, _, value in pairs}


def whoever(session: Any) -> str:
    """The account that the credentials belong to. Raises `NotDeployed` without any."""
    if session.region_name is None:
        raise NotDeployed("No region: set AWS_DEFAULT_REGION, or one in a profile.")
    try:
        identity = session.client("sts").get_caller_identity()
    except (BotoCoreError, ClientError) as problem:
        raise NotDeployed(f"No credentials that AWS accepts: {problem}") from None
    print(f"as {identity['Arn']}, in {session.region_name}")
    return str(identity["Account"])


def deploy(
    session: Any, account: str, stage: str, architecture: str, speed: int, said: Parameters
) -> str:
    """The URL of the stage, deployed and tried out."""
    if stage == "prod" and speed != 1:
        raise NotDeployed("A stage named prod runs in real time: SPEED is for stages under test.")
    made = package(stage, architecture, session.region_name)
    print(f"packaged for {architecture}: {made.zip.stat().st_size / 1e6:.1f} MB")
    stack = f"sobremesa-{stage}"
    cloudformation = session.client("cloudformation")
    before = described(cloudformation, stack)
    if before is not None and before["StackStatus"] not in GOOD:
        if before["StackStatus"] not in ("ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"):
            raise NotDeployed(f"{stack} is in {before['StackStatus']}: wait, or look at it first.")
        _delete(cloudformation, stack)  # it never came to be
        before = None
    was = {
        each["ParameterKey"]: each["ParameterValue"]
        for each in (before or {}).get("Parameters", ())
    }
    since = str(int(time.time())) if speed != 1 else "0"
    asked = {**said, "Stage": stage, "Speed": str(speed), "SpeedSince": since}
    defaults = {
        name: str(each.get("Default", "")) for name, each in made.template["Parameters"].items()
    }
    if unknown := set(asked) - set(defaults):
        raise NotDeployed(f"stack.yaml has no parameter {', '.join(sorted(unknown))}.")
    roomy({**defaults, **was, **asked})
    asked |= affordable(session.client("lambda"), {**defaults, **was, **asked}, was)
    bucket = f"sobremesa-code-{account}-{session.region_name}"
    key = uploaded(session.client("s3"), account, bucket, session.region_name, stage, made)
    template = located(made.template, bucket, key)
    change(cloudformation, stack, template, asked, was)
    after = described(cloudformation, stack)
    assert after is not None
    outputs = {each["OutputKey"]: each["OutputValue"] for each in after["Outputs"]}
    url = str(outputs["Url"]).rstrip("/")
    print(f"{stack} is at {url}")
    print("playing a match there: ", end="", flush=True)
    print(smoke.played(url, speed, os.environ.get("AWS_ENDPOINT_URL", "")))
    return url


def roomy(wanted: Mapping[str, str]) -> None:
    """Raises `NotDeployed` if not every lane could have two beats, as it has while one takes over
    from the other."""
    beats, lanes = int(wanted["BeatConcurrency"]), int(wanted["Lanes"])
    if 0 < beats < 2 * lanes:
        raise NotDeployed(
            f"{lanes} lanes take {2 * lanes} beats at once: say BeatConcurrency={2 * lanes} too, "
            "or 0 to reserve none."
        )


def affordable(client: Any, wanted: Mapping[str, str], was: Mapping[str, str]) -> Parameters:
    """Parameters to change because the account can not reserve that much. A small quota bounds
    a flood by itself: nothing runs beyond it."""
    limit = client.get_account_settings()["AccountLimit"]
    ours = sum(int(was.get(name, "0")) for name in RESERVING)
    free = limit["UnreservedConcurrentExecutions"] + ours - UNRESERVED
    needed = sum(int(wanted[name]) for name in RESERVING)
    if needed <= free:
        return {}
    print(
        f"warning: this account runs {limit['ConcurrentExecutions']} functions at once, and "
        f"{max(0, free)} can be reserved, not {needed}: nothing is reserved.\n"
        "  Requests and beats share what there is. AWS raises the quota when asked "
        "(Service Quotas, Lambda, Concurrent executions);\n"
        '  then say PARAMETERS="ApiConcurrency=10 BeatConcurrency=5" once.'
    )
    return dict.fromkeys(RESERVING, "0")


def uploaded(client: Any, account: str, bucket: str, region: str, stage: str, made: Package) -> str:
    """The key in `bucket`, which is made first if need be, under which the zip is. Anybody can
    guess the bucket's name and make it first: one that is not the account's is not used."""
    ours = {"Bucket": bucket, "ExpectedBucketOwner": account}
    try:
        client.head_bucket(**ours)
    except ClientError:
        where = {} if region == "us-east-1" else {"LocationConstraint": region}
        extra = {"CreateBucketConfiguration": where} if where else {}
        client.create_bucket(Bucket=bucket, **extra)
        names = (
            "BlockPublicAcls",
            "BlockPublicPolicy",
            "IgnorePublicAcls",
            "RestrictPublicBuckets",
        )
        blocked: Any = dict.fromkeys(names, True)
        client.put_public_access_block(**ours, PublicAccessBlockConfiguration=blocked)
    content = made.zip.read_bytes()
    key = f"{stage}/{hashlib.sha256(content).hexdigest()[:32]}.zip"
    client.put_object(**ours, Key=key, Body=content)
    return key


def located(template: dict[str, Any], bucket: str, key: str) -> str:
    """The template as text, its functions' code in the bucket."""
    copy: dict[str, Any] = json.loads(json.dumps(template))
    for resource in copy["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = {"Bucket": bucket, "Key": key}
    return json.dumps(copy, separators=(",", ":"))


def described(client: Any, stack: str) -> Any:
    """The stack as it is; None if there is none."""
    try:
        return client.describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError as problem:
        if "does not exist" in str(problem):
            return None
        raise


def change(
    client: Any, stack: str, template: str, asked: Parameters, was: Mapping[str, str]
) -> None:
    """The stack is as the template says. Raises `NotDeployed` with the reasons if it could not
    be, after it has been changed back."""
    kept = set(was) & set(json.loads(template)["Parameters"]) - set(asked)
    parameters: list[Any] = [
        {"ParameterKey": name, "ParameterValue": value} for name, value in asked.items()
    ]
    parameters += [{"ParameterKey": name, "UsePreviousValue": True} for name in sorted(kept)]
    name = f"deploy-{int(time.time())}"
    client.create_change_set(
        StackName=stack,
        ChangeSetName=name,
        ChangeSetType="UPDATE" if was else "CREATE",
        TemplateBody=template,
        Parameters=parameters,
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    try:
        client.get_waiter("change_set_create_complete").wait(
            StackName=stack, ChangeSetName=name, WaiterConfig=WAITING
        )
    except WaiterError:
        reason = client.describe_change_set(StackName=stack, ChangeSetName=name)["StatusReason"]
        client.delete_change_set(StackName=stack, ChangeSetName=name)
        if "didn't contain changes" in reason or "No updates" in reason:
            print("nothing has changed")
            return
        raise NotDeployed(reason) from None
    began = time.time()
    client.execute_change_set(StackName=stack, ChangeSetName=name)
    waiter = client.get_waiter("stack_update_complete" if was else "stack_create_complete")
    try:
        waiter.wait(StackName=stack, WaiterConfig=WAITING)
    except WaiterError:
        raise NotDeployed("\n".join(failures(client, stack, began))) from None


def failures(client: Any, stack: str, since: float) -> list[str]:
    """What went wrong in the stack since then, first things first."""
    events = client.describe_stack_events(StackName=stack)["StackEvents"]
    return [
        f"{each['LogicalResourceId']}: {each.get('ResourceStatusReason', '?')}"
        for each in reversed(events)
        if each["ResourceStatus"].endswith("FAILED") and each["Timestamp"].timestamp() >= since
    ]


def destroy(session: Any, account: str, stage: str, confirmed: str) -> None:
    """Nothing of the stage is left, its tables included."""
    if stage == "prod" and confirmed != "prod":
        raise NotDeployed("This deletes every room and player: say CONFIRM=prod too.")
    stack = f"sobremesa-{stage}"
    _delete(session.client("cloudformation"), stack)
    s3, bucket = session.client("s3"), f"sobremesa-code-{account}-{session.region_name}"
    ours = {"Bucket": bucket, "ExpectedBucketOwner": account}
    try:
        found = s3.list_objects_v2(**ours).get("Contents", [])
    except ClientError:
        found = []
    keys = [each["Key"] for each in found if each["Key"].startswith(f"{stage}/")]
    for key in keys:
        s3.delete_object(**ours, Key=key)
    if found and len(found) == len(keys):
        s3.delete_bucket(**ours)
    print(f"{stack} is gone")


def _delete(client: Any, stack: str) -> None:
    client.delete_stack(StackName=stack)
    client.get_waiter("stack_delete_complete").wait(StackName=stack, WaiterConfig=WAITING)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
