// What the end of a session leaves in the browser's storage.
import { afterEach, expect, test, vi } from 'vitest';
import { forgetTab, onForget } from './tab-memory.ts';

function storageOf(...keys: string[]) {
  const items = new Map(keys.map((key) => [key, 'x']));
  const storage = {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
  };
  return { items, storage };
}

afterEach(() => vi.unstubAllGlobals());

const KEYS = ['theme', 'oversight.paid/a/fees/1/', 'oversight.paid/b/fees/1/'];

test.each([
  ['removes the paid responses of the account', 'a', ['theme', 'oversight.paid/b/fees/1/']],
  ['removes those of all accounts when the account is unknown', null, ['theme']],
])('%s', (_, accountId, left) => {
  const [tab, browser] = [storageOf('fresh-key:a'), storageOf(...KEYS)];
  vi.stubGlobal('sessionStorage', tab.storage);
  vi.stubGlobal('localStorage', browser.storage);
  const heard = vi.fn();
  onForget(heard);
  forgetTab(accountId);
  expect(tab.items.size).toBe(0);
  expect([...browser.items.keys()]).toEqual(left);
  expect(heard).toHaveBeenCalledTimes(1);
});
