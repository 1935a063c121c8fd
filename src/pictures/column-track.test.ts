import { describe, expect, test } from 'vitest';
import { ColumnTrack, HAS_NONE, HAS_NUMBER, HAS_UNOBSERVED } from './column-track.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Ten columns of a day each. */
const track = () => new ColumnTrack({ fromAtSeconds: 0, toAtSeconds: 10 * DAY, columns: 10 });

describe('a track', () => {
  test('keeps the least, the greatest and the last number of each column', () => {
    const one = track();
    one.add(0, 500);
    one.add(2 * HOUR, 300);
    one.add(4 * HOUR, 900);
    one.add(5 * HOUR, 400);
    one.end();
    expect([one.min[0], one.max[0], one.last[0]]).toEqual([300, 900, 400]);
    expect(one.lowest).toEqual({ value: 300, atSeconds: 2 * HOUR });
    expect(one.highest).toEqual({ value: 900, atSeconds: 4 * HOUR });
    expect([one.firstNumber, one.count]).toEqual([500, 4]);
  });

  test('holds a value for two days, then nothing is known', () => {
    const one = track();
    one.add(DAY, 500);
    one.end();
    expect([...one.contents]).toEqual([
      HAS_UNOBSERVED,
      HAS_NUMBER,
      HAS_NUMBER,
      ...Array.from({ length: 7 }, () => HAS_UNOBSERVED),
    ]);
    expect(one.unobservedSeconds).toBe(8 * DAY);
    expect([one.current, one.lastAtSeconds]).toEqual([undefined, DAY]);
  });

  test('distinguishes "there was none" from "nobody observed"', () => {
    const one = track();
    for (let hour = 0; hour < 240; hour += 12) one.add(hour * HOUR, hour < 48 ? 500 : null);
    one.end();
    expect([...one.contents]).toEqual([
      HAS_NUMBER,
      HAS_NUMBER,
      ...Array.from({ length: 8 }, () => HAS_NONE),
    ]);
    expect([one.noneSeconds, one.unobservedSeconds, one.current]).toEqual([8 * DAY, 0, null]);
  });

  test('starts with what was observed shortly before', () => {
    const one = new ColumnTrack({ fromAtSeconds: 10 * DAY, toAtSeconds: 12 * DAY, columns: 2 });
    one.add(8 * DAY - 1, 100);
    one.add(9 * DAY, 700);
    one.end();
    expect([one.last[0], one.firstNumber, one.count]).toEqual([700, 700, 0]);
    expect(one.contents[1]).toBe(HAS_UNOBSERVED);
  });

  test('runs to the end while the last observation holds', () => {
    const one = track();
    one.add(9 * DAY, 5);
    one.end();
    expect([one.last[9], one.current]).toEqual([5, 5]);
  });

  test('is the same whether a repeated value was observed once or often', () => {
    const [often, seldom] = [track(), track()];
    for (let hour = 0; hour < 240; hour++) often.add(hour * HOUR, hour < 100 ? 1 : 2);
    for (let hour = 0; hour < 240; hour += 25) seldom.add(hour * HOUR, hour < 100 ? 1 : 2);
    for (const one of [often, seldom]) one.end();
    expect([...often.min]).toEqual([...seldom.min]);
    expect([...often.contents]).toEqual([...seldom.contents]);
  });
});
