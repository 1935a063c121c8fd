// Health checks, metrics and docs, and what must never be in a log.
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOperatorToken, revokeOperatorToken } from '../../src/accounts/operator-tokens.ts';
import type { OperationsDeps } from '../../src/api/operations.ts';
import { buildServer } from '../../src/api/server.ts';
import { ERROR_CODES } from '../../src/foundation/error-codes.ts';
import { createLog } from '../../src/foundation/log.ts';
import { newSecret } from '../../src/foundation/secret.ts';
import { startService } from '../support/service.ts';

const lines: string[] = [];
const log = createLog('trace', { write: (line: string) => void lines.push(line) });
const service = await startService({ log });
const now = service.app.clock.nowMs();

describe('/healthz and /readyz', () => {
  test('respond without a key', async () => {
    expect((await service.get(null, '/healthz')).body).toEqual({ status: 'ok' });
    expect((await service.get(null, '/readyz')).body).toEqual({ status: 'ready' });
  });

  /** What /readyz of a process with these properties returns. */
  async function readiness(more: Partial<OperationsDeps>) {
    const deps = { ...service.app, notReadyReason: () => null, ...more };
    const server = await buildServer(deps, { trustProxy: null, endpoints: false });
    onTestFinished(() => server.close());
    const { statusCode, payload } = await server.inject('/readyz');
    return [statusCode, JSON.parse(payload)];
  }
  const faults = () => ['loop settle-days has failed for 42 s'];

  test('a worker whose loops fail is not ready and says which', async () => {
    expect(await readiness({ faults, isWorker: true })).toMatchObject([
      503,
      { code: 'not_ready', message: 'Not ready: loop settle-days has failed for 42 s.' },
    ]);
    expect(await readiness({ faults: () => [], isWorker: true })).toEqual([
      200,
      { status: 'ready' },
    ]);
  });

  test('a process that serves requests stays ready, and lists its faults', async () => {
    expect(await readiness({ faults })).toEqual([200, { status: 'ready', faults: faults() }]);
  });

  test('under one parent, the faults of all processes are listed', async () => {
    const reports = [
      { metrics: [], faults: ['worker-1: loop fan-out has failed for 9 s'] },
      { metrics: [], faults: ['process api-2 does not respond'] },
    ];
    expect(await readiness({ collectReports: async () => reports })).toEqual([
      200,
      { status: 'ready', faults: reports.flatMap((report) => report.faults) },
    ]);
  });
});

describe('/metrics', () => {
  test('needs a token of its own scope', async () => {
    const { db } = service.app;
    const metrics = await createOperatorToken(db, { scope: 'metrics', now });
    const ingest = await createOperatorToken(db, { scope: 'ingest', now });
    const send = (token: string) =>
      service.get(null, '/metrics', { authorization: `Bearer ${token}` });
    expect((await service.get(null, '/metrics')).status).toBe(401);
    expect((await send(ingest.token)).status).toBe(401);
    expect((await send(newSecret('ovt_'))).status).toBe(401);
    expect((await send('\u00e9')).status).toBe(401);
    const reply = await send(metrics.token);
    expect(reply.status).toBe(200);
    expect(reply.body).toContain('oversight_request_seconds_bucket');
    expect(reply.body).toContain('oversight_charge_queue_age_seconds 0');
    await revokeOperatorToken(db, { tokenId: metrics.tokenId, now });
    expect((await send(metrics.token)).status).toBe(401);
  });
});

describe('/docs and /openapi.json', () => {
  const hostHeader = { host: 'localhost:8080' };
  const DOCUMENTS = ['/docs/', '/docs/errors', '/docs/js/scalar.js', '/openapi.json'];
  const lengthOf = (body: unknown) =>
    Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body));

  test('are public and load nothing from other hosts', async () => {
    const page = await service.get(null, '/docs/', hostHeader);
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="https?:/);
    // The way back, the icon, and examples with the service's own address.
    expect(page.body).toContain('<a href="/"');
    expect(page.body).toContain('href="/icon.svg"');
    expect(page.body).toContain(`"baseServerURL": "${service.app.allowedOrigins.publicUrl}"`);
    expect((await service.get(null, '/openapi.json', hostHeader)).body.openapi).toBe('3.1.0');
    const { status, headers } = await service.get(null, '/docs?x=1', hostHeader);
    expect([status, headers.location]).toEqual([301, '/docs/']);
  });

  test('/docs/errors has an anchor for every code and runs no script', async () => {
    const { body, headers } = await service.get(null, '/docs/errors', hostHeader);
    for (const code of Object.keys(ERROR_CODES)) expect(body).toContain(`id="${code}"`);
    expect(body).not.toContain('<script');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  test.each(DOCUMENTS)(
    '%s is sent once per ETag, and never for a foreign host name',
    async (path) => {
      const { status, headers, body } = await service.get(null, path, hostHeader);
      expect([status, headers['content-length']]).toEqual([200, String(lengthOf(body))]);
      const tag = String(headers.etag);
      expect(tag).toMatch(/^"[\w-]{22}"$/);
      for (const etag of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const again = await service.get(null, path, { ...hostHeader, 'if-none-match': etag });
        expect([again.status, again.body, again.headers.etag]).toEqual([304, '', tag]);
      }
      expect(
        (await service.get(null, path, { ...hostHeader, 'if-none-match': '"x"' })).status,
      ).toBe(200);
      for (const host of ['', ':', '[', 'evil.example', 'a b', '%00', 'localhost:8080@evil']) {
        const reply = await service.get(null, path, { host });
        expect([host, reply.status, reply.body.code]).toEqual([host, 403, 'host_not_allowed']);
      }
    },
  );

  test.each(DOCUMENTS)('%s may not be framed or sniffed as another type', async (path) => {
    expect((await service.get(null, path, hostHeader)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  test('is compressed only for clients that accept gzip', async () => {
    const send = (accepted: string) =>
      service.server.inject({
        method: 'GET',
        url: '/openapi.json',
        headers: { ...hostHeader, 'accept-encoding': accepted },
      });
    const packed = await send('br, gzip');
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    const plain = await send('gzip;q=0');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.payload);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
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
