// Writes screenshots of every page, in light and dark, to docs/screenshots: the real program with
// its demo account, some tracked products over three days, and a webhook that sometimes fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { realClock } from '../src/foundation/clock.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { launchBrowser, newVisitor } from '../test/support/browser.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/screenshots');
const SIZE = { width: 1200, height: 720 };
const TRACKED = 18;
/** Simulated days; each takes 24 seconds. */
const SIMULATED_DAYS = 3;

type Service = { child: ChildProcess; address: string; email: string; password: string };

async function startService(dataDir: string): Promise<Service> {
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
      CLOCK_SPEED: '3600',
      ALLOW_PRIVATE_TARGETS: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    process.stdout.write(chunk);
    if (output.includes('\n  curl ')) break;
  }
  const after = (name: string) => new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  return {
    child,
    address: after('Oversight'),
    email: after('e-mail'),
    password: after('password'),
  };
}

/** A webhook receiver; one request in eight fails, for the log. */
async function openReceiver(): Promise<{ url: string; close(): void }> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = ++received % 8 === 0 ? 500 : 200;
    response.end(response.statusCode === 200 ? 'thanks' : 'try again later');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, close: () => server.close() };
}

async function signIn(browser: Browser, service: Service, colorScheme: 'light' | 'dark') {
  const context = await newVisitor(browser, {
    baseURL: service.address,
    viewport: SIZE,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(service.email);
  await page.getByLabel('Password', { exact: true }).fill(service.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}

/** Sends a request as the page would. */
const send = (page: Page, path: string, body: unknown) =>
  page.evaluate(
    async ([to, text]) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`/session${to}`, { method: 'POST', headers, body: text });
      return (await reply.json()) as { id: string };
    },
    [path, JSON.stringify(body)] as const,
  );

/** Tracks products of every tier, creates two webhooks, and waits some simulated days. */
async function simulateDays(
  page: Page,
  hookUrl: string,
): Promise<{ code: string; webhookId: string }> {
  const source = createSimulatedSource({ clock: realClock });
  for (let index = 0; index < TRACKED; index++) {
    const tier = index % 6 === 5 ? 0 : index % 5;
    const { code } = source.productAt(index);
    await send(page, '/retailer/oversight/products', { retailer_product_code: code, tier });
  }
  const { id } = await send(page, '/retailer/webhooks', {
    name: 'Repricer',
    url: hookUrl,
    events: ['*'],
  });
  await send(page, '/retailer/webhooks', {
    name: 'Stock alerts',
    url: `${hookUrl}/stock`,
    events: ['stock.low', 'stock.out'],
  });
  process.stdout.write(`  ${SIMULATED_DAYS} days pass …\n`);
  await sleep(SIMULATED_DAYS * 24_000);
  return { code: source.productAt(0).code, webhookId: id };
}

async function draw(page: Page, theme: string, seen: { code: string; webhookId: string }) {
  const pages: Record<string, string> = {
    overview: '/',
    products: '/products',
    product: `/products/${seen.code}`,
    tracking: '/tracking',
    events: '/events',
    finder: '/finder',
    webhooks: '/webhooks',
    webhook: `/webhooks/${seen.webhookId}`,
    credits: '/credits',
    api: '/api',
    settings: '/settings',
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (name === 'product') await showHistory(page);
    await page.waitForTimeout(1_500); // wait for charts and loading states
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    process.stdout.write(`  ${name}-${theme}.png\n`);
  }
}

/** The pages without a session. */
async function drawOutside(browser: Browser, service: Service, colorScheme: 'light' | 'dark') {
  const visitor = await newVisitor(browser, {
    baseURL: service.address,
    viewport: SIZE,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await visitor.newPage();
  for (const name of ['sign-in', 'sign-up', 'forgot-password']) {
    await page.goto(`/${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await visitor.close();
}

/** Three years of prices; the first products are samples, whose history is free. */
async function showHistory(page: Page): Promise<void> {
  await page.getByRole('slider').waitFor();
  await page.waitForTimeout(2_000); // a sample loads its history by itself
  const older = page.getByRole('button', { name: /^Older prices/ });
  if (await older.isVisible()) await older.click();
  await page.getByText('3y', { exact: true }).first().click();
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'oversight-screenshots-'));
  const receiver = await openReceiver();
  const service = await startService(dataDir);
  const browser = await launchBrowser();
  try {
    const light = await signIn(browser, service, 'light');
    const seen = await simulateDays(light, receiver.url);
    await draw(light, 'light', seen);
    await draw(await signIn(browser, service, 'dark'), 'dark', seen);
    for (const theme of ['light', 'dark'] as const) await drawOutside(browser, service, theme);
  } finally {
    await browser.close();
    receiver.close();
    service.child.kill('SIGTERM');
    await once(service.child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await main();
