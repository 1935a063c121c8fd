// The tab's new key: bound to its account, forgotten when revoked or signed out.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetTab } from '../app/tab-memory.ts';
import {
  forgetFreshKey,
  freshKeyOf,
  looksLikeKey,
  maskedKey,
  rememberFreshKey,
} from './fresh-key.ts';

const KEY = { id: 'k1', name: 'repricer', apiKey: `ovs_${'a1B2'.repeat(9)}` };

/** The part of a browser's storage that is used. */
function storageOf(entries: Map<string, string>): Storage {
  return {
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => void entries.set(name, value),
    removeItem: (name) => void entries.delete(name),
    clear: () => entries.clear(),
  };
}

const entries = new Map<string, string>();
beforeEach(() => {
  entries.clear();
  vi.stubGlobal('sessionStorage', storageOf(entries));
});
afterEach(() => vi.unstubAllGlobals());

test('a key made in this tab is found again for its account and for no other', () => {
  rememberFreshKey('account-1', KEY);
  expect(freshKeyOf('account-1')).toEqual(KEY);
  expect(freshKeyOf('account-2')).toBeNull();
});

test('a revoked key is forgotten, a newer one is kept', () => {
  rememberFreshKey('account-1', KEY);
  forgetFreshKey('account-1', 'an older key');
  expect(freshKeyOf('account-1')).toEqual(KEY);
  forgetFreshKey('account-1', 'k1');
  expect(freshKeyOf('account-1')).toBeNull();
});

test('the end of a session forgets the keys of every account', () => {
  rememberFreshKey('account-1', KEY);
  rememberFreshKey('account-2', KEY);
  forgetTab();
  expect(freshKeyOf('account-1')).toBeNull();
  expect(entries.size).toBe(0);
});

test.each([
  ['no JSON', '{'],
  ['another shape', '{"key":"x"}'],
  ['a key that could break out of a command', JSON.stringify({ ...KEY, apiKey: "ovs_'; rm" })],
])('%s in storage is no key', (_, text) => {
  entries.set('fresh-key:account-1', text);
  expect(freshKeyOf('account-1')).toBeNull();
});

test('without storage nothing is remembered and nothing breaks', () => {
  vi.stubGlobal('sessionStorage', undefined);
  rememberFreshKey('account-1', KEY);
  forgetTab();
  expect(freshKeyOf('account-1')).toBeNull();
});

test('only a whole key looks like one', () => {
  expect(looksLikeKey(KEY.apiKey)).toBe(true);
  expect(looksLikeKey(KEY.apiKey.slice(0, -1))).toBe(false);
  expect(looksLikeKey(`${KEY.apiKey} `)).toBe(false);
});

test('a masked key shows how it begins and nothing of the rest', () => {
  expect(maskedKey(KEY.apiKey)).toBe('ovs_a1B2••••••••••••');
});
