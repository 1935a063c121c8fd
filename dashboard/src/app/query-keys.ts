// The keys of every query: the first word is the topic that a live message or a change invalidates.
import type { QueryClient, QueryKey } from '@tanstack/react-query';

export type Topic =
  | 'session'
  | 'keys'
  | 'prices'
  | 'plan'
  | 'credits'
  | 'usage'
  | 'ledger'
  | 'tracked'
  | 'tracked-history'
  | 'events'
  | 'webhooks'
  | 'deliveries'
  | 'product';

/** `queryKey('tracked', id, 'history')`: the topic first, then what is asked, then its filters. */
export function queryKey(topic: Topic, ...rest: readonly unknown[]): QueryKey {
  return [topic, ...rest];
}

/** One topic of the server touches several of ours: a charge moves use and ledger too. */
const TOUCHED: Readonly<Record<string, readonly Topic[]>> = {
  credits: ['credits', 'usage', 'ledger'],
  events: ['events'],
  tracked: ['tracked', 'plan'],
  deliveries: ['deliveries', 'webhooks'],
};

/** Live messages renew nothing more often than this: in a time lapse they come many times a second. */
const LIVE_EVERY_MS = 1_000;
/** Use is summed over as many as ninety days of the ledger each time. */
const LIVE_EVERY_OF: Partial<Record<Topic, number>> = { usage: 60_000 };

export const liveEveryMs = (topic: Topic): number => LIVE_EVERY_OF[topic] ?? LIVE_EVERY_MS;

export function topicsTouched(names: readonly string[]): readonly Topic[] {
  return [...new Set(names.flatMap((name) => TOUCHED[name] ?? []))];
}

/** Call after a change of one's own: `refresh(client, 'tracked', 'plan')`. */
export function refresh(client: QueryClient, ...topics: readonly Topic[]): Promise<unknown> {
  return Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] })));
}
