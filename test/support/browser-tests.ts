// Groups of tests that need a browser: left out, with the reason in their name, where there is none.
import { describe, test } from 'vitest';
import { browserMissing } from './browser.ts';

/** The group's own preparations are not made either: a group that is skipped by vitest still runs them. */
export function describeInBrowser(name: string, group: () => void | Promise<void>): void {
  if (browserMissing === null) describe(name, group);
  else test.runIf(false)(`${name}: skipped, because ${browserMissing}`, () => {});
}
