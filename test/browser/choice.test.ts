// Which browser the tests use on which machine.
import { expect, test } from 'vitest';
import { chooseBrowser } from '../support/browser.ts';

const X64 = { platform: 'linux', arch: 'x64' };
const ARM64 = { platform: 'linux', arch: 'arm64' };
const nothing = () => false;
const only = (path: string) => (name: string) => name === path;

test.each([
  ['the installed one', undefined, X64, only('/usr/bin/chromium'), '/usr/bin/chromium'],
  ['the installed one', '', ARM64, only('/usr/bin/google-chrome'), '/usr/bin/google-chrome'],
  ['the one that is named', '/opt/chrome', ARM64, only('/opt/chrome'), '/opt/chrome'],
])('%s (TEST_BROWSER=%s)', (_, setting, machine, exists, path) => {
  expect(chooseBrowser({ setting, machine, exists })).toEqual({ kind: 'installed', path });
});

test('the packaged one on x64 without Chromium, or when it is set', () => {
  const packaged = { kind: 'packaged' };
  expect(chooseBrowser({ setting: undefined, machine: X64, exists: nothing })).toEqual(packaged);
  expect(chooseBrowser({ setting: 'packaged', machine: X64, exists: () => true })).toEqual(
    packaged,
  );
});

test.each([
  ['nothing is installed', undefined, ARM64, nothing, 'none of /usr/bin/chromium'],
  ['the package has none for it', 'packaged', ARM64, () => true, 'not for linux arm64'],
  ['it is not Linux', undefined, { platform: 'darwin', arch: 'x64' }, nothing, 'not for darwin'],
  ['the path is wrong', '/opt/chrome', X64, nothing, 'TEST_BROWSER names /opt/chrome'],
])('none, and why: %s', (_, setting, machine, exists, reason) => {
  const choice = chooseBrowser({ setting, machine, exists });
  expect(choice).toMatchObject({ kind: 'none', reason: expect.stringContaining(reason) });
});
