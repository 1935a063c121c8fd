// The keys of all queries. The first part is the topic that a live message or a change invalidates.
import type { QueryClient, QueryKey } from '@tanstack/react-query';

export type Topic =
  | 'session'
  | 'keys'
  | 'prices'
  | 'plan'
  | 'credits'
  | 'usage'
  | 'ledger'
  | 'library'
  | 'library-body'
  | 'tracked'
  | 'tracked-history'
  | 'rules'
  | 'events'
  | 'webhooks'
  | 'deliveries'
  | 'product';

/** `queryKey('tracked', id, 'history')`: the topic, then the resource, then its filters. */
export function queryKey(topic: Topic, ...rest: readonly unknown[]): QueryKey {
  return [topic, ...rest];
}

/** A topic of the server may affect several topics here: a charge changes usage and ledger too. */
const TOUCHED: Readonly<Record<string, readonly Topic[]>> = {
  credits: ['credits', 'usage', 'ledger', 'library'],
  events: ['events'],
  tracked: ['tracked', 'plan'],
  deliveries: ['deliveries', 'webhooks'],
};

/** Live messages refetch no more often than this: in a time lapse many come each second. */
const LIVE_EVERY_MS = 1_000;
/** Each refetch sums up to ninety days of the ledger. */
const LIVE_EVERY_OF: Partial<Record<Topic, number>> = { usage: 60_000 };

export const liveEveryMs = (topic: Topic): number => LIVE_EVERY_OF[topic] ?? LIVE_EVERY_MS;

export function topicsTouched(names: readonly string[]): readonly Topic[] {
  return [...new Set(names.flatMap((name) => TOUCHED[name] ?? []))];
}

/** Call it after a local change: `refresh(client, 'tracked', 'plan')`. */
export function refresh(client: QueryClient, ...topics: readonly Topic[]): Promise<unknown> {
  return Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] })));
}
