// The fifteen kinds of events, in their five groups; their order is the order inside one collection.

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

const placeOf: ReadonlyMap<string, number> = new Map(
  EVENT_KINDS.map((kind, place) => [kind, place]),
);

export const isEventKind = (text: string): text is EventKind => placeOf.has(text);

/** For sorting what one collection gave. */
export const byKind = (a: { kind: EventKind }, b: { kind: EventKind }): number =>
  (placeOf.get(a.kind) as number) - (placeOf.get(b.kind) as number);

/** What the values before and after of a kind are. */
export type ValueUnit = 'seller' | 'cents' | 'units' | 'position';

export function valueUnit(kind: EventKind): ValueUnit {
  if (kind === 'seller.price_change' || kind.startsWith('price.')) return 'cents';
  if (kind.startsWith('stock.')) return 'units';
  return kind.startsWith('rank.') ? 'position' : 'seller';
}
