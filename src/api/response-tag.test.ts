import { expect, test } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { createResponseTags, namesTag, type TagInput } from './response-tag.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const tags = createResponseTags('secret');
const input: TagInput = {
  accountId: 'a',
  nowMs: NOW,
  operation: 'price-history',
  representation: 'json zstd',
  content: '{}',
};
const tag = tags.tagOf(input);

test('the same response of the same day to the same account has the same tag', () => {
  expect(tags.tagOf({ ...input, nowMs: NOW + 3_600_000 })).toBe(tag);
  expect(tags.tagOf({ ...input, content: Buffer.from('{}') })).toBe(tag);
});

test.each([
  ['another account', { accountId: 'b' }],
  ['the next day', { nowMs: NOW + DAY_MS }],
  ['another operation', { operation: 'offers' }],
  ['another representation', { representation: 'json gzip' }],
  ['other content', { content: '{"a":1}' }],
])('%s has another tag', (_, change) => {
  expect(tags.tagOf({ ...input, ...change })).not.toBe(tag);
});

test('another secret gives another tag', () => {
  expect(createResponseTags('other').tagOf(input)).not.toBe(tag);
});

test('a header names a tag among others, or weakly; a star names none', () => {
  expect(namesTag(`"x", ${tag}`, tag)).toBe(true);
  expect(namesTag(`W/${tag}`, tag)).toBe(true);
  expect(namesTag('*', tag)).toBe(false);
  expect(namesTag(tag.slice(1), tag)).toBe(false);
  expect(namesTag(undefined, tag)).toBe(false);
});
