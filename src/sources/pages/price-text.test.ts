// Reading price texts: amounts, currency and ambiguity.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { centsOf, readCurrency, readPriceText } from './price-text.ts';

describe('a price text', () => {
  test.each<[string, string[], string | null]>([
    ['$1,299.00', ['1299.00'], '$'],
    ['US$ 1,299', ['1299'], 'USD'],
    ['USD 19.99', ['19.99'], 'USD'],
    ['19.99 USD', ['19.99'], 'USD'],
    ['1.299,00 €', ['1299.00'], 'EUR'],
    ['1 299,00 €', ['1299.00'], 'EUR'],
    ['1 299,00 €', ['1299.00'], 'EUR'],
    ["CHF 1'049.95", ['1049.95'], 'CHF'],
    ['35€ 99', ['35.99'], 'EUR'],
    ['£ 7', ['7'], 'GBP'],
    ['C$12.50', ['12.50'], '?'],
    ['AU $59.95', ['59.95'], '?'],
    ['$1,190.00 AUD', ['1190.00'], 'AUD'],
    ['R$ 1.500,00', ['1500.00'], '?'],
    ['45,00 zł', ['45.00'], '?'],
    ['94,000 someword', ['94000'], '?'],
    ['12.50', ['12.50'], null],
    ['12.50 each', ['12.50'], null],
    ['$.75', ['0.75'], '$'],
    ['$119. 95', ['119.95'], '$'],
    ['1,234,567.89', ['1234567.89'], null],
    ['1.234.567', ['1234567'], null],
    ['3 issues for 14.85 EUR', ['14.85'], 'EUR'],
    ['Free!', ['0'], null],
    ['40% off', [], null],
    ['call us', [], null],
    ['', [], null],
  ])('%j is %j in %j', (text, amounts, currency) => {
    const read = readPriceText(text);
    expect({ amounts: read.amounts, currency: read.currency }).toEqual({ amounts, currency });
  });

  test.each<[string, string[]]>([
    ['$29.99 – $74.99', ['29.99', '74.99']],
    ['From 26 to 50 €', ['26', '50']],
    ['Was: $24.95 Now: $19.95', ['24.95', '19.95']],
  ])('%j has several amounts', (text, amounts) => {
    expect(readPriceText(text).amounts).toEqual(amounts);
  });

  test.each<[string, boolean]>([
    ['1.299', true],
    ['19.990', true],
    ['1,299', false],
    ['0.125', false],
    ['1299.000', false],
    ['12.99', false],
  ])('%j is ambiguous: %j', (text, isAmbiguous) => {
    expect(readPriceText(text).isAmbiguous).toBe(isAmbiguous);
  });

  test.each<[string, boolean]>([
    ['$1,299.00', true],
    ['19,90 € *', true],
    ['105,-', true],
    ['US$: 12.99 (each)', true],
    ['-$5.00', false],
    ['−5', false],
    ['$19⁹⁹', false],
    ['<b>5</b>', false],
    ['5;6', false],
    ['alert(5)', false],
    ['1#INF', false],
  ])('%j is only a price: %j', (text, isPlain) => {
    expect(readPriceText(text).isPlain).toBe(isPlain);
  });

  test('of any kind is read without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, priceLike), (text) => {
        for (const amount of readPriceText(text).amounts) expect(amount).toMatch(/^\d+(\.\d+)?$/);
      }),
    );
  });

  test('round-trips every amount of cents in both usual notations', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999 }), (cents) => {
        const [whole = '', part = ''] = (cents / 100).toFixed(2).split('.');
        const grouped = (sign: string) => whole.replace(/\B(?=(\d{3})+$)/g, sign);
        for (const text of [`$${grouped(',')}.${part}`, `${grouped('.')},${part} €`]) {
          expect(readPriceText(text).amounts.map(centsOf)).toEqual([cents]);
        }
      }),
    );
  });
});

/** Texts of any UTF-16 units, including lone surrogates; the built-in arbitrary takes seconds. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
const priceLike = fc.string({ unit: fc.constantFrom(..."0123456789.,  $€-'’%USDR") });

describe('cents', () => {
  test.each<[string, number | null]>([
    ['19.99', 1999],
    ['19.9', 1990],
    ['19', 1900],
    ['0.07', 7],
    ['1299.0000', 129_900],
    ['19.995', null],
    ['1e3', null],
    ['-5', null],
    ['', null],
    ['12345678901', null],
  ])('%j is %j', (amount, cents) => {
    expect(centsOf(amount)).toBe(cents);
  });
});

describe('a currency', () => {
  test.each<[string, string | null]>([
    ['USD', 'USD'],
    [' usd ', 'USD'],
    ['US$', 'USD'],
    ['$', '$'],
    ['€', 'EUR'],
    ['CAD', 'CAD'],
    ['dollars', '?'],
    ['', null],
  ])('%j is %j', (text, currency) => {
    expect(readCurrency(text)).toBe(currency);
  });
});
