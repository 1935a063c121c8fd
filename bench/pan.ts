// Moving the dashboard's chart with three years of hourly points of twenty sellers: CPU
// milliseconds of script per frame in a real browser, driven by mouse events.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { build } from 'vite';
import { launchBrowser, newVisitor } from '../test/support/browser.ts';
import { type Measure, measured } from './figure.ts';

const DASHBOARD = fileURLToPath(new URL('../dashboard', import.meta.url));
const FRAMES = 200;
/** The acceptance, and what we aim at. */
const AT_MOST_MS = 8;
const GOAL_MS = 3;

export async function panBench(): Promise<Measure[]> {
  const outDir = mkdtempSync(join(tmpdir(), 'oversight-pan-'));
  const browser = await launchBrowser();
  try {
    await build({
      configFile: join(DASHBOARD, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir, rollupOptions: { input: join(DASHBOARD, 'bench/pan.html') } },
    });
    const server = await serve(outDir);
    const context = await newVisitor(browser, { viewport: { width: 1_200, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${server.address}/bench/pan.html`);
    process.stdout.write(`  summaries of 1.1 million points ${await page.title()}\n`);
    const figures: Measure[] = [];
    for (const days of [365, 91, 7]) figures.push(...(await panned(page, days)));
    server.close();
    return figures;
  } finally {
    await browser.close();
    rmSync(outDir, { recursive: true, force: true });
  }
}

async function serve(folder: string): Promise<{ address: string; close(): void }> {
  const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const bytes = await readFile(join(folder, path)).catch(() => null);
    response.statusCode = bytes === null ? 404 : 200;
    response.setHeader('content-type', types[extname(path)] ?? 'text/html');
    response.end(bytes ?? '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Shift and drag to and fro; one mouse event per frame. */
async function panned(page: Page, days: number): Promise<Measure[]> {
  await page.evaluate((count) => (globalThis as never as Shown).show(count), days);
  const cdp = await page.context().newCDPSession(page);
  // CPU time of the page's thread: other programs of the machine do not count.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.mouse.move(600, 200);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  const script: number[] = [];
  const task: number[] = [];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const before = await durations(cdp);
    await page.mouse.move(600 + Math.round(400 * Math.sin(frame / 12)), 200);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => done(null)))');
    const after = await durations(cdp);
    script.push((after.script - before.script) * 1000);
    task.push((after.task - before.task) * 1000);
  }
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await cdp.detach();
  const [half, most] = [at(script, 0.5), at(script, 0.95)];
  process.stdout.write(
    `  ${days} days shown: script ${half.toFixed(2)} ms p50, ${most.toFixed(2)} ms p95; with layout and painting ${at(task, 0.5).toFixed(2)} and ${at(task, 0.95).toFixed(2)} ms\n`,
  );
  const name = `script per frame at p95, ${days} days of 45 lines, ms`;
  return [measured({ name, value: most, atMost: AT_MOST_MS, goal: GOAL_MS })];
}

type Shown = { show: (days: number) => void };

async function durations(cdp: CDPSession): Promise<{ script: number; task: number }> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const read = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { script: read('ScriptDuration'), task: read('TaskDuration') };
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
