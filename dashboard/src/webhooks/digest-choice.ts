// How often a webhook sends: each event, or a digest of an hour or a day. Pure.
import { browserTimeZone } from '../design/locale.ts';
import type { Webhook } from './event-choice.ts';

export type DigestChoice = 'each' | 'hour' | 'day';

export const DIGEST_OPTIONS: readonly { value: DigestChoice; label: string }[] = [
  { value: 'each', label: 'Each event' },
  { value: 'hour', label: 'Hourly digest' },
  { value: 'day', label: 'Daily digest' },
];

export const digestChoiceOf = (digest: Webhook['digest']): DigestChoice => digest?.every ?? 'each';

/** Keeps the time zone of the webhook; a new digest gets that of the browser. */
export function digestOf(choice: DigestChoice, before: Webhook['digest']): Webhook['digest'] {
  if (choice === 'each') return null;
  const zone = before?.time_zone ?? browserTimeZone();
  return { every: choice, time_zone: zone };
}

/** For the page of the webhook, after its events; null for each event. */
export function digestText(digest: Webhook['digest']): string | null {
  if (digest === null) return null;
  return `${digest.every === 'hour' ? 'Hourly' : 'Daily'} digest, ${digest.time_zone ?? 'UTC'}`;
}

/** "14 events: 10 price.drop, 4 stock.out". */
export function digestWords(data: Readonly<Record<string, unknown>>): string {
  const counts = Object.entries((data.counts ?? {}) as Record<string, number>);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const kinds = counts.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${total === 1 ? '1 event' : `${total} events`}: ${kinds}`;
}
