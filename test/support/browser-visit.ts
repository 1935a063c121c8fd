// Opens pages of a service of this process in a browser, signed in or not.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { atEnd } from './at-end.ts';
import { type ContextOptions, complaintsOf, launchBrowser, newVisitor } from './browser.ts';
import type { Service } from './service.ts';

export type OpenedPage = { page: Page; context: BrowserContext; complaints: string[] };

export type Visit = {
  origin: string;
  /** Opens a new page, with the person's cookie if one is passed. */
  open(person: { cookie: string } | null, options?: ContextOptions): Promise<OpenedPage>;
};

export async function visit(service: Service): Promise<Visit> {
  await service.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.server.server.address() as AddressInfo;
  service.app.listensOn(port);
  const origin = `http://127.0.0.1:${port}`;
  const browser = await launchBrowser();
  atEnd(() => browser.close());
  return {
    origin,
    async open(person, options = {}) {
      const context = await newVisitor(browser, { baseURL: origin, ...options });
      if (person !== null) await context.addCookies(cookiesOf(person.cookie, origin));
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      return { page, context, complaints: complaintsOf(page) };
    },
  };
}

function cookiesOf(header: string, url: string) {
  return header.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the accessibility violations that axe rates serious or critical. */
export async function seriousBarriers(
  page: Page,
  { only }: { only?: readonly string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    type Result = { impact: string; id: string; nodes: { html: string }[] };
    type Axe = { run(options: object): Promise<{ violations: Result[] }> };
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({
      resultTypes: ['violations'], // the details of what is in order take a third of the time
      ...(rules === undefined ? {} : { runOnly: rules }),
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }, only);
}
