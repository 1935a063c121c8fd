// The examples for a shell: curl, and openssl for the signature.
import type { Examples } from './example.ts';

export const curlExamples: Examples = {
  credits: ({ baseUrl, apiKey }) => `\
curl -sS "${baseUrl}/user/credits" \\
  -H "x-api-key: ${apiKey}"
`,
  details: ({ baseUrl, apiKey, code }) => `\
curl -sS --get "${baseUrl}/retailer/product/details" \\
  -d "retailer_product_code=${code}" \\
  -H "x-api-key: ${apiKey}"
`,
  history: ({ baseUrl, apiKey, code, maxCredits }) => `\
curl -sS --get "${baseUrl}/retailer/product/price-history" \\
  -d "retailer_product_code=${code}" \\
  -H "x-api-key: ${apiKey}" \\
  -H "x-max-credits: ${maxCredits}"
`,
  track: ({ baseUrl, apiKey, code }) => `\
curl -sS -X POST "${baseUrl}/retailer/oversight/products" \\
  -H "x-api-key: ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{"retailer_product_code": "${code}", "tier": 4}'
`,
  webhook: ({ baseUrl, apiKey }) => `\
curl -sS -X POST "${baseUrl}/retailer/webhooks" \\
  -H "x-api-key: ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Repricer",
    "url": "https://example.com/hooks/oversight",
    "events": ["price.drop", "buybox.lost"]
  }'
`,
  verify: () => `\
# A stored delivery: three of its headers, and its body in body.json.
# WEBHOOK_SECRET is the secret returned when the webhook was created, whsec_...
WEBHOOK_ID="..."
WEBHOOK_TIMESTAMP="..."
WEBHOOK_SIGNATURE="v1,..."

key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
expected="v1,$({ printf %s.%s. "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)"

# Two signatures, separated by a space, while a secret is being rotated.
case " $WEBHOOK_SIGNATURE " in
  *" $expected "*) echo "genuine" ;;
  *) echo "not genuine" ;;
esac
`,
};
