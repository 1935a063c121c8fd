// Every page in a real browser: headings, accessibility in light and dark, phone width, script
// size.
import type { Page, Response } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/api/dashboard-pages.ts';
import { lane } from '../../src/database/families.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { dayOf } from '../../src/tracking/slot.ts';
import { describeInBrowser } from '../support/browser-tests.ts';
import { seriousBarriers, visit } from '../support/browser-visit.ts';
import { startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const source = createSimulatedSource({ clock: realClock });
const CODE = source.productAt(0).code;
const OTHER_CODE = source.productAt(1).code;
const UNPAID_CODE = source.productAt(2).code;
const SCRIPT_BYTES_MAX = 250_000;

describeInBrowser('the dashboard', async () => {
  const service = await startService({ source, allowPrivateTargets: true });
  const person = await signedIn(service, { plan: 'Pro' });
  const browser = await visit(service);
  const post = (path: string, body: unknown) =>
    sendRequest(service, person, { method: 'POST', path: `/session${path}`, body });

  // An account in use: one product tracked, another looked up, a webhook.
  const tracked = await post('/retailer/oversight/products', { retailer_product_code: CODE });
  expect(tracked.status).toBe(201);
  // Pays its day, so that there is data to show.
  await sendRequest(service, person, {
    method: 'GET',
    path: `/session/retailer/oversight/products/${tracked.body.id}`,
  });
  // It has been collected in time for a week.
  await service.app.db.query(
    `update watchers set since_at = now() - interval '10 days', in_time_days = $1
      where retailer_product_code = $2`,
    [`${dayOf(realClock.nowMs())}:1111111`, CODE],
  );
  // Another one has no paid day yet, and a button that pays it.
  const unpaid = await post('/retailer/oversight/products', {
    retailer_product_code: UNPAID_CODE,
    tier: 0,
  });
  expect(unpaid.status).toBe(201);
  const webhook = await post('/retailer/webhooks', {
    name: 'Repricer',
    url: 'https://hooks.example.com/',
    events: ['price.drop', 'stock.out'],
  });
  expect(webhook.status).toBe(201);
  await post(`/retailer/webhooks/${webhook.body.id}/test`, {});
  await sendRequest(service, person, {
    method: 'GET',
    path: `/session/retailer/product/details?retailer_product_code=${OTHER_CODE}`,
  });

  const INSIDE: readonly { path: string; heading: string | RegExp }[] = [
    { path: '/', heading: 'Overview' },
    { path: '/products', heading: 'Products' },
    { path: `/products/${CODE}`, heading: /./ },
    { path: `/products/${OTHER_CODE}`, heading: /./ },
    { path: `/products/${UNPAID_CODE}`, heading: /./ },
    { path: '/tracking', heading: 'Tracked' },
    { path: '/oversight', heading: 'Tracked' },
    { path: '/events', heading: 'Events' },
    { path: '/finder', heading: 'Finder' },
    { path: '/webhooks', heading: 'Webhooks' },
    { path: `/webhooks/${webhook.body.id}`, heading: 'Repricer' },
    { path: '/credits', heading: 'Credits' },
    { path: '/api', heading: /API/ },
    { path: '/settings', heading: 'Settings' },
  ];
  const OUTSIDE = [
    { path: '/sign-in', heading: /sign in/i },
    { path: '/sign-up', heading: /sign up/i },
    { path: '/finish-sign-up?token=t', heading: /password/i },
    { path: '/forgot-password', heading: /./ },
    { path: '/reset-password?token=t', heading: /password/i },
  ];
  const pages = [
    ...INSIDE.map((one) => ({ ...one, who: person })),
    ...OUTSIDE.map((one) => ({ ...one, who: null })),
  ];

  test('how punctually products are collected is shown by tier and for each product', async () => {
    const { page } = await browser.open(person);
    await page.goto('/tracking');
    await page.getByText(/^Collected in time in 7 days: once a day 100%$/).waitFor();
    await page.goto(`/products/${CODE}`);
    await page.getByText(/^100% of [67] in 7 days/).waitFor();
    await page.getByText(/today.*, within 2 h 24 min$/).waitFor();
  });

  test('is tested here on every page that the server serves', () => {
    const patterns = PAGE_PATHS.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
    const seen = pages.map(({ path }) => path.split('?')[0] as string);
    expect(patterns.filter((one) => !seen.some((path) => one.test(path)))).toEqual([]);
  });

  test('every page has its heading, no serious barrier in light or dark, and logs no errors', async () => {
    const visits = { inside: await browser.open(person), outside: await browser.open(null) };
    for (const { path, heading, who } of pages) {
      const { page } = who === null ? visits.outside : visits.inside;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.waitForLoadState('load');
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      const light = await seriousBarriers(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-theme="dark"]').waitFor();
      // Wait until colour transitions have ended.
      await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
      // Only the colours differ in dark mode.
      const dark = await seriousBarriers(page, { only: ['color-contrast'] });
      expect({ path, light, dark }).toEqual({ path, light: [], dark: [] });
    }
    expect(visits.inside.complaints).toEqual([]);
    expect(visits.outside.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  }, 120_000);

  // Languages that browsers report where LANG is C.UTF-8 or unset.
  describe('in an odd language', async () => {
    // One page for all: the first load of a new visitor takes four times the CPU of a further one.
    const { page, context, complaints } = await browser.open(person);

    for (const language of ['en-US@posix', '', 'x-klingon']) {
      test(`a browser whose language is '${language}' draws the charts`, async () => {
        await context.addInitScript((tag) => {
          const reports = (get: () => unknown) => ({ get, configurable: true });
          Object.defineProperty(
            Navigator.prototype,
            'language',
            reports(() => tag),
          );
          Object.defineProperty(
            Navigator.prototype,
            'languages',
            reports(() => [tag]),
          );
        }, language);
        await page.goto(`/products/${CODE}`);
        await page.locator('figure canvas').first().waitFor();
        // The dashboard replaces it on the object itself.
        const reported = await page.evaluate(() => Object.create(Navigator.prototype).language);
        expect(reported).toBe(language);
        expect(complaints).toEqual([]);
      });
    }
  });

  test('on a phone no page is wider than the screen', async () => {
    const { page, complaints } = await browser.open(person, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    let shown: string | RegExp | null = null;
    for (const { path, heading } of INSIDE) {
      // Loaded again where the heading does not distinguish this page from the one before.
      if (shown === null || typeof heading !== 'string' || heading === shown) await page.goto(path);
      else await followLink(page, path);
      shown = heading;
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect({ path, width }).toEqual({ path, width: 390 });
    }
    expect(complaints).toEqual([]);
  }, 120_000);

  // The largest pages: with charts, and with the table of all products.
  const LARGEST = ['/', `/products/${CODE}`, '/tracking'];

  test(`first loads of the largest pages need less than ${SCRIPT_BYTES_MAX} bytes of compressed script`, async () => {
    const { page, context } = await browser.open(person);
    const protocol = await context.newCDPSession(page);
    await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
    for (const { path, heading } of INSIDE.filter((one) => LARGEST.includes(one.path))) {
      const scripts = new Map<string, number>();
      const add = (response: Response) => {
        const { pathname } = new URL(response.url());
        if (!pathname.endsWith('.js')) return;
        scripts.set(pathname, Number(response.headers()['content-length']));
      };
      page.on('response', add);
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      const bytes = [...scripts.values()].reduce((sum, length) => sum + length, 0);
      expect(bytes).toBeGreaterThan(0);
      expect({ path, fits: bytes < SCRIPT_BYTES_MAX || [...scripts] }).toEqual({
        path,
        fits: true,
      });
      page.off('response', add);
    }
  }, 120_000);

  test('ten thousand tracked products show no empty rows while scrolling', async () => {
    const many = await signedIn(service, { plan: 'Pro' });
    await service.app.db.query(
      `insert into tracked_products (lane, account_id, tracked_id, retailer_product_code, tier,
                                     is_suspended, is_pending, created_at)
       select $1, $2, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
              '6' || lpad(n::text, 8, '0'), n % 5, false, false, timestamptz '2026-01-01' + n * interval '1 minute'
         from generate_series(1, 10000) as n`,
      [lane(many.accountId), many.accountId],
    );
    const { page } = await browser.open(many);
    await page.goto('/tracking');
    await page
      .getByText(/10,000 products/)
      .first()
      .waitFor();
    await page.getByText('600010000').first().waitFor();
    const gaps = await page.evaluate(async () => {
      const box = [...document.querySelectorAll('*')].find(
        (one) =>
          one.querySelector('table, [role="table"], [role="grid"]') && one.scrollHeight > 100_000,
      ) as HTMLElement;
      const { top, bottom, left } = box.getBoundingClientRect();
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      let missing = 0;
      for (let step = 0; step <= 60; step++) {
        // Jumps over the whole list, more than a screen each time.
        box.scrollTop = ((step * 37) % 61) * (box.scrollHeight / 61);
        await frame();
        await frame();
        for (let y = top + 60; y < Math.min(bottom, innerHeight) - 40; y += 40) {
          const row = document.elementFromPoint(left + 120, y)?.closest('tr, [role="row"]');
          if (!/\d{9}/.test(row?.textContent ?? '')) missing++;
        }
      }
      return missing;
    });
    expect(gaps).toBe(0);
  }, 60_000);
});

/** Goes to a page as a link does: without loading everything again. */
async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}
