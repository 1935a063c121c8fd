// The kinds of events in their groups, and a webhook's choice among them.
import type { ResponseOf } from '../app/api-client.ts';
import type { EventKind } from '../events/event-words.ts';

export type Webhook = ResponseOf<'GET /retailer/webhooks/{id}'>;
type EventWord = Webhook['events'][number];

export type EventGroup = {
  name: string;
  /** Not included in all events: must be chosen by name. */
  isNamed?: true;
  kinds: readonly { kind: EventKind; meaning: string }[];
};

export const EVENT_GROUPS: readonly EventGroup[] = [
  {
    name: 'Buy box',
    kinds: [
      { kind: 'buybox.won', meaning: 'Your seller has it now' },
      { kind: 'buybox.lost', meaning: 'Your seller lost it' },
      { kind: 'buybox.rotation', meaning: 'It moved between other sellers' },
    ],
  },
  {
    name: 'Pricing',
    kinds: [
      { kind: 'price.drop', meaning: 'The buybox price fell' },
      { kind: 'price.increase', meaning: 'The buybox price rose' },
      { kind: 'price.suppressed', meaning: 'Offers, but no buybox' },
      { kind: 'price.restored', meaning: 'The buybox returned' },
    ],
  },
  {
    name: 'Sellers',
    kinds: [
      { kind: 'seller.new', meaning: 'A seller joined' },
      { kind: 'seller.removed', meaning: 'A seller left' },
      { kind: 'seller.price_change', meaning: 'A seller’s price moved' },
    ],
  },
  {
    name: 'Inventory',
    kinds: [
      { kind: 'stock.low', meaning: 'Few units or days left' },
      { kind: 'stock.out', meaning: 'No units left' },
      { kind: 'stock.restored', meaning: 'Back in stock' },
    ],
  },
  {
    name: 'Rankings',
    kinds: [
      { kind: 'rank.gained', meaning: 'The sales rank improved' },
      { kind: 'rank.lost', meaning: 'The sales rank fell' },
    ],
  },
  {
    name: 'Your rules',
    isNamed: true,
    kinds: [{ kind: 'rule.matched', meaning: 'A condition became true' }],
  },
];

const kindsIn = (group: EventGroup): readonly EventKind[] => group.kinds.map(({ kind }) => kind);

export const EVENT_KINDS: readonly EventKind[] = EVENT_GROUPS.flatMap(kindsIn);

const NAMED: ReadonlySet<EventKind> = new Set(
  EVENT_GROUPS.filter(({ isNamed }) => isNamed).flatMap(kindsIn),
);

/**
 * `everything` includes kinds added later, which all fifteen together do not. The single kinds are
 * remembered, so that unchecking it restores them.
 */
export type EventChoice = { everything: boolean; kinds: ReadonlySet<EventKind> };

export function choiceOf(events: readonly EventWord[]): EventChoice {
  const kinds = events.filter((event) => event !== '*');
  return { everything: kinds.length < events.length, kinds: new Set(kinds) };
}

/** As the server expects it: `*` and what it does not include, or the kinds in their order. */
export function eventsOf({ everything, kinds }: EventChoice): EventWord[] {
  const chosen = EVENT_KINDS.filter((kind) => kinds.has(kind));
  return everything ? ['*', ...chosen.filter((kind) => NAMED.has(kind))] : chosen;
}

export function withKinds(
  choice: EventChoice,
  changed: readonly EventKind[],
  isOn: boolean,
): EventChoice {
  const kinds = new Set(choice.kinds);
  for (const kind of changed) {
    if (isOn) kinds.add(kind);
    else kinds.delete(kind);
  }
  return { ...choice, kinds };
}

export const withGroup = (choice: EventChoice, group: EventGroup, isOn: boolean) =>
  withKinds(choice, kindsIn(group), isOn);

export function groupState(
  { everything, kinds }: EventChoice,
  group: EventGroup,
): 'all' | 'some' | 'none' {
  if (everything && !group.isNamed) return 'all';
  const chosen = kindsIn(group).filter((kind) => kinds.has(kind)).length;
  if (chosen === 0) return 'none';
  return chosen === group.kinds.length ? 'all' : 'some';
}

/** A short text for a list: whole groups by name, single kinds by theirs. */
export function choiceWords(events: readonly EventWord[]): string[] {
  const choice = choiceOf(events);
  const groups = EVENT_GROUPS.filter(({ isNamed }) => isNamed || !choice.everything);
  const words = groups.flatMap((group) =>
    groupState(choice, group) === 'all'
      ? [group.name]
      : kindsIn(group).filter((kind) => choice.kinds.has(kind)),
  );
  return choice.everything ? ['All events (*)', ...words] : words;
}
