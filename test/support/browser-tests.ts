// Test groups that need a browser: skipped, with the reason in their name, if there is none.
import { describe, test } from 'vitest';
import { browserMissing } from './browser.ts';

/** Also skips the group's setup, which vitest would still run for a skipped group. */
export function describeInBrowser(name: string, group: () => void | Promise<void>): void {
  if (browserMissing === null) describe(name, group);
  else test.runIf(false)(`${name}: skipped, because ${browserMissing}`, () => {});
}
