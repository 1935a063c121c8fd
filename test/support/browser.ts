// A real browser for tests and screenshots: the installed Chromium if there is one, else the
// packaged one.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser makes no requests of its own. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
];

export type BrowserChoice =
  | { kind: 'installed'; path: string }
  | { kind: 'packaged' }
  | { kind: 'none'; reason: string };

/**
 * Which browser to use. `setting` is TEST_BROWSER: `packaged` ignores the installed browser, a path
 * names another one. The package has a browser for Linux on x64 only.
 */
export function chooseBrowser(options: {
  setting: string | undefined;
  machine: { platform: string; arch: string };
  exists: (path: string) => boolean;
}): BrowserChoice {
  const { setting = '', machine, exists } = options;
  const { platform, arch } = machine;
  if (setting !== '' && setting !== 'packaged')
    return exists(setting)
      ? { kind: 'installed', path: setting }
      : { kind: 'none', reason: `TEST_BROWSER names ${setting}, which does not exist` };
  const path = setting === 'packaged' ? undefined : INSTALLED.find(exists);
  if (path !== undefined) return { kind: 'installed', path };
  if (platform === 'linux' && arch === 'x64') return { kind: 'packaged' };
  const missing = setting === 'packaged' ? '' : `none of ${INSTALLED.join(', ')} exists, and `;
  return {
    kind: 'none',
    reason: `${missing}the packaged browser is for linux x64, not for ${platform} ${arch}`,
  };
}

const choice = chooseBrowser({
  setting: process.env.TEST_BROWSER,
  machine: process,
  exists: existsSync,
});

/** Why there is no browser; null if there is one. */
export const browserMissing = choice.kind === 'none' ? choice.reason : null;

/** Runs before all tests: unpacks the packaged browser once, or reports that there is none. */
export async function prepareBrowser(): Promise<void> {
  if (choice.kind === 'packaged') await packagedPath();
  if (choice.kind === 'none')
    process.stderr.write(`The browser tests are skipped: ${choice.reason}.\n`);
}

async function packagedPath(): Promise<string> {
  // Without this setting it does not unpack the libraries that it needs.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  const packaged = await import('@sparticuz/chromium');
  return packaged.default.executablePath();
}

export async function launchBrowser(): Promise<Browser> {
  if (choice.kind === 'none') throw new Error(`No browser: ${choice.reason}.`);
  const executablePath = choice.kind === 'installed' ? choice.path : await packagedPath();
  return chromium.launch({ executablePath, args: QUIET, env: { ...process.env } as Environment });
}

export type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A context with the language English, whatever the environment says. */
export const newVisitor = (browser: Browser, options: ContextOptions = {}) =>
  browser.newContext({ locale: 'en-US', ...options });

type Environment = Record<string, string>;

/** Collects the errors of a page. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}
