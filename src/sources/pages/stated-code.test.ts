// What identifiers and URLs on a page say about the product's code.
import { describe, expect, test } from 'vitest';
import { addressSays, idSays, type Statement, strongest } from './stated-code.ts';

describe('an identifier', () => {
  test.each<[string, Statement]>([
    ['123456789', 'this'],
    [' 000123456789 ', 'this'],
    ['sku:123456789', 'this'],
    ['SHOP-123456789', 'this'],
    ['987654321', 'other'],
    ['sku:987654321', 'other'],
    ['4006381333931', 'nothing'],
    ['upc:987654321098', 'nothing'],
    ['AB-77', 'nothing'],
    ['', 'nothing'],
  ])('%j says %s', (id, statement) => {
    expect(idSays(id, '123456789', ['04006381333931'])).toBe(statement);
  });
});

describe('a URL', () => {
  test.each<[string, string, Statement]>([
    ['https://shop.test/ip/123456789', '/ip/{code}', 'this'],
    ['/ip/A-Kettle/123456789?from=x', '/ip/{code}', 'this'],
    ['https://shop.test/kettle.product.123456789.html', '/ip/{code}', 'this'],
    ['https://shop.test/ip/987654321', '/ip/{code}', 'other'],
    ['https://shop.test/ip/A-Kettle/987654321', '/ip/{code}', 'other'],
    ['https://shop.test/ip/77', '/ip/{code}', 'other'],
    ['https://shop.test/ip/a-kettle', '/ip/{code}', 'nothing'],
    ['https://shop.test/2026/a-kettle', '/ip/{code}', 'nothing'],
    ['https://shop.test/p?ref=123456789', '/ip/{code}', 'nothing'],
    ['https://shop.test/p?id=123456789&x=1', '/p?id={code}', 'this'],
    ['https://shop.test/p?id=987654321&x=1', '/p?id={code}', 'other'],
    ['http://[', '/ip/{code}', 'nothing'],
    ['#product', '/ip/{code}', 'nothing'],
    ['', '/ip/{code}', 'nothing'],
  ])('%s on a page requested by %s says %s', (address, path, statement) => {
    expect(addressSays(address, '123456789', `https://shop.test${path}`)).toBe(statement);
  });
});

test('one match outweighs other numbers', () => {
  expect(strongest(['other', 'nothing', 'this'])).toBe('this');
  expect(strongest(['other', 'nothing'])).toBe('other');
  expect(strongest([])).toBe('nothing');
});
