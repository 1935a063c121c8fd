// What the operator's machines ask, and what may never be in a log.
import { describe, expect, test } from 'vitest';
import { createOperatorToken, revokeOperatorToken } from '../../src/accounts/operator-tokens.ts';
import { createLog } from '../../src/foundation/log.ts';
import { newSecret } from '../../src/foundation/secret.ts';
import { startService } from '../support/service.ts';

const lines: string[] = [];
const log = createLog('trace', { write: (line: string) => void lines.push(line) });
const service = await startService({ log });
const now = service.app.clock.nowMs();

describe('/healthz and /readyz', () => {
  test('answer without a key', async () => {
    expect((await service.get(null, '/healthz')).body).toEqual({ status: 'ok' });
    expect((await service.get(null, '/readyz')).body).toEqual({ status: 'ready' });
  });
});

describe('/metrics', () => {
  test('needs a token of its own scope', async () => {
    const { db } = service.app;
    const metrics = await createOperatorToken(db, { scope: 'metrics', now });
    const ingest = await createOperatorToken(db, { scope: 'ingest', now });
    const ask = (token: string) =>
      service.get(null, '/metrics', { authorization: `Bearer ${token}` });
    expect((await service.get(null, '/metrics')).status).toBe(401);
    expect((await ask(ingest.token)).status).toBe(401);
    expect((await ask(newSecret('ovt_'))).status).toBe(401);
    expect((await ask('\u00e9')).status).toBe(401);
    const reply = await ask(metrics.token);
    expect(reply.status).toBe(200);
    expect(reply.body).toContain('oversight_request_seconds_bucket');
    expect(reply.body).toContain('oversight_charge_queue_age_seconds 0');
    await revokeOperatorToken(db, { tokenId: metrics.tokenId, now });
    expect((await ask(metrics.token)).status).toBe(401);
  });
});

describe('/docs and /openapi.json', () => {
  test('are there for everybody and fetch nothing from elsewhere', async () => {
    const page = await service.get(null, '/docs/');
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="https?:/);
    expect((await service.get(null, '/openapi.json')).body.openapi).toBe('3.1.0');
  });
});

test('no key, token or secret is ever logged, wherever it was put', async () => {
  const customer = await service.newCustomer({ perSecond: 1000 });
  const secrets = [customer.apiKey, newSecret('ovs_'), newSecret('ovt_'), 'whsec_MfKQ9r8GKYqrTwjU'];
  for (const secret of secrets) {
    await service.get(null, `/user/credits?api_key=${secret}`, { 'x-api-key': secret });
    await service.get(null, `/${secret}`, { authorization: `Bearer ${secret}` });
    await service.get(null, `/retailer/product/details?upc=${secret}`, { 'x-api-key': secret });
    await service.get(customer, '/user/credits/ledger?after=x', { 'x-request-id': secret });
    service.app.log.error({ err: `boom ${secret}` }, `message with ${secret}`);
  }
  expect(lines.length).toBeGreaterThan(15);
  for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).toContain('[hidden]');
});
