// The fifteen event kinds of the specification in five groups, and those sent by name only. Their
// order is the order of events within one collection.

export const EVENT_GROUPS = [
  { name: 'Buy box', kinds: ['buybox.won', 'buybox.lost', 'buybox.rotation'] },
  {
    name: 'Pricing',
    kinds: ['price.drop', 'price.increase', 'price.suppressed', 'price.restored'],
  },
  { name: 'Sellers', kinds: ['seller.new', 'seller.removed', 'seller.price_change'] },
  { name: 'Inventory', kinds: ['stock.low', 'stock.out', 'stock.restored'] },
  { name: 'Rankings', kinds: ['rank.gained', 'rank.lost'] },
] as const;

/** Sent only to webhooks that subscribe to it by name: a customer's own condition became true. */
export const RULE_MATCHED = 'rule.matched';
export const NAMED_KINDS = [RULE_MATCHED] as const;

/** The kinds of the specification: what a webhook receives that subscribes to all. */
export type DetectedKind = (typeof EVENT_GROUPS)[number]['kinds'][number];
export type EventKind = DetectedKind | (typeof NAMED_KINDS)[number];

export const EVENT_KINDS: readonly DetectedKind[] = EVENT_GROUPS.flatMap(
  (group): readonly DetectedKind[] => group.kinds,
);

export const ALL_KINDS: readonly EventKind[] = [...EVENT_KINDS, ...NAMED_KINDS];

const positionOf: ReadonlyMap<string, number> = new Map(
  EVENT_KINDS.map((kind, position) => [kind, position]),
);

/** Whether a kind is one of the specification. */
export const isDetectedKind = (text: string): text is DetectedKind => positionOf.has(text);

/** Sorts the events of one collection. */
export const byKind = (a: { kind: EventKind }, b: { kind: EventKind }): number =>
  (positionOf.get(a.kind) as number) - (positionOf.get(b.kind) as number);

/** Unit of the `before` and `after` values of a kind. */
export type ValueUnit = 'seller' | 'cents' | 'units' | 'position';

export function valueUnit(kind: EventKind): ValueUnit {
  if (kind === 'seller.price_change' || kind.startsWith('price.')) return 'cents';
  if (kind.startsWith('stock.')) return 'units';
  return kind.startsWith('rank.') ? 'position' : 'seller';
}
