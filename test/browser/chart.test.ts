// The chart of a product in a real browser: what is free, what is bought, zoom, keys and address.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { realClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { describeInBrowser } from '../support/browser-tests.ts';
import { seriousBarriers, visit } from '../support/browser-visit.ts';
import { startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const source = createSimulatedSource({ clock: realClock });
// The first products are samples, whose data is free.
const CODE = source.productAt(20).code;

describeInBrowser('the chart of a product', async () => {
  const service = await startService({ source });
  const person = await signedIn(service, { plan: 'Pro' });
  const browser = await visit(service);
  const tracked = await sendRequest(service, person, {
    method: 'POST',
    path: '/session/retailer/oversight/products',
    body: { retailer_product_code: CODE, tier: 0 },
  });
  await sendRequest(service, person, {
    method: 'GET',
    path: `/session/retailer/oversight/products/${tracked.body.id}`,
  });
  const { page, complaints } = await browser.open(person, {
    viewport: { width: 1280, height: 1000 },
  });
  const slider = page.getByRole('slider');
  const reset = page.getByRole('button', { name: 'Reset zoom' });
  const search = () => new URL(page.url()).searchParams;

  test('shows at once what tier 0 pays for, and buys nothing by itself', async () => {
    const before = await service.used(person);
    await page.goto(`/products/${CODE}`);
    await slider.waitFor();
    await page.getByRole('group', { name: 'Sellers shown' }).getByRole('button').first().waitFor();
    for (const name of ['Buybox', 'Lowest offer', 'Stock'])
      await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await service.used(person)).toBe(before);
    await page.getByRole('button', { name: /^Older prices · 15 credits$/ }).click();
    await page.getByRole('radio', { name: 'Three years' }).and(page.locator(':enabled')).waitFor();
    expect(await service.used(person)).toBe(before + 15);
    // The range covers what was bought.
    await expect.poll(() => search().get('range')).toBe('1y');
  });

  test('zooms by dragging; a double click goes one step back, and reset is gone at the end', async () => {
    await drag(page, 300, 700);
    const first = search().get('from');
    expect(first).not.toBeNull();
    await drag(page, 200, 500);
    expect(search().get('from')).not.toBe(first);
    await reset.waitFor();
    const { x, y } = await placeOf(page);
    await page.mouse.dblclick(x + 400, y + 100);
    await expect.poll(() => search().get('from')).toBe(first);
    await page.mouse.dblclick(x + 400, y + 100);
    await expect.poll(() => search().get('from')).toBeNull();
    expect([await reset.count(), search().get('range')]).toEqual([0, '1y']);
  });

  test('keeps range and toggles over a reload, and the back button undoes them', async () => {
    await page.getByText('3y', { exact: true }).click();
    await page.getByRole('button', { name: 'Stock', exact: true }).click();
    await expect.poll(() => search().get('hide')).toBe('stock');
    await page.reload();
    await slider.waitFor();
    const stock = page.getByRole('button', { name: 'Stock', exact: true });
    await expect.poll(() => stock.getAttribute('aria-pressed')).toBe('false');
    expect(await page.getByRole('radio', { name: 'Three years' }).isChecked()).toBe(true);
    await page.goBack();
    await expect.poll(() => stock.getAttribute('aria-pressed')).toBe('true');
    expect(search().get('range')).toBe('3y');
  });

  test('says its values to the keyboard, as a table and as CSV, without a barrier', async () => {
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/Buybox \$\d/);
    await page.keyboard.press('+');
    await reset.waitFor();
    await page.keyboard.press('0');
    await expect.poll(() => reset.count()).toBe(0);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Buybox', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Values (CSV)' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv.split('\r\n')[0]).toMatch(/^time,Buybox price,/);
    expect(csv.split('\r\n').length).toBeGreaterThan(20);
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    await expect.poll(() => page.locator('[data-base-ui-focus-guard]').count()).toBe(0);
    expect(await seriousBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

async function placeOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.getByRole('slider').boundingBox();
  if (box === null) throw new Error('The chart is not shown.');
  return box;
}

async function drag(page: Page, from: number, to: number): Promise<void> {
  const { x, y } = await placeOf(page);
  const before = page.url();
  await page.mouse.move(x + from, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + (from + to) / 2, y + 110);
  await page.mouse.move(x + to, y + 110);
  await page.mouse.up();
  await expect.poll(() => page.url()).not.toBe(before);
}
