// What the list shows while its pages load, and when it is refreshed.
import { expect, test } from 'vitest';
import { nextListState } from './tracked-list.ts';
import type { Tracked } from './tracked-product.ts';

const row = (id: string, more: Partial<Tracked> = {}): Tracked => ({
  id,
  retailer_product_code: `5000000${id}`,
  product_name: 'Kettle',
  brand: null,
  created_at: '2026-11-01T00:00:00.000Z',
  tier: 4,
  status: 'active',
  seller_name: null,
  rules: null,
  tags: [],
  metadata: null,
  ends_at: null,
  current_price: 10,
  buybox_seller: null,
  units_in_stock: null,
  last_updated: null,
  next_due_at: null,
  consecutive_failures: 0,
  shown_day: null,
  shown_tier: null,
  slots_due_today: 0,
  slots_in_time_today: 0,
  slots_due_week: 0,
  slots_in_time_week: 0,
  credits_for_today: 0,
  attention: null,
  attention_code: null,
  ...more,
});

test('the first pages are shown as they arrive', () => {
  const first = nextListState(undefined, [row('1')], false);
  expect(first.rows.map(({ id }) => id)).toEqual(['1']);
  expect(first.complete).toBe(false);
  const second = nextListState(first, [row('1'), row('2')], true);
  expect(second.rows.map(({ id }) => id)).toEqual(['1', '2']);
  expect(second.complete).toBe(true);
});

test('a complete list keeps its rows until the new one is complete', () => {
  const whole = nextListState(undefined, [row('1'), row('2')], true);
  const under = nextListState(whole, [row('1', { current_price: 9 })], false);
  expect(under.rows).toBe(whole.rows);
  const after = nextListState(under, [row('1', { current_price: 9 })], true);
  expect(after.rows.map(({ id, current_price }) => [id, current_price])).toEqual([['1', 9]]);
});

test('a partial list that reloads does not shrink', () => {
  const part = nextListState(undefined, [row('1'), row('2')], false);
  expect(nextListState(part, [row('0'), row('1')], false).rows.map(({ id }) => id)).toEqual([
    '0',
    '1',
    '2',
  ]);
});

test('an unchanged row stays the same object', () => {
  const rules = { price: { percent: 2 } };
  const whole = nextListState(undefined, [row('1', { rules }), row('2')], true);
  const next = nextListState(
    whole,
    [row('1', { rules: { ...rules } }), row('2', { tier: 3 })],
    true,
  );
  expect(next.rows[0]).toBe(whole.rows[0]);
  expect(next.rows[1]).not.toBe(whole.rows[1]);
});
