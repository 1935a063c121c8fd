// When the live stream is open: always for a visible tab, for a while for a hidden one.
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLive, stopLive } from './live.ts';

const MINUTE_MS = 60_000;
const open = new Set<FakeSource>();
let made = 0;

class FakeSource extends EventTarget {
  constructor() {
    super();
    made += 1;
    open.add(this);
  }
  close() {
    open.delete(this);
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });
const show = (isShown: boolean) => {
  page.hidden = !isShown;
  page.dispatchEvent(new Event('visibilitychange'));
};
const world = new EventTarget();

beforeEach(() => {
  vi.useFakeTimers();
  made = 0;
  page.hidden = false;
  vi.stubGlobal('document', page);
  vi.stubGlobal('EventSource', FakeSource);
  vi.stubGlobal('addEventListener', world.addEventListener.bind(world));
  vi.stubGlobal('removeEventListener', world.removeEventListener.bind(world));
});
afterEach(() => {
  stopLive();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const start = () => startLive(new QueryClient());

test('a hidden tab closes its connection after a minute and reopens it when visible', () => {
  start();
  show(false);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  expect(open.size).toBe(1);
  vi.advanceTimersByTime(1);
  expect(open.size).toBe(0);
  show(true);
  expect(open.size).toBe(1);
});

test('so does a tab opened in the background', () => {
  page.hidden = true;
  start();
  expect(open.size).toBe(1);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(open.size).toBe(0);
});

test('showing the tab in between keeps the connection', () => {
  start();
  show(false);
  vi.advanceTimersByTime(MINUTE_MS / 2);
  show(true);
  vi.advanceTimersByTime(MINUTE_MS);
  expect([open.size, made]).toEqual([1, 1]);
});

test('coming back online reopens it only in a visible tab', () => {
  start();
  show(false);
  vi.advanceTimersByTime(MINUTE_MS);
  world.dispatchEvent(new Event('online'));
  expect(open.size).toBe(0);
  show(true);
  world.dispatchEvent(new Event('online'));
  expect(open.size).toBe(1);
});

test('a failed connection is retried', () => {
  start();
  for (const source of open) source.dispatchEvent(new Event('error'));
  expect(open.size).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(open.size).toBe(1);
});
