import { describe, expect, it } from 'vitest';
import { HOUR_SECONDS } from '../foundation/time.ts';
import type { Observation, SeenOffer } from './observation.ts';
import { createOfferTimeline, type OfferPoint } from './offer-timeline.ts';

const START = Date.parse('2026-03-01T00:00:00Z') / 1000;
const hour = (hours: number) => START + hours * HOUR_SECONDS;

const offer = (
  sellerName: string,
  priceCents = 100,
  unitsInStock: number | null = 5,
): SeenOffer => ({
  sellerName,
  priceCents,
  shippingCents: 0,
  unitsInStock,
});

type List = { hours: number; offers?: SeenOffer[]; complete?: boolean; buybox?: null };

const observation = ({ hours, offers, complete = true, buybox }: List): Observation => ({
  atSeconds: hour(hours),
  buybox,
  rank: undefined,
  offers,
  offersComplete: complete,
});

function timelineOf(lists: readonly List[], { from = 0, to = 100, changesOnly = false } = {}) {
  const range = { fromAtSeconds: hour(from), toAtSeconds: hour(to) };
  const timeline = createOfferTimeline(range, { changesOnly });
  const points = lists.flatMap((list) => timeline.add(observation(list)));
  points.push(...timeline.finish());
  return { points: points.map(row), timeline };
}

const row = ({ atSeconds, sellerName, state, priceCents, unitsInStock }: OfferPoint) =>
  [(atSeconds - START) / HOUR_SECONDS, sellerName, state, priceCents, unitsInStock] as const;

describe('a seller that a list lacks', () => {
  it('is gone if the list is complete', () => {
    const { points } = timelineOf(
      [
        { hours: 0, offers: [offer('A'), offer('B')] },
        { hours: 1, offers: [offer('B')] },
        { hours: 2, offers: [offer('B')] },
      ],
      { to: 3 },
    );
    expect(points.filter(([, name]) => name === 'A')).toEqual([
      [0, 'A', 'listed', 100, 5],
      [1, 'A', 'gone', null, null],
    ]);
  });

  it('is unknown if the list is not complete, and not observed 48 hours later', () => {
    const lists = [0, 10, 20, 30, 40, 50].map((hours) => ({
      hours,
      offers: hours === 0 ? [offer('A'), offer('B')] : [offer('B')],
      complete: false,
    }));
    const { points } = timelineOf(lists, { to: 60 });
    expect(points.filter(([, name]) => name === 'A')).toEqual([
      [0, 'A', 'listed', 100, 5],
      [48, 'A', 'not_observed', null, null],
    ]);
    expect(points.map(([hours]) => hours)).toEqual([0, 0, 10, 20, 30, 40, 48, 50]);
  });

  it('is gone at the start of the range if it was there before', () => {
    const { points } = timelineOf([
      { hours: -2, offers: [offer('A')] },
      { hours: 1, offers: [] },
    ]);
    expect(points).toEqual([[1, 'A', 'gone', null, null]]);
  });

  it('has no units if the source states that the product is sold out', () => {
    const { points } = timelineOf(
      [
        { hours: 0, offers: [offer('A', 250)] },
        { hours: 1, offers: [], complete: false, buybox: null },
      ],
      { to: 2 },
    );
    expect(points.at(-1)).toEqual([1, 'A', 'sold_out', 250, 0]);
  });
});

it('an observation without offers changes nothing', () => {
  expect(timelineOf([{ hours: 0 }]).points).toEqual([]);
});

it('changes only: points that differ from the one before of the same seller', () => {
  const lists = [100, 100, 90, 90, 100].map((cents, hours) => ({
    hours,
    offers: [offer('A', cents), offer('B', 50, null)],
  }));
  const { points, timeline } = timelineOf(lists, { to: 5, changesOnly: true });
  expect(points.map(([hours, name, , cents]) => [hours, name, cents])).toEqual([
    [0, 'A', 100],
    [0, 'B', 50],
    [2, 'A', 90],
    [4, 'A', 100],
  ]);
  expect(timeline.sellers().map(({ observations }) => observations)).toEqual([5, 5]);
});

it('counts as observed what a list held, at most 48 hours each', () => {
  const lists = [-10, 4, 90].map((hours) => ({ hours, offers: [offer('A')] }));
  const { timeline } = timelineOf(lists, { to: 100 });
  expect(timeline.observedSeconds()).toBe((4 + 48 + 10) * HOUR_SECONDS);
});
