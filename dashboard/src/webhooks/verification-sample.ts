// Code to copy that verifies a signature of Standard Webhooks.

export const SAMPLES = {
  typescript: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw text of the request, before it is parsed
export function isGenuine(headers: Headers, body: string, secret: string): boolean {
  const id = headers.get('webhook-id');
  const sentAt = headers.get('webhook-timestamp');
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(sentAt));
  if (!(ageSeconds <= 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${sentAt}.\${body}\`).digest();
  const signatures = (headers.get('webhook-signature') ?? '').split(' ');
  return signatures.some((signature) => {
    const received = Buffer.from(signature.replace('v1,', ''), 'base64');
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}`,
  python: `import base64, hashlib, hmac, time

# body: the raw bytes of the request, before they are parsed
def is_genuine(headers, body: bytes, secret: str) -> bool:
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f'{headers.get("webhook-id")}.{sent_at}.'.encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(b"v1," + expected, one) for one in signatures)`,
} as const;
