import { expect, test } from 'vitest';
import { eventQuery, NO_EVENT_FILTER } from './event-filter.ts';

test('a filter of the URL becomes a query of the server', () => {
  const filter = {
    type: 'price.drop',
    product: ' 500100001 ',
    tag: 'kitchen',
    q: ' walnut tray ',
    from: '2026-11-01',
    to: '2026-11-02',
  };
  const query = eventQuery(filter);
  expect(query).toMatchObject({
    type: 'price.drop',
    retailer_product_code: '500100001',
    tag: 'kitchen',
    q: 'walnut tray',
  });
  const days = (Date.parse(String(query.to)) - Date.parse(String(query.from))) / 86_400_000;
  expect(days).toBe(2);
});

test('what the server would refuse is not sent', () => {
  expect(eventQuery(NO_EVENT_FILTER)).toEqual({});
  const wrong = { type: 'x', product: 'abc', tag: ' ', q: '', from: 'soon', to: '2026' };
  expect(eventQuery(wrong)).toEqual({});
});
