// How often a webhook sends, and what a digest says.
import { describe, expect, it } from 'vitest';
import { browserTimeZone } from '../design/locale.ts';
import { digestChoiceOf, digestOf, digestText, digestWords } from './digest-choice.ts';

const berlin = { every: 'hour', time_zone: 'Europe/Berlin' } as const;

describe('the choice of a digest', () => {
  it('is what the webhook has, and keeps its time zone', () => {
    expect([digestChoiceOf(null), digestChoiceOf(berlin)]).toEqual(['each', 'hour']);
    expect(digestOf('day', berlin)).toEqual({ every: 'day', time_zone: 'Europe/Berlin' });
    expect(digestOf('each', berlin)).toBeNull();
  });

  it('starts in the time zone of the browser', () => {
    expect(digestOf('hour', null)).toEqual({ every: 'hour', time_zone: browserTimeZone() });
  });

  it('has a short text', () => {
    expect([digestText(null), digestText(berlin)]).toEqual([null, 'Hourly digest, Europe/Berlin']);
  });
});

it('counts the events of a digest in words', () => {
  const counts = { 'stock.out': 4, 'price.drop': 10 };
  expect(digestWords({ counts })).toBe('14 events: 4 stock.out, 10 price.drop');
  expect(digestWords({ counts: { 'stock.out': 1 } })).toBe('1 event: 1 stock.out');
});
