"""`make deploy` before it reaches AWS: what it refuses, what it warns of, what it checks."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.aws import deploy, package


class Account:
    """What Lambda says of an account's limits."""

    def __init__(self, limit: int, reserved: int = 0) -> None:
        self.limit, self.reserved = limit, reserved

    def get_account_settings(self) -> dict[str, Any]:
        free = self.limit - self.reserved
        limits = {"ConcurrentExecutions": self.limit, "UnreservedConcurrentExecutions": free}
        return {"AccountLimit": limits}


WANTED = {"ApiConcurrency": "10", "BeatConcurrency": "5"}
NOTHING = {"ApiConcurrency": "0", "BeatConcurrency": "0"}


@pytest.mark.parametrize(
    ("limit", "reserved", "was", "change"),
    [
        pytest.param(1_000, 0, {}, {}, id="a usual account"),
        pytest.param(10, 0, {}, NOTHING, id="a new account can reserve nothing"),
        pytest.param(115, 0, {}, {}, id="exactly enough"),
        pytest.param(114, 0, {}, NOTHING, id="one too few"),
        pytest.param(115, 15, WANTED, {}, id="what this stage has reserved is its own"),
        pytest.param(115, 15, {}, NOTHING, id="what another has reserved is not"),
    ],
)
def test_only_what_the_account_can_spare_is_reserved(
    limit: int, reserved: int, was: dict[str, str], change: dict[str, str], capsys: Any
) -> None:
    assert deploy.affordable(Account(limit, reserved), WANTED, was) == change
    assert ("warning" in capsys.readouterr().out) == bool(change)


@pytest.mark.parametrize(
    ("lanes", "beats", "enough"),
    [
        pytest.param("1", "5", True, id="as it comes"),
        pytest.param("10", "19", False, id="one too few"),
        pytest.param("10", "20", True, id="exactly enough"),
        pytest.param("10", "0", True, id="none reserved"),
    ],
)
def test_every_lane_can_have_two_beats(lanes: str, beats: str, enough: bool) -> None:
    wanted = {"Lanes": lanes, "BeatConcurrency": beats}
    if enough:
        deploy.roomy(wanted)
    else:
        with pytest.raises(deploy.NotDeployed, match="BeatConcurrency=20"):
            deploy.roomy(wanted)


def test_prod_runs_in_real_time() -> None:
    with pytest.raises(deploy.NotDeployed, match="real time"):
        deploy.deploy(None, "0", "prod", "arm64", 20, {})


def test_prod_is_not_destroyed_by_a_slip() -> None:
    with pytest.raises(deploy.NotDeployed, match="CONFIRM=prod"):
        deploy.destroy(None, "0", "prod", "")


@pytest.mark.parametrize("stage", ["", "Prod", "a b", "1st", "x" * 21])
def test_a_stage_is_a_plain_word(
    stage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STAGE", stage)
    assert deploy.main(["deploy"]) == 1
    assert "STAGE" in capsys.readouterr().err


def test_parameters_are_names_and_values() -> None:
    assert deploy.told("A=b  C=d=e") == {"A": "b", "C": "d=e"}


class Bucket:
    """Notes what S3 is asked; `owner` is whose the bucket is."""

    def __init__(self, owner: str | None) -> None:
        self.owner = owner
        self.calls: list[str] = []
        self.unchecked: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        def call(*, Bucket: str, ExpectedBucketOwner: str | None = None, **_: Any) -> Any:  # noqa: N803
            self.calls.append(name)
            if name == "create_bucket":
                if self.owner is not None:
                    raise ClientError({"Error": {"Code": "BucketAlreadyExists"}}, name)
                self.owner = ACCOUNT
                return {}
            if ExpectedBucketOwner is None:
                self.unchecked.add(name)
            elif ExpectedBucketOwner != self.owner:
                raise ClientError({"Error": {"Code": "403"}}, name)
            return {"Contents": [{"Key": "prod/code.zip"}]}

        return call


ACCOUNT = "123456789012"


def upload(bucket: Bucket, tmp_path: Path) -> str:
    (tmp_path / "code.zip").write_bytes(b"code")
    made: Any = SimpleNamespace(zip=tmp_path / "code.zip")
    return deploy.uploaded(bucket, ACCOUNT, "sobremesa-code", "eu-west-1", "prod", made)


@pytest.mark.parametrize("owner", [None, ACCOUNT], ids=["a new bucket", "the account's"])
def test_every_call_says_whose_the_bucket_is(owner: str | None, tmp_path: Path) -> None:
    bucket: Any = Bucket(owner)
    assert upload(bucket, tmp_path).startswith("prod/")
    bucket.get_waiter = lambda _: SimpleNamespace(wait=lambda **_: None)
    session = SimpleNamespace(region_name="eu-west-1", client=lambda _: bucket)
    bucket.delete_stack = lambda **_: None
    deploy.destroy(session, ACCOUNT, "prod", "prod")
    made = ["create_bucket", "put_public_access_block"] if owner is None else []
    assert bucket.calls == [
        *("head_bucket", *made, "put_object"),
        *("list_objects_v2", "delete_object", "delete_bucket"),
    ]
    assert bucket.unchecked == set()


def test_a_bucket_of_somebody_elses_is_not_used(tmp_path: Path) -> None:
    bucket = Bucket("999999999999")
    with pytest.raises(ClientError, match="BucketAlreadyExists"):
        upload(bucket, tmp_path)
    assert bucket.calls == ["head_bucket", "create_bucket"]


def unpacked(folder: Path, architecture: str) -> Path:
    """A zip's contents that pass."""
    tag = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
    for file in package.NEEDED.values():
        path = folder / file.format(tag=f"{tag}-{package.MACHINES[architecture]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        machine = package.ELF_MACHINES[architecture].to_bytes(2, "little")
        path.write_bytes(bytes(18) + machine)
    return folder


@pytest.mark.parametrize("architecture", ["arm64", "x86_64"])
def test_a_whole_zip_passes(tmp_path: Path, architecture: str) -> None:
    package.check_contents(unpacked(tmp_path, architecture), architecture)


def test_a_missing_wheel_is_no_mere_warning(tmp_path: Path) -> None:
    folder = unpacked(tmp_path, "arm64")
    for library in (folder / "pydantic_core").glob("*.so"):
        library.unlink()
    with pytest.raises(package.NotPackaged, match="pydantic_core is not in the zip"):
        package.check_contents(folder, "arm64")


def test_a_wheel_of_another_machine_is_found_out(tmp_path: Path) -> None:
    folder = unpacked(tmp_path, "arm64")
    (folder / "stray.so").write_bytes(bytes(18) + (62).to_bytes(2, "little"))
    with pytest.raises(package.NotPackaged, match=r"stray\.so is not for arm64"):
        package.check_contents(folder, "arm64")


def test_what_lambda_has_stays_out(tmp_path: Path) -> None:
    folder = unpacked(tmp_path, "arm64")
    (folder / "botocore").mkdir()
    with pytest.raises(package.NotPackaged, match="botocore is in the zip"):
        package.check_contents(folder, "arm64")
