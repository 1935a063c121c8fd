// The start time for recovering missed events.
import { describe, expect, it } from 'vitest';
import { localTimeText, sinceOf } from './recover-since.ts';

const now = Date.parse('2026-11-16T12:00:00Z');
const at = (span: 'hour' | 'day' | 'week' | 'time', time = '') => sinceOf({ span, time }, now);

describe('recover since', () => {
  it('counts back from the server’s time', () => {
    expect(at('hour')).toEqual({ since: '2026-11-16T11:00:00.000Z' });
    expect(at('day')).toEqual({ since: '2026-11-15T12:00:00.000Z' });
    expect(at('week')).toEqual({ since: '2026-11-09T12:00:00.000Z' });
  });

  it('reads a time in the reader’s time zone', () => {
    const ms = now - 90 * 60_000;
    expect(at('time', localTimeText(ms))).toEqual({ since: new Date(ms).toISOString() });
  });

  it('rejects no time, a future time, and one beyond the retention', () => {
    expect(at('time')).toEqual({ wrong: 'Choose a date and a time.' });
    expect(at('time', localTimeText(now + 120_000))).toEqual({
      wrong: 'Choose a time in the past.',
    });
    expect(at('time', localTimeText(now - 31 * 86_400_000))).toHaveProperty('wrong');
  });
});
