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
  webhooks: ['webhooks'],
  keys: ['keys'],
};

export function topicsTouched(names: readonly string[]): readonly Topic[] {
  return [...new Set(names.flatMap((name) => TOUCHED[name] ?? []))];
}

/** Call after a change of one's own: `refresh(client, 'tracked', 'plan')`. */
export function refresh(client: QueryClient, ...topics: readonly Topic[]): Promise<unknown> {
  return Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] })));
}
