// Runs the real program with the dashboard on its own database, and a browser that visits it.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { atEnd } from './at-end.ts';
import { type ContextOptions, complaintsOf, launchBrowser, newVisitor } from './browser.ts';
import { type ChildService, type Program, programOn } from './child-service.ts';
import { newDataDir } from './data-dir.ts';

export const PASSWORD = 'correct horse battery';

export type DashboardRun = {
  program: Program;
  service: ChildService;
  browser: Browser;
  /** A new page of a new visitor, with its errors collected. */
  visit(options?: ContextOptions): Promise<Visit>;
  /** A visitor signed in to an account that an operator created. */
  visitSignedIn(account: { email: string }, options?: ContextOptions): Promise<Visit>;
};

export type Visit = { page: Page; context: BrowserContext; complaints: string[] };

export async function runDashboard(
  settings: Readonly<Record<string, string>> = {},
): Promise<DashboardRun> {
  const program = programOn(await newDataDir(), { DEMO: 'false', ...settings });
  const service = await program.start();
  const browser = await launchBrowser();
  atEnd(async () => {
    await browser.close();
    await service.stop();
  });
  const visit: DashboardRun['visit'] = async (options) => {
    const context = await newVisitor(browser, { baseURL: service.address, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return { page, context, complaints: complaintsOf(page) };
  };
  return {
    program,
    service,
    browser,
    visit,
    async visitSignedIn({ email }, options) {
      const visitor = await visit(options);
      await visitor.page.goto('/sign-in');
      await visitor.page.getByLabel('E-mail').fill(email);
      await visitor.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await visitor.page.getByRole('button', { name: 'Sign in' }).click();
      await visitor.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      return visitor;
    },
  };
}

/** The link that the server logged for an e-mail address. */
export async function linkFor(service: ChildService, email: string): Promise<string> {
  return await expect
    .poll(() => findLink(service.output(), email), { timeout: 10_000 })
    .toBeTruthy()
    .then(() => findLink(service.output(), email) as string);
}

function findLink(output: string, email: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.includes('LINK:'));
  const entry = lines.map((line) => JSON.parse(line)).findLast((line) => line.to === email);
  return entry?.link;
}
