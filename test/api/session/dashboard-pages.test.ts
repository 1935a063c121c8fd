// The dashboard's pages and files, from its last build.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../../src/api/dashboard-pages.ts';
import { startService } from '../../support/service.ts';
import { type PageHeaders, sendRequest } from '../../support/session.ts';

const DIST = new URL('../../../dashboard/dist/', import.meta.url);
const service = await startService();
const secure = await startService({ settings: { PUBLIC_URL: 'https://oversight.example' } });
const get = (path: string, headers: PageHeaders = {}, method = 'GET') =>
  sendRequest(service, null, {
    method,
    path,
    headers: { 'sec-fetch-site': undefined, ...headers },
  });

// Built before all tests from the current sources.
const first = await get('/');

test('are built', () => {
  expect(first.status).toBe(200);
});

describe('pages', () => {
  test.each(PAGE_PATHS)('%s is the one page, with a strict policy', async (path) => {
    const address = path.replaceAll(/:\w+/g, '500100001');
    const reply = await get(`${address}?token=x`);
    expect([reply.status, reply.body]).toEqual([200, first.body]);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(reply.headers['content-security-policy']).split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'"]));
    expect(policy).toEqual(expect.arrayContaining(["base-uri 'none'", "frame-ancestors 'none'"]));
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    const head = await get(address, {}, 'HEAD');
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-security-policy']).toBe(reply.headers['content-security-policy']);
  });

  test('the page needs nothing that its content security policy forbids', () => {
    expect(first.body).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  test('403 for a foreign host name; 404 for an unknown page', async () => {
    expect((await get('/sign-in', { host: 'evil.example' })).status).toBe(403);
    for (const path of ['/nothing', '/products/1/2', '//evil.example', '/session/nothing']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  test('HSTS is sent with https, and only then', async () => {
    expect(first.headers['strict-transport-security']).toBeUndefined();
    const reply = await sendRequest(secure, null, { method: 'GET', path: '/' });
    expect(reply.headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
  });
});

test('an unknown path is a page for a browser and a JSON error for a program', async () => {
  const visit = { host: 'localhost:8080', 'sec-fetch-mode': 'navigate' };
  const shown = await service.get(null, '/no/such/page', visit);
  expect([shown.status, shown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(shown.headers['content-security-policy']).toContain("script-src 'self'");
  expect((await service.get(null, '/no/such/page')).body.code).toBe('endpoint_not_found');
});

describe('files', () => {
  const inPage = [...String(first.body).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) =>
    String(path),
  );

  test('are linked from the page', () => {
    expect(inPage.filter((path) => path.startsWith('/assets/')).length).toBeGreaterThan(1);
  });

  test.each(inPage)('%s, which the page links to, exists', async (path) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    const isAsset = path.startsWith('/assets/');
    if (isAsset) {
      expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    } else {
      expect(reply.headers['cache-control']).not.toContain('immutable');
    }
    if (!isAsset || !existsSync(new URL(`.${path}.br`, DIST))) return;
    for (const [accepted, encoding] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ]) {
      const packed = await get(path, { 'accept-encoding': accepted });
      expect([packed.status, packed.headers['content-encoding']]).toEqual([200, encoding]);
    }
  });

  test.each([
    '/assets/',
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%00',
    '/index.html',
    '/.built-from',
  ])('%s is not served', async (path) => {
    const reply = await get(path);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});

test('the server serves every page of the client', () => {
  const source = readFileSync(
    new URL('../../../dashboard/src/app/paths.ts', import.meta.url),
    'utf8',
  );
  const made = [...source.matchAll(/[`'](\/[a-z-]*)(\/\$\{[^}]+\})?[`']/g)].map(
    ([, path, id]) => `${path}${id === undefined ? '' : '/:'}`,
  );
  const serverPaths = new Set([...PAGE_PATHS.map((path) => path.replace(/:\w+/, ':')), '/docs']);
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter((path) => !serverPaths.has(path))).toEqual([]);
});
