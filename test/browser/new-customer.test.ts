// The steps of a new customer, in a real browser against the real program, at one hour per second.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { realClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { describeInBrowser } from '../support/browser-tests.ts';
import { linkFor, PASSWORD, runDashboard } from '../support/dashboard-run.ts';
import { openSink } from '../support/sink.ts';

const EMAIL = 'new.customer@example.com';
/** The best seller: it changes every few hours. */
const source = createSimulatedSource({ clock: realClock });
const CODE = source.productAt(1).code;
const SAMPLE = source.productAt(0);

describeInBrowser('a new customer', async () => {
  const run = await runDashboard({ CLOCK_SPEED: '3600', ALLOW_PRIVATE_TARGETS: 'true' });
  const { page, complaints } = await run.visit();
  let apiKey = '';

  /** Sends a request with the API key, as the customer's program would. */
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(run.service.address + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any response body
    return { status: reply.status, body: (await reply.json()) as any };
  };

  test('signs up with the link from the e-mail', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await heading(page, 'Sign up');
    await page.getByLabel('E-mail').fill(EMAIL);
    await page.getByRole('button', { name: /link|sign up/i }).click();
    await page.getByText(EMAIL).waitFor();
    await page.goto(await linkFor(run.service, EMAIL));
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page
      .getByRole('button', { name: /sign up|account|password/i })
      .last()
      .click();
    await heading(page, 'Overview');
  });

  test('creates a key that is shown once, and uses it', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Repricer');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText(/^ovs_/).waitFor();
    apiKey = (await dialog.getByText(/^ovs_/).textContent()) ?? '';
    await dialog
      .getByRole('button', { name: /done|close/i })
      .first()
      .click();
    const credits = await send('GET', '/user/credits');
    expect(credits.status).toBe(200);
    expect(credits.body).toMatchObject({
      user_email: EMAIL,
      credits: { total: 1000, used_this_month: 0, remaining: 1000 },
    });
    await page.reload();
    await page.getByText('Repricer').first().waitFor();
    expect(await page.content()).not.toContain(apiKey);
  });

  test('opens a sample for free, by its address, with its history', async () => {
    await page.getByRole('link', { name: 'Products', exact: true }).click();
    await page.getByLabel('Find a product').fill(`https://shop.example/ip/x/${SAMPLE.code}?a=1`);
    await page.getByRole('button', { name: 'Open product' }).click();
    await page.getByRole('heading', { name: SAMPLE.name }).waitFor();
    await page.getByText('From your library').first().waitFor();
    expect((await send('GET', '/user/credits')).body.credits.used_this_month).toBe(0);
  });

  test('looks up a product for the credit on the button', async () => {
    await page.getByRole('link', { name: 'Products', exact: true }).first().click();
    await page.getByLabel('Find a product').fill(CODE);
    await page.getByRole('button', { name: 'Look up · 1 credit' }).click();
    await page.waitForURL(`**/products/${CODE}`);
    await page.getByRole('button', { name: 'Track this' }).waitFor();
    expect((await send('GET', '/user/credits')).body.credits.used_this_month).toBe(1);
  });

  test('tracks it every hour', async () => {
    await page.getByRole('button', { name: 'Track this' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /every hour/i }).check();
    await dialog.getByRole('button', { name: /Start tracking.*150 credits/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    const [tracked] = (await send('GET', '/retailer/oversight/products')).body;
    expect(tracked).toMatchObject({ retailer_product_code: CODE, tier: 0, status: 'active' });
    // Low thresholds, so that an event fires soon.
    const rules = {
      price: { percent: 0.1, usd: 0.01 },
      seller_price: { percent: 0.1, usd: 0.01 },
      rank: { percent: 1, places: 1 },
    };
    const path = `/retailer/oversight/products/${tracked.id}`;
    expect((await send('PATCH', path, { rules })).status).toBe(200);
  });

  test('is notified by a webhook, sees it fail, retries, and is charged exactly', async () => {
    const sink = await openSink(500);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Local listener');
    await dialog.getByLabel('URL').fill(sink.url);
    await dialog.getByRole('button', { name: /^(Create|Add|Save)/ }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();

    // The log fills without a reload.
    const log = page.getByRole('table', { name: /deliver/i });
    await log.getByText('500').first().waitFor({ timeout: 60_000 });
    expect(sink.received.length).toBeGreaterThan(0);
    sink.respond = 200;
    await log.getByRole('button', { name: /retry/i }).first().click();
    await log.getByText('200').first().waitFor({ timeout: 30_000 });

    await expect.poll(() => exactUse(send), { timeout: 20_000 }).toEqual({ exact: true });
  });

  test('saw no errors on any page', () => {
    // Before the sign-in the browser logs every 401.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

type Send = (method: string, path: string) => Promise<{ body: unknown }>;
type Entry = { kind: string; credits: number; at: string; operation: string | null };

/**
 * One look-up, and each day once at the price of the tier. Days may pass between the two requests,
 * so the caller polls until both agree.
 */
async function exactUse(send: Send): Promise<unknown> {
  const entries = (await send('GET', '/user/credits/ledger?limit=1000')).body as Entry[];
  const { credits } = (await send('GET', '/user/credits')).body as {
    credits: { used_this_month: number; remaining: number };
  };
  const tracking = entries.filter(({ kind }) => kind === 'tracking');
  const requests = entries.filter(({ kind }) => kind === 'request');
  const expected = 1 + 150 * tracking.length;
  const isExact =
    requests.length === 1 &&
    requests[0]?.credits === -1 &&
    tracking.length > 0 &&
    tracking.every((entry) => entry.credits === -150) &&
    new Set(tracking.map(({ at }) => at.slice(0, 10))).size === tracking.length &&
    credits.used_this_month === expected &&
    credits.remaining === 1000 - expected;
  return isExact ? { exact: true } : { entries, credits };
}
