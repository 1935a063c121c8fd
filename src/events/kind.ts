// The fifteen event kinds in five groups. Their order is the order of events within one collection.

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

export type EventKind = (typeof EVENT_GROUPS)[number]['kinds'][number];

export const EVENT_KINDS: readonly EventKind[] = EVENT_GROUPS.flatMap(
  (group): readonly EventKind[] => group.kinds,
);

const positionOf: ReadonlyMap<string, number> = new Map(
  EVENT_KINDS.map((kind, position) => [kind, position]),
);

export const isEventKind = (text: string): text is EventKind => positionOf.has(text);

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
