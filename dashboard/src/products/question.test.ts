// Which entry of the library holds the response to a request.
import { describe, expect, it } from 'vitest';
import { entryFor, type Question } from './question.ts';

const entry = (operation: string, parameters: Record<string, unknown>, id = operation) => ({
  operation,
  parameters,
  id,
});
const code = '123';
const costs = { cost: 5, shipping: 0, price: null };

describe('the entry of a question', () => {
  it.each<[Question, ReturnType<typeof entry>, Record<string, unknown>]>([
    [
      { what: 'fees', code, sellerType: 'fulfilled' },
      entry('fees', { retailer_product_code: code, seller_type: 'fulfilled' }),
      { retailer_product_code: code },
    ],
    [
      { what: 'units-sold', code, period: '1year' },
      entry('units-sold-history', { time_period: '1year', explain: true }),
      { time_period: '1month', explain: true },
    ],
    [{ what: 'search', code: 'mat', after: '' }, entry('search', { q: 'mat' }), { q: 'mats' }],
    [
      { what: 'finder', code: '{"sort":"rank","filters":{"price":{"max":5}}}' },
      entry('finder', { filters: { price: { max: 5 } }, sort: 'rank' }),
      { filters: { price: { max: 6 } }, sort: 'rank' },
    ],
    [
      { what: 'profit', code, costs },
      entry('profit', { items: [{ cost: 5, shipping: 0, retailer_product_code: code }] }),
      { items: [{ cost: 5, shipping: 0, price: 9, retailer_product_code: code }] },
    ],
  ])('%j', (question, match, parameters) => {
    const other = { ...match, parameters, id: 'other' };
    expect(entryFor([other, match], question)).toBe(match);
    expect(entryFor([other], question)).toBeNull();
  });

  it('is the newest one, whichever day a history began at', () => {
    const entries = [
      entry('buybox-history', { from: '2026-11-02' }, 'new'),
      entry('buybox-history', { from: '2026-11-01' }, 'old'),
    ];
    expect(entryFor(entries, { what: 'buybox-history', code })?.id).toBe('new');
    expect(entryFor(entries, { what: 'details', code })).toBeNull();
  });
});
