// Recent look-ups from the browser and the ledger.
import { describe, expect, it } from 'vitest';
import { recentLookUps } from './recent-look-up.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const stored = (code: string, second: number, price: number | null = 1) => ({
  atMs: second * 1000,
  data: { retailer_product_code: code, product_name: `N${code}`, brand: null, buybox_price: price },
});
const booked = (code: string | null, second: number) => ({
  at: at(second),
  retailer_product_code: code,
});

describe('recent look-ups', () => {
  it('are those of the browser and of the ledger, each product once, newest first', () => {
    const rows = recentLookUps(
      [stored('1', 10), stored('2', 30)],
      [booked('3', 40), booked('2', 29), booked('3', 5), booked(null, 50)],
      9,
    );
    expect(rows.map(({ code, isStored }) => [code, isStored])).toEqual([
      ['3', false],
      ['2', true],
      ['1', true],
    ]);
    expect(rows[0]?.atMs).toBe(40_000);
    expect(rows[1]?.name).toBe('N2');
  });

  it('keep the time of the displayed price', () => {
    const rows = recentLookUps([stored('1', 10, 5), stored('1', 20, 6)], [booked('1', 90)], 9);
    expect(rows).toMatchObject([{ price: 6, atMs: 20_000 }]);
  });

  it('are limited in number', () => {
    expect(recentLookUps([stored('1', 1), stored('2', 2)], [booked('3', 3)], 2)).toHaveLength(2);
  });
});
