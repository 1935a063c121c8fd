import { expect, test } from 'vitest';
import { needsAttention } from './tracked-attention.ts';

const offer = {
  sellerName: 'Acme',
  priceCents: 1_999,
  shippingCents: 0,
  unitsInStock: 5,
  seenAtMs: 0,
};
const shelf = {
  buybox: { priceCents: 1_999, sellerName: 'Acme' },
  offers: [offer],
  isComplete: true,
  unitsInStock: 5,
};
const usual = { isSuspended: false, failures: 0, watchedSeller: null as string | null, shelf };
type Given = Omit<Partial<Parameters<typeof needsAttention>[0]>, never>;

const CASES: readonly [string, Given, ReturnType<typeof needsAttention>][] = [
  ['all is well', {}, null],
  ['nothing was collected yet', { shelf: undefined }, null],
  [
    'suspended',
    { isSuspended: true },
    {
      code: 'suspended',
      sentence: 'Not enough credits for today: choose a cheaper tier, or wait for the refresh.',
    },
  ],
  [
    'suspended comes first',
    { isSuspended: true, failures: 9 },
    {
      code: 'suspended',
      sentence: 'Not enough credits for today: choose a cheaper tier, or wait for the refresh.',
    },
  ],
  [
    'delisted',
    { delistedAtMs: Date.parse('2026-11-15T10:00:00Z'), failures: 3 },
    {
      code: 'delisted',
      sentence: 'Delisted since 2026-11-15 (UTC): the marketplace no longer lists it.',
    },
  ],
  ['two failures may happen', { failures: 2 }, null],
  [
    'three may not',
    { failures: 3 },
    { code: 'collections_failing', sentence: 'The last 3 collections failed.' },
  ],
  [
    'failures before the first data',
    { failures: 4, shelf: undefined },
    { code: 'collections_failing', sentence: 'The last 4 collections failed.' },
  ],
  [
    'no offers',
    { shelf: { ...shelf, offers: [], buybox: null, unitsInStock: 0 } },
    { code: 'no_offers', sentence: 'Nobody offers it.' },
  ],
  [
    'neither offers nor buybox were observed',
    { shelf: { buybox: undefined, offers: [], isComplete: false, unitsInStock: null } },
    null,
  ],
  [
    'no offers in a list in part',
    { shelf: { ...shelf, offers: [], isComplete: false, unitsInStock: null } },
    null,
  ],
  [
    'no box',
    { shelf: { ...shelf, buybox: null } },
    { code: 'no_buybox', sentence: 'No buybox although there are offers.' },
  ],
  [
    'no stock',
    { shelf: { ...shelf, unitsInStock: 0 } },
    { code: 'out_of_stock', sentence: 'Out of stock.' },
  ],
  ['unknown stock is not none', { shelf: { ...shelf, unitsInStock: null } }, null],
  ['the box is one’s own', { watchedSeller: 'Acme' }, null],
  ['the box is another’s, and one does not offer it', { watchedSeller: 'Us' }, null],
  [
    'the box is another’s',
    { watchedSeller: 'Us', shelf: { ...shelf, offers: [offer, { ...offer, sellerName: 'Us' }] } },
    { code: 'buybox_elsewhere', sentence: 'Acme holds the buybox.' },
  ],
  [
    'the box is somebody’s',
    {
      watchedSeller: 'Acme',
      shelf: { ...shelf, buybox: { priceCents: 1, sellerName: null } },
    },
    { code: 'buybox_elsewhere', sentence: 'The buybox is not yours.' },
  ],
];

test.each(CASES)('%s', (_what, changes, attention) => {
  expect(needsAttention({ ...usual, ...changes } as typeof usual)).toEqual(attention);
});
