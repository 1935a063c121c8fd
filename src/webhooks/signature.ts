// Standard Webhooks signatures: signs deliveries and verifies them as a receiver does.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { assert } from '../foundation/problem.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** What the standard allows; `listen` also accepts secrets made elsewhere. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
/** Deliveries outside this range may be replayed. */
const TOLERANCE_SECONDS = 300;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type Body = string | Uint8Array;
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The key in a secret, with or without prefix and padding; null if it is not a valid secret. */
function keyOf(secret: string): Buffer | null {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!BASE64.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX ? key : null;
}

export function isWebhookSecret(secret: string): boolean {
  return keyOf(secret) !== null;
}

/** Returns base64. */
function digest(key: Buffer, signed: { id: string; timestamp: string; body: Body }): string {
  const { id, timestamp, body } = signed;
  const hmac = createHmac('sha256', key);
  // One call where possible: each call costs more than the bytes of a delivery.
  if (typeof body === 'string') return hmac.update(`${id}.${timestamp}.${body}`).digest('base64');
  return hmac.update(`${id}.${timestamp}.`).update(body).digest('base64');
}

export type SigningInput = {
  /** The delivery's id: the same in every attempt, so that the receiver can detect duplicates. */
  id: string;
  /** Real time, even in time lapse. */
  timestampSeconds: number;
  body: Body;
  /** Two while the old secret of a rotation is still valid. */
  secrets: readonly string[];
};

/** One signature for each secret, separated by spaces. */
export function sign({ id, timestampSeconds, body, secrets }: SigningInput): string {
  assert(secrets.length > 0, 'a delivery without a secret');
  assert(Number.isSafeInteger(timestampSeconds), 'a timestamp that is not an integer');
  const signed = { id, timestamp: String(timestampSeconds), body };
  return secrets
    .map((secret) => {
      const key = keyOf(secret);
      assert(key !== null, 'an invalid webhook secret');
      return `v1,${digest(key, signed)}`;
    })
    .join(' ');
}

/** The three headers of a delivery. */
export function signedHeaders(input: SigningInput): Record<string, string> {
  return {
    'webhook-id': input.id,
    'webhook-timestamp': String(input.timestampSeconds),
    'webhook-signature': sign(input),
  };
}

/**
 * Returns why a delivery is not authentic; null if it is signed with this secret, intact and
 * recent.
 */
export function whyNotVerified(delivery: {
  headers: HeaderValues;
  body: Body;
  secret: string;
  nowSeconds: number;
}): string | null {
  const { headers, body, nowSeconds } = delivery;
  const key = keyOf(delivery.secret);
  if (key === null) return `the secret is not ${PREFIX} and base64 of 24 to 64 bytes`;
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || id === '') return 'webhook-id is missing';
  if (typeof timestamp !== 'string' || timestamp === '') return 'webhook-timestamp is missing';
  if (typeof signatures !== 'string' || signatures === '') return 'webhook-signature is missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a time in seconds';
  const ageSeconds = nowSeconds - Number(timestamp);
  if (ageSeconds > TOLERANCE_SECONDS) return 'webhook-timestamp is more than 5 minutes old';
  if (ageSeconds < -TOLERANCE_SECONDS) return 'webhook-timestamp is more than 5 minutes ahead';
  const expected = digest(key, { id, timestamp, body });
  return signatures.split(' ').some((one) => isSignature(one, expected))
    ? null
    : 'the signature does not match';
}

function isSignature(text: string, expected: string): boolean {
  const [version, value] = text.split(',', 2);
  // Compared as text: base64 with missing or extra characters would decode to the same bytes.
  const provided = Buffer.from(value ?? '');
  const expectedBytes = Buffer.from(expected);
  return (
    version === 'v1' &&
    provided.length === expectedBytes.length &&
    timingSafeEqual(provided, expectedBytes)
  );
}
