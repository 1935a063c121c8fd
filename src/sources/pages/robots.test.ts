// What robots.txt allows, and how long its rules are cached.
import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../foundation/time.ts';
import { createRobots, type RobotsResponse, readRobots } from './robots.ts';

const ORIGIN = 'https://shop.test';
const page = (path: string) => new URL(path, ORIGIN);

describe('rules', () => {
  test.each<[string, string, boolean]>([
    ['User-agent: *\nDisallow: /ip/', '/ip/1', false],
    ['User-agent: *\nDisallow: /ip/\nAllow: /ip/1', '/ip/1', true],
    ['User-agent: *\nDisallow: /*?id=', '/p?id=1', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: Oversight\nAllow: /', '/ip/1', true],
    ['User-agent: oversight\nDisallow: /\n\nUser-agent: *\nAllow: /', '/ip/1', false],
    ['User-agent: elsebot\nDisallow: /', '/ip/1', true],
    ['\uFEFFUser-agent: *\nDisallow: /', '/ip/1', false],
    ['<html>no such page</html>', '/ip/1', true],
    ['', '/ip/1', true],
  ])('%j, %s: %j', (text, path, isAllowed) => {
    expect(readRobots(ORIGIN, text).allows(page(path).href)).toBe(isAllowed);
  });

  test.each<[string, number]>([
    ['User-agent: *\nCrawl-delay: 2.5', 2_500],
    ['User-agent: *\nCrawl-delay: soon', 0],
    ['User-agent: *\nCrawl-delay: -1', 0],
    ['User-agent: *\nCrawl-delay: Infinity', 0],
  ])('%j sets a delay of %i ms', (text, delayMs) => {
    expect(readRobots(ORIGIN, text).crawlDelayMs).toBe(delayMs);
  });
});

function robotsOver(responses: RobotsResponse[]) {
  let nowMs = 0;
  const requestedUrls: string[] = [];
  const robots = createRobots({
    load: async (url) => {
      requestedUrls.push(url);
      return responses.shift() ?? { kind: 'none' };
    },
    timer: { nowMs: () => nowMs, sleepMs: async () => {} },
  });
  const moveTo = (ms: number) => {
    nowMs = ms;
  };
  return { robots, requestedUrls, moveTo };
}

const closed: RobotsResponse = { kind: 'rules', text: 'User-agent: *\nDisallow: /' };

describe('a robots.txt', () => {
  test('is requested once for concurrent callers, and again after an hour', async () => {
    const { robots, requestedUrls, moveTo } = robotsOver([closed, { kind: 'none' }]);
    const both = await Promise.all([robots.verdict(page('/a')), robots.verdict(page('/b'))]);
    expect(both.map(({ kind }) => kind)).toEqual(['disallowed', 'disallowed']);
    moveTo(HOUR_MS - 1);
    expect((await robots.verdict(page('/a'))).kind).toBe('disallowed');
    expect(requestedUrls).toEqual(['https://shop.test/robots.txt']);
    moveTo(HOUR_MS);
    expect((await robots.verdict(page('/a'))).kind).toBe('allowed');
    expect(requestedUrls).toHaveLength(2);
  });

  test('that is unreachable forbids everything for half a minute', async () => {
    const { robots, requestedUrls, moveTo } = robotsOver([
      { kind: 'unreachable', reason: 'status 500' },
    ]);
    const away = { kind: 'unreachable', reason: 'status 500', retryAfterMs: 30_000 };
    expect(await robots.verdict(page('/a'))).toEqual(away);
    moveTo(29_000);
    expect(await robots.verdict(page('/a'))).toMatchObject({
      kind: 'unreachable',
      retryAfterMs: 1_000,
    });
    expect(requestedUrls).toHaveLength(1);
    moveTo(30_000);
    expect((await robots.verdict(page('/a'))).kind).toBe('allowed');
  });

  test('that becomes unreachable leaves the old rules in force for a day', async () => {
    const unreachable: RobotsResponse = { kind: 'unreachable', reason: 'status 500' };
    const { robots, requestedUrls, moveTo } = robotsOver([closed, unreachable, unreachable]);
    await robots.verdict(page('/a'));
    moveTo(HOUR_MS);
    expect((await robots.verdict(page('/a'))).kind).toBe('disallowed');
    expect((await robots.verdict(page('/a'))).kind).toBe('disallowed');
    expect(requestedUrls).toHaveLength(2);
    moveTo(24 * HOUR_MS);
    expect((await robots.verdict(page('/a'))).kind).toBe('unreachable');
  });

  test('applies to one scheme and port only', async () => {
    const { robots, requestedUrls } = robotsOver([closed]);
    await robots.verdict(page('/a'));
    expect((await robots.verdict(new URL('http://shop.test/a'))).kind).toBe('allowed');
    expect(requestedUrls[1]).toBe('http://shop.test/robots.txt');
  });
});
