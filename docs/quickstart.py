"""One key, one room, one bot, one bid: a whole client. It needs `pip install cryptography`."""

import hashlib
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from base64 import b64encode, urlsafe_b64encode

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

URL = os.environ.get("URL", "http://127.0.0.1:8000").rstrip("/")
key = Ed25519PrivateKey.generate()  # this is the player: keep it, and be the same one tomorrow
keyid = "ed25519:" + urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")


def call(method, path, body=None):
    """The answer to a request signed as RFC 9421 says."""
    data = body and json.dumps(body).encode()
    signed = {"@method": method, "@authority": URL.split("//")[1], "@path": path}
    if data:
        digest = b64encode(hashlib.sha256(data).digest()).decode()
        signed |= {"content-digest": f"sha-256=:{digest}:", "idempotency-key": uuid.uuid4().hex}
    covered = " ".join(f'"{name}"' for name in signed)
    params = f'({covered});created={int(time.time())};keyid="{keyid}"'
    lines = [f'"{name}": {value}' for name, value in signed.items()]
    base = "\n".join([*lines, f'"@signature-params": {params}'])
    headers = {name: value for name, value in signed.items() if name[0] != "@"}
    headers["signature-input"] = f"me={params}"
    headers["signature"] = f"me=:{b64encode(key.sign(base.encode())).decode()}:"
    headers["content-type"] = "application/json"
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as problem:
        raise SystemExit(problem.read().decode()) from None


def act(action, decision=None):
    return call("POST", f"{room}/actions", {"decision": decision, "action": action})["view"]


view = call("POST", "/v1/rooms", {"game": "liars-dice", "visibility": "private", "name": "Ada"})
room = f"/v1/rooms/{view['room']['code']}"
act({"type": "add-bot"})
view = act({"type": "start", "match": 1})
while not view["match"]["your_move"]:  # the bot may have been drawn to begin
    time.sleep(view["poll_after_ms"] / 1000)
    view = call("GET", room)
dice, bids = view["match"]["private"]["dice"], view["match"]["public"]["bids"]
print("My dice:", dice, "Bids so far:", bids)
more = bids[-1]["quantity"] + 1 if bids else 1
view = act({"type": "bid", "quantity": more, "face": 6}, view["match"]["decision"])
print("I bid:", view["match"]["public"]["bids"][-1])
