// The examples for Python: requests, and the standard library for the signature.
import type { Examples } from './example.ts';

/** The end of a request: `message` says what is wrong. */
const CHECKED = `\
if not response.ok:
    raise SystemExit(f"{response.status_code}: {response.json()['message']}")`;

export const pythonExamples: Examples = {
  credits: ({ baseUrl, apiKey }) => `\
import requests

response = requests.get(
    "${baseUrl}/user/credits",
    headers={"x-api-key": "${apiKey}"},
    timeout=10,
)
${CHECKED}

credits = response.json()["credits"]
print(f"{credits['remaining']} of {credits['total']} credits left")
`,
  details: ({ baseUrl, apiKey, code }) => `\
import requests

response = requests.get(
    "${baseUrl}/retailer/product/details",
    params={"retailer_product_code": "${code}"},
    headers={"x-api-key": "${apiKey}"},
    timeout=10,
)
${CHECKED}

product = response.json()
print(product["product_name"], product["buybox_price"])
`,
  history: ({ baseUrl, apiKey, code, maxCredits }) => `\
import requests

response = requests.get(
    "${baseUrl}/retailer/product/price-history",
    params={"retailer_product_code": "${code}"},
    headers={"x-api-key": "${apiKey}", "x-max-credits": "${maxCredits}"},
    timeout=30,
)
${CHECKED}

for point in response.json()["priceHistory"]:
    print(point["date"], point["price"])
print(response.headers["x-credits-remaining"], "credits left")
`,
  track: ({ baseUrl, apiKey, code }) => `\
import requests

response = requests.post(
    "${baseUrl}/retailer/oversight/products",
    headers={"x-api-key": "${apiKey}"},
    json={"retailer_product_code": "${code}", "tier": 4},
    timeout=10,
)
${CHECKED}

print("tracked as", response.json()["id"])
`,
  webhook: ({ baseUrl, apiKey }) => `\
import requests

response = requests.post(
    "${baseUrl}/retailer/webhooks",
    headers={"x-api-key": "${apiKey}"},
    json={
        "name": "Repricer",
        "url": "https://example.com/hooks/oversight",
        "events": ["price.drop", "buybox.lost"],
    },
    timeout=10,
)
${CHECKED}

webhook = response.json()
print(webhook["id"], "keep this secret:", webhook["secret"])
`,
  verify: () => `\
import base64
import hashlib
import hmac
import time


def is_genuine(headers, body: bytes, secret: str) -> bool:
    """secret: the whsec_... returned at creation. body: the raw bytes, not parsed."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")

    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    # Two signatures, separated by a space, while a secret is being rotated.
    return any(
        hmac.compare_digest(signature.encode(), f"v1,{digest}".encode())
        for signature in signatures.split(" ")
    )
`,
};
