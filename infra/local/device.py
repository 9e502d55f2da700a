"""A player's device: holds a key and signs requests, as API.md tells clients to.

For the demo, the tests and people who write a client. Nothing here is deployed, and nothing is
shared with `chalicelib.signing`: the signature base is put together by hand, so that the two check
each other.
"""

import base64
import hashlib
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Kind: TypeAlias = Literal["ed25519", "p256"]
PrivateKey: TypeAlias = Ed25519PrivateKey | EllipticCurvePrivateKey


class Device:
    """Signs as one player. `keyid` and `player_id` are who that is; the key stays inside."""

    def __init__(self, kind: Kind = "ed25519", *, key: PrivateKey | None = None) -> None:
        """A new player of the given kind or, with `key`, the one who holds it."""
        if key is None:
            ed25519 = kind == "ed25519"
            key = Ed25519PrivateKey.generate() if ed25519 else generate_private_key(SECP256R1())
        self._key: PrivateKey = key
        if isinstance(key, Ed25519PrivateKey):
            prefix, raw = "ed25519", key.public_key().public_bytes_raw()
        else:
            prefix = "p256"
            raw = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.keyid = f"{prefix}:{base64.urlsafe_b64encode(raw).decode().rstrip('=')}"
        digest = hashlib.sha256(self.keyid.encode("ascii")).digest()
        self.player_id = base64.b32encode(digest).decode().lower()[:26]

    def signature(self, base: bytes) -> bytes:
        """The 64 bytes over a signature base: Ed25519, or r|s of ECDSA with P-256 and SHA-256."""
        if isinstance(self._key, Ed25519PrivateKey):
            return self._key.sign(base)
        r, s = decode_dss_signature(self._key.sign(base, ECDSA(SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def sign(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        idempotency_key: str | None = None,
        *,
        created: int,
    ) -> dict[str, str]:
        """The headers that make this request ours, to be sent with exactly these values.

        `url` is absolute and as it goes over the wire; `created` is in epoch seconds. With a body
        the headers include its digest and `Content-Type: application/json`.
        """
        parts = urlsplit(url)
        headers: dict[str, str] = {}
        lines = [
            ('"@method"', method),
            ('"@authority"', parts.netloc.lower()),
            ('"@path"', parts.path or "/"),
        ]
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            # The tilde is the one unreserved character that RFC 9421 (2.2.8) wants encoded.
            component = f'"@query-param";name="{name.replace("~", "%7E")}"'
            lines.append((component, value.replace("~", "%7E")))
        if body is not None:
            digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
            headers |= {"Content-Type": "application/json", "Content-Digest": f"sha-256=:{digest}:"}
            lines.append(('"content-digest"', headers["Content-Digest"]))
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
            lines.append(('"idempotency-key"', idempotency_key))
        covered = " ".join(component for component, _ in lines)
        signed_as = f'({covered});created={created};keyid="{self.keyid}"'
        lines.append(('"@signature-params"', signed_as))
        base = "\n".join(f"{component}: {value}" for component, value in lines)
        signature = base64.b64encode(self.signature(base.encode("ascii"))).decode()
        return headers | {
            "Signature-Input": f"sig1={signed_as}",
            "Signature": f"sig1=:{signature}:",
        }
