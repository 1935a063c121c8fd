// The command page-map try on saved pages and on pages of a server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Command } from './command.ts';
import { pageMapCommands } from './page-map.ts';

const folder = await mkdtemp(join(tmpdir(), 'oversight-page-map-'));
afterAll(() => rm(folder, { recursive: true }));
const mapFile = join(folder, 'shop.json');
const command = pageMapCommands[0] as Command & { on: 'nothing' };
const attempt = (place: string, options: Record<string, string> = {}) =>
  command.run(() => {}, { words: [mapFile, place], options });

const pageOf = (price: unknown) =>
  `<script>window.__STATE__ = ${JSON.stringify({ item: { id: '77123', title: 'Kettle', price } })}</script>`;

beforeAll(() =>
  writeFile(
    mapFile,
    JSON.stringify({
      hosts: ['shop.test'],
      data: { variable: 'window.__STATE__' },
      product: 'item',
      members: {
        retailer_product_code: 'id',
        product_name: 'title',
        brand: 'maker',
        buybox: { price: 'price', currency: { is: 'USD' } },
      },
    }),
  ),
);

test('shows each member with its place, and the snapshot', async () => {
  const file = join(folder, 'page.html.gz');
  await writeFile(file, gzipSync(pageOf(19.99)));
  const { text, json, exitCode } = await attempt(file);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/buybox\.price +price +19\.99/);
  expect(text).toMatch(/brand +maker +\(not found\)/);
  expect(json).toMatchObject({
    refused: null,
    snapshot: { retailer_product_code: '77123', buybox: { price: 19.99 } },
  });
});

test('says why a page cannot be read', async () => {
  const file = join(folder, 'page.html');
  await writeFile(file, pageOf('about 20'));
  expect(await attempt(file)).toMatchObject({ exitCode: 1 });
  expect((await attempt(file)).text).toContain(
    'Refused: buybox.price: "about 20" is not one price',
  );
  await writeFile(file, pageOf(19.99));
  expect((await attempt(file, { code: '5' })).text).toContain('is about product 77123, not 5');
  await writeFile(file, '<h1>Kettle</h1>');
  expect((await attempt(file)).text).toContain('The map: no script assigns window.__STATE__');
  await expect(attempt(join(folder, 'none.html'))).rejects.toThrow(/none\.html cannot be read/);
});

test('loads a page as the service does, and respects robots.txt', async () => {
  let robots = '';
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/robots.txt' ? robots : pageOf(19.99));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ip/77123`;
  expect((await attempt(url)).json).toMatchObject({ snapshot: { product_name: 'Kettle' } });
  robots = 'User-agent: *\nDisallow: /ip/';
  await expect(attempt(url)).rejects.toThrow(/robots\.txt does not allow this page/);
});
