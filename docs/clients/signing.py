"""Signs requests as one player: `httpx.Client(auth=Player(key))`. It needs cryptography, httpx."""

import time
from base64 import b64encode, urlsafe_b64encode
from hashlib import sha256

import httpx


class Player(httpx.Auth):
    """Holds an Ed25519 key, and how far the device's clock is off."""

    requires_request_body = requires_response_body = True

    def __init__(self, key):
        self.key, self.offset = key, 0.0
        raw = key.public_key().public_bytes_raw()
        self.keyid = "ed25519:" + urlsafe_b64encode(raw).decode().rstrip("=")

    def auth_flow(self, request):
        self.sign(request)
        answer = yield request
        if answer.status_code == 401 and answer.json()["code"] == "signature-expired":
            self.offset = answer.json()["server_now"] / 1000 - time.time()
            self.sign(request)
            yield request

    def sign(self, request):
        path = request.url.raw_path.decode().partition("?")[0]
        lines = {"@method": request.method, "@authority": request.headers["host"], "@path": path}
        lines = {f'"{name}"': value for name, value in lines.items()}
        for name, value in request.url.params.multi_items():
            lines[f'"@query-param";name="{name}"'] = value
        if request.content:
            digest = b64encode(sha256(request.content).digest()).decode()
            request.headers["content-digest"] = f"sha-256=:{digest}:"
        for name in ("content-digest", "idempotency-key"):
            if name in request.headers:
                lines[f'"{name}"'] = request.headers[name]
        params = (
            f'({" ".join(lines)});created={int(time.time() + self.offset)};keyid="{self.keyid}"'
        )
        base = "\n".join(f"{name}: {value}" for name, value in lines.items())
        signature = self.key.sign(f'{base}\n"@signature-params": {params}'.encode())
        request.headers["signature-input"] = f"me={params}"
        request.headers["signature"] = f"me=:{b64encode(signature).decode()}:"
