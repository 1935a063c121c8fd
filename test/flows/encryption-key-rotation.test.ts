// Rotating ENCRYPTION_KEY: everything is encrypted with the new key while the service runs, and
// doctor reports when the old key can be removed.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { realClock, realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { resealSecrets, surveySecrets } from '../../src/webhooks/reseal-secrets.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import { readTargets, rotateSecret } from '../../src/webhooks/subscriptions.ts';
import { accountWith } from '../support/charging.ts';
import { runInProcess } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { register } from '../support/webhooks.ts';

const [oldKey, newKey, lostKey] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;

async function withWebhooks(count: number) {
  const { db, url } = await cloneDatabase();
  const accountId = await accountWith(db, 10);
  const add = (keys: Buffer[]) =>
    register(
      { db, clock: realClock, encryptionKeys: keys },
      { accountId, url: 'https://hooks.example.com/', webhookId: newId() },
    );
  const webhooks = [];
  for (let index = 0; index < count; index++) webhooks.push(await add([oldKey]));
  /** Runs a command with these keys and returns its --json output. */
  const command = async (words: string[], keys: readonly Buffer[]) => {
    const env = {
      DATABASE_URL: url,
      AUTH_SECRET: 'x'.repeat(32),
      MARKETPLACE: 'simulated',
      ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(','),
    };
    const { code, out, err } = await runInProcess([...words, '--json'], env);
    return { code, err, json: out === '' ? null : JSON.parse(out) };
  };
  const secretsCheck = async (keys: readonly Buffer[]) => {
    const { json } = await command(['doctor'], keys);
    return json.checks.find(({ name }: { name: string }) => name === 'secrets');
  };
  return { db, webhooks, add, command, secretsCheck };
}

test('keys reseal encrypts everything with the first key; doctor reports what needs which key', async () => {
  const { db, webhooks, add, command, secretsCheck } = await withWebhooks(3);
  const both = [newKey, oldKey];
  expect(await secretsCheck(both)).toMatchObject({
    ok: true,
    advice: expect.stringMatching(/^Run keys reseal/),
  });
  expect(await command(['keys', 'reseal'], both)).toMatchObject({
    code: 0,
    err: '',
    json: { ok: true, resealed: 3, resumed: 0, older: 0, webhooks: 3, unreadable: [] },
  });
  const targets = await readTargets(db, webhooks, { encryptionKeys: [newKey], realNow: 0 });
  for (const { webhookId, secret } of webhooks) {
    expect(targets.get(webhookId)?.secrets).toEqual([secret]);
  }
  // The canary is encrypted with the new key too: the old key alone is refused.
  expect(await command(['keys', 'reseal'], [oldKey])).toMatchObject({ code: 1, json: null });
  const lost = await add([lostKey]);
  expect(await secretsCheck([newKey])).toMatchObject({
    ok: false,
    detail: expect.stringContaining(lost.webhookId),
  });
});

test('resealing during rotations loses none of them and leaves nothing that needs the old key', async () => {
  const { db, webhooks } = await withWebhooks(20);
  const encryptionKeys = [newKey, oldKey];
  const secrets = new Map(webhooks.map(({ webhookId, secret }) => [webhookId, secret]));
  const input = { encryptionKeys, realNow: realNowMs(), now: realNowMs() };
  const rotateAll = async () => {
    for (const key of webhooks.toReversed()) {
      const secret = newWebhookSecret();
      const rotation = { ...key, secret, encryptionKeys, realNow: input.realNow };
      await db.transaction((tx) => rotateSecret(tx, rotation));
      secrets.set(key.webhookId, secret);
    }
  };
  await Promise.all([resealSecrets(db, input), rotateAll()]);
  await resealSecrets(db, input);
  expect(await surveySecrets(db, { encryptionKeys: [newKey] })).toMatchObject({
    webhooks: 20,
    current: 40,
    older: 0,
    unreadable: [],
  });
  const targets = await readTargets(db, webhooks, { ...input, encryptionKeys: [newKey] });
  for (const { webhookId, secret } of webhooks) {
    expect(targets.get(webhookId)?.secrets).toEqual([secrets.get(webhookId), secret]);
  }
});
