// Checks after each file that it has closed what it opened. In a process shared by many files, an
// open resource of one would make another fail later for no visible reason.
import { afterAll, beforeAll, expect } from 'vitest';

/** Connections over a socket file (PostgreSQL), servers and children; not the pools of fetch. */
const COUNTED = ['PipeWrap', 'TCPServerWrap', 'PipeServerWrap', 'ProcessWrap'];
const WAIT_MS = 2_000;

const opened = () => {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, 0]));
  for (const name of process.getActiveResourcesInfo()) {
    if (counts[name] !== undefined) counts[name] += 1;
  }
  return counts;
};

let before = opened();
beforeAll(() => {
  before = opened();
});

// Registered first, so that it runs after all others.
afterAll(async () => {
  const isMore = () => {
    const now = opened();
    return COUNTED.some((name) => (now[name] as number) > (before[name] as number));
  };
  for (const end = Date.now() + WAIT_MS; isMore() && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (isMore()) expect(opened(), 'left open').toEqual(before);
});
