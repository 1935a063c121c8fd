// Signing and verifying by the Standard Webhooks specification.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isWebhookSecret,
  newWebhookSecret,
  sign,
  signedHeaders,
  whyNotVerified,
} from './signature.ts';

// From the tests of the Standard Webhooks libraries.
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const { secret, id, timestampSeconds, body } = VECTOR;
const OTHER = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

const headers: Readonly<Record<string, string>> = {
  'webhook-id': id,
  'webhook-timestamp': String(timestampSeconds),
  'webhook-signature': VECTOR.signature,
};
const verify = (change: { headers?: Record<string, string | undefined>; secret?: string } = {}) =>
  whyNotVerified({
    headers: { ...headers, ...change.headers },
    body,
    secret: change.secret ?? secret,
    nowSeconds: timestampSeconds,
  });

describe('a signature', () => {
  test('equals the example of the standard', () => {
    expect(sign({ id, timestampSeconds, body, secrets: [secret] })).toBe(VECTOR.signature);
  });

  test('is the same for text and for its bytes', () => {
    const text = '{"name":"Kaffeemühle ☕"}';
    const of = (signed: string | Uint8Array) =>
      sign({ id, timestampSeconds, body: signed, secrets: [secret] });
    expect(of(Buffer.from(text))).toBe(of(text));
  });

  test('has a second one during a rotation, and either secret verifies', () => {
    const rotated = newWebhookSecret();
    const both = signedHeaders({ id, timestampSeconds, body, secrets: [rotated, secret] });
    expect(both['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const one of [rotated, secret]) {
      const nowSeconds = timestampSeconds;
      expect(whyNotVerified({ headers: both, body, secret: one, nowSeconds })).toBeNull();
    }
  });

  test('does not match after any change', () => {
    const made = newWebhookSecret();
    fc.assert(
      fc.property(fc.string(), fc.string(), (sent, received) => {
        const signed = signedHeaders({ id, timestampSeconds, body: sent, secrets: [made] });
        const nowSeconds = timestampSeconds;
        const why = whyNotVerified({ headers: signed, body: received, secret: made, nowSeconds });
        expect(why === null).toBe(sent === received);
      }),
    );
  });
});

describe('a secret', () => {
  test('is whsec_ and base64 of 32 bytes, never the same twice', () => {
    const made = newWebhookSecret();
    expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret()).not.toBe(made);
    expect(isWebhookSecret(made)).toBe(true);
  });

  test.each(['', 'whsec_', 'whsec_AAAA', 'whsec_%%%%', `whsec_${'A'.repeat(88)}`])(
    '%j is none',
    (text) => {
      expect(isWebhookSecret(text)).toBe(false);
      expect(verify({ secret: text })).toMatch(/^the secret is not/);
    },
  );

  test('that is invalid cannot sign', () => {
    expect(() => sign({ id, timestampSeconds, body, secrets: ['whsec_'] })).toThrow();
    expect(() => sign({ id, timestampSeconds, body, secrets: [] })).toThrow();
  });
});

describe('a receiver accepts', () => {
  test('one valid signature among others', () => {
    const several = `${OTHER} v2,${OTHER.slice(3)} ${VECTOR.signature} ${OTHER}`;
    expect(verify({ headers: { 'webhook-signature': several } })).toBeNull();
  });

  test.each([
    ['without its prefix', secret.slice('whsec_'.length)],
    ['with it', secret],
  ])('a secret %s', (_, written) => {
    expect(verify({ secret: written })).toBeNull();
  });

  test('a secret without padding', () => {
    const made = newWebhookSecret();
    const signed = signedHeaders({ id, timestampSeconds, body, secrets: [made] });
    const bare = made.replace(/=+$/, '');
    const nowSeconds = timestampSeconds + 300;
    expect(whyNotVerified({ headers: signed, body, secret: bare, nowSeconds })).toBeNull();
  });
});

describe('a receiver rejects', () => {
  test.each([
    ['webhook-id', undefined, 'webhook-id is missing'],
    ['webhook-timestamp', undefined, 'webhook-timestamp is missing'],
    ['webhook-signature', undefined, 'webhook-signature is missing'],
    ['webhook-timestamp', 'hello', 'webhook-timestamp is not a time in seconds'],
    ['webhook-timestamp', '1614265029', 'webhook-timestamp is more than 5 minutes old'],
    ['webhook-timestamp', '1614265631', 'webhook-timestamp is more than 5 minutes ahead'],
    ['webhook-timestamp', '1614265331', 'the signature does not match'],
    ['webhook-signature', 'v1,dawfeoifkpqwoekfpqoekf', 'the signature does not match'],
    ['webhook-signature', VECTOR.signature.slice(0, 8), 'the signature does not match'],
    ['webhook-signature', VECTOR.signature.slice(0, -1), 'the signature does not match'],
    ['webhook-signature', 'v1,', 'the signature does not match'],
    ['webhook-signature', `v2${VECTOR.signature.slice(2)}`, 'the signature does not match'],
  ])('%s %s', (name, value, reason) => {
    expect(verify({ headers: { [name]: value } })).toBe(reason);
  });
});
