#!/usr/bin/env bash
# A signed join with nothing but openssl 3 and curl: join.sh URL CODE NAME
set -euo pipefail
url=$1 code=$2 name=$3
[ -f player.pem ] || openssl genpkey -algorithm ed25519 -out player.pem # this is the player: keep it
plain() { base64 | tr -d '\n'; }
public=$(openssl pkey -in player.pem -pubout -outform DER | tail -c 32 | plain | tr '+/' '-_' | tr -d '=')
keyid="ed25519:$public"
path="/v1/rooms/$code/actions"
key=$(openssl rand -hex 16)
printf '{"action":{"type":"join","name":"%s"}}' "$name" > body
digest="sha-256=:$(openssl dgst -sha256 -binary body | plain):"
covered='"@method" "@authority" "@path" "content-digest" "idempotency-key"'
params="($covered);created=$(date +%s);keyid=\"$keyid\""
printf '%s\n' '"@method": POST' "\"@authority\": ${url#*//}" "\"@path\": $path" \
  "\"content-digest\": $digest" "\"idempotency-key\": $key" > base
printf '"@signature-params": %s' "$params" >> base
signature=$(openssl pkeyutl -sign -inkey player.pem -rawin -in base | plain)
curl --silent --show-error "$url$path" --data-binary @body -H 'Content-Type: application/json' \
  -H "Content-Digest: $digest" -H "Idempotency-Key: $key" \
  -H "Signature-Input: me=$params" -H "Signature: me=:$signature:"
