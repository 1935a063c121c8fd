// The choice of events: what is sent to the server, and what a group's checkbox shows.
import { describe, expect, it } from 'vitest';
import {
  choiceOf,
  choiceWords,
  EVENT_GROUPS,
  EVENT_KINDS,
  eventsOf,
  groupState,
  withGroup,
  withKinds,
} from './event-choice.ts';

const [, pricing, sellers] = EVENT_GROUPS;
if (!pricing || !sellers) throw new Error('groups are missing');

describe('the choice of events', () => {
  it('has fifteen kinds in five groups and those chosen by name, without duplicates', () => {
    expect(EVENT_GROUPS.filter(({ isNamed }) => !isNamed)).toHaveLength(5);
    expect(new Set(EVENT_KINDS).size).toBe(16);
  });

  it('does not include a rule that matched in everything', () => {
    const everything = { ...choiceOf(['*']), everything: true };
    const rules = EVENT_GROUPS.at(-1) as (typeof EVENT_GROUPS)[number];
    expect(groupState(everything, rules)).toBe('none');
    const both = withGroup(everything, rules, true);
    expect(eventsOf(both)).toEqual(['*', 'rule.matched']);
    expect(choiceWords(['*', 'rule.matched'])).toEqual(['All events (*)', 'Your rules']);
  });

  it('sends only * for everything, and remembers the single kinds', () => {
    const chosen = { ...choiceOf(['stock.out']), everything: true };
    expect(eventsOf(chosen)).toEqual(['*']);
    expect(eventsOf({ ...chosen, everything: false })).toEqual(['stock.out']);
  });

  it('does not replace all fifteen by *', () => {
    expect(eventsOf(choiceOf(EVENT_KINDS))).toEqual(EVENT_KINDS);
  });

  it('sends kinds in a fixed order, whatever the order of selection', () => {
    const chosen = withKinds(choiceOf(['rank.lost']), ['price.drop', 'buybox.won'], true);
    expect(eventsOf(chosen)).toEqual(['buybox.won', 'price.drop', 'rank.lost']);
  });

  it('shows whether none, some or all of a group are selected', () => {
    const none = choiceOf(['seller.new']);
    expect(groupState(none, pricing)).toBe('none');
    expect(groupState(withKinds(none, ['price.drop'], true), pricing)).toBe('some');
    const all = withGroup(none, pricing, true);
    expect(groupState(all, pricing)).toBe('all');
    expect(eventsOf(withGroup(all, pricing, false))).toEqual(['seller.new']);
    expect(groupState(choiceOf(['*']), sellers)).toBe('all');
  });

  it('names whole groups and single kinds', () => {
    expect(choiceWords(['*'])).toEqual(['All events (*)']);
    expect(choiceWords(['stock.low', 'rank.gained', 'rank.lost'])).toEqual([
      'stock.low',
      'Rankings',
    ]);
  });
});
