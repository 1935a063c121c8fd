// The webhook receiver of the listen command: its output, its signature check and its responses.
import { afterEach, describe, expect, test } from 'vitest';
import { realNowMs } from '../foundation/clock.ts';
import { testPayloadBody } from '../webhooks/payload.ts';
import { createPoster } from '../webhooks/post.ts';
import { newWebhookSecret, signedHeaders } from '../webhooks/signature.ts';
import type { Say } from './command.ts';
import { startReceiver } from './listen.ts';

const body = testPayloadBody({ eventId: '019a8000-0000-7000-8000-000000000001', atMs: 0 });
const secret = newWebhookSecret();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(settings: Partial<Parameters<typeof startReceiver>[0]> = {}) {
  const said: Parameters<Say>[0][] = [];
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    secret: null,
    okStatus: 200,
    failRate: 0,
    say: (line) => void said.push(line),
    ...settings,
  });
  closing.push(receiver.close);
  const rules = { allowPrivateTargets: true, service: { addresses: [], port: 0 } };
  const poster = createPoster({ rules });
  closing.push(poster.close);
  const deliver = (secrets: string[], sent = body) => {
    const timestampSeconds = Math.floor(realNowMs() / 1_000);
    const headers = signedHeaders({ id: 'msg_1', timestampSeconds, body: sent, secrets });
    return poster.postDelivery({ url: receiver.address, headers, body: sent });
  };
  return { said, receiver, deliver };
}

describe('a receiver', () => {
  test('prints each delivery and whether its signature is correct', async () => {
    const { said, receiver, deliver } = await listen({ secret });
    expect(await deliver([newWebhookSecret(), secret])).toMatchObject({ status: 200 });
    expect(said).toEqual([
      {
        json: {
          received_at: expect.any(String),
          webhook_id: 'msg_1',
          type: 'webhook.test',
          bytes: body.length,
          signature: 'ok',
          responded: 200,
          body: JSON.parse(body),
        },
        text: expect.stringMatching(
          /webhook\.test {2}msg_1 .* signature ok {2}responded 200\n {2}\{/,
        ),
      },
    ]);
    expect(receiver.counts()).toEqual({ received: 1 });
  });

  test('refuses a delivery signed with another secret', async () => {
    const { said, deliver } = await listen({ secret });
    expect(await deliver([newWebhookSecret()])).toMatchObject({
      status: 401,
      responseBody: 'the signature does not match\n',
    });
    expect(said[0]?.json).toMatchObject({ signature: 'wrong: the signature does not match' });
  });

  test('accepts every delivery without a secret, with the chosen status', async () => {
    const { said, deliver } = await listen({ okStatus: 204 });
    expect(await deliver([secret])).toMatchObject({ status: 204 });
    expect(said[0]?.json).toMatchObject({ signature: 'unchecked', responded: 204 });
  });

  test('fails at the chosen rate', async () => {
    const chances = [0.29, 0.3, 0.9];
    const { deliver } = await listen({ failRate: 0.3, random: () => chances.shift() ?? 0 });
    const statuses = [await deliver([secret]), await deliver([secret]), await deliver([secret])];
    expect(statuses.map(({ status }) => status)).toEqual([500, 200, 200]);
  });

  test('prints no control characters', async () => {
    const { said, deliver } = await listen();
    await deliver([secret], '{"type":"\\u001b[2J\u009b"}');
    await deliver([secret], '\u001b]0;no JSON\u0007');
    for (const { text } of said) expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(said.map(({ json }) => json)).toMatchObject([
      { type: '\u001b[2J\u009b' },
      { type: null, body: '\u001b]0;no JSON\u0007' },
    ]);
  });

  test('accepts only POST requests of at most 64 KiB', async () => {
    const { said, receiver, deliver } = await listen();
    expect((await fetch(receiver.address)).status).toBe(405);
    expect(await deliver([secret], `"${'x'.repeat(70_000)}"`)).toMatchObject({ status: 413 });
    expect(said).toEqual([]);
  });
});
