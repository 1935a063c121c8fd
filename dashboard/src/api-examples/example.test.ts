// The API examples are filled in completely, and verify signatures correctly.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXAMPLES, LANGUAGES } from './example.ts';
import { exampleCode } from './example-code.ts';

const VALUES = {
  baseUrl: 'https://api.example.com',
  apiKey: `ovs_${'a1B2'.repeat(9)}`,
  code: '501447399',
  maxCredits: 15,
};
const all = LANGUAGES.flatMap(({ value: language }) =>
  EXAMPLES.map(({ id }) => ({ id, language, text: exampleCode(id, language, VALUES) })),
);
const calls = all.filter(({ id }) => id !== 'verify');

test.each(calls)('$id in $language calls this server with this key', ({ text }) => {
  expect(text).toContain(VALUES.baseUrl);
  expect(text.split(VALUES.apiKey)).toHaveLength(2);
});

test.each(calls.filter(({ id }) => ['details', 'history', 'track'].includes(id)))(
  '$id in $language names the chosen product',
  ({ text }) => expect(text).toContain(VALUES.code),
);

test.each(calls.filter(({ id }) => id === 'history'))(
  'the price history in $language names the most it may cost',
  ({ text }) => expect(text).toMatch(/x-max-credits\W+15/),
);

test.each(all)('$id in $language fits a screen', ({ text }) => {
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test('the TypeScript example accepts a genuine delivery and rejects a changed, old or foreign one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  const path = join(folder, 'verify.ts');
  writeFileSync(path, exampleCode('verify', 'typescript', VALUES));
  const { isGenuine } = await import(/* @vite-ignore */ path);
  rmSync(folder, { recursive: true });

  const key = Buffer.alloc(32, 7);
  const secret = `whsec_${key.toString('base64')}`;
  const signed = (body: string, timestamp = String(Math.floor(Date.now() / 1000))) => {
    const value = createHmac('sha256', key).update(`id-1.${timestamp}.${body}`).digest('base64');
    const signature = `v1,bm90IG91cnM= v1,${value}`;
    const headers = {
      'webhook-id': 'id-1',
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    return { headers, body };
  };
  expect(isGenuine(signed('{"type":"price.drop"}'), secret)).toBe(true);
  expect(isGenuine({ ...signed('{"a":1}'), body: '{"a":2}' }, secret)).toBe(false);
  expect(isGenuine(signed('{}', String(Math.floor(Date.now() / 1000) - 301)), secret)).toBe(false);
  expect(isGenuine(signed('{}'), `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toBe(false);
  expect(isGenuine({ headers: {}, body: '{}' }, secret)).toBe(false);
});
