// Kinds, errors and warnings of product numbers.
import { describe, expect, it } from 'vitest';
import {
  codeInAddress,
  digitsOf,
  guessKind,
  isProductCode,
  isWords,
  numberError,
  numberWarning,
} from './product-number.ts';

describe('the kind of a number', () => {
  it.each([
    ['859159012347', 'upc'],
    ['8 59159 01234 7', 'upc'],
    ['4082701330811', 'ean'],
    ['501447399', 'retailer_product_code'],
    ['85915901234', 'retailer_product_code'],
    ['12345678901234', 'retailer_product_code'],
    ['00874586005311', 'upc'],
    ['04252614', 'retailer_product_code'],
    ['', 'retailer_product_code'],
  ])('of "%s" is guessed as %s', (typed, kind) => {
    expect(guessKind(typed)).toBe(kind);
  });

  it('is guessed from the digits alone', () => {
    expect(digitsOf(' 8-59159-01234-7 ')).toBe('859159012347');
  });
});

describe('the code in an address', () => {
  it.each([
    ['https://www.walmart.com/ip/Yoga-Mat-10-mm/501447399?athbdg=L1600&from=/12', '501447399'],
    ['  http://shop.test:8080/ip/501447399#reviews ', '501447399'],
    ['www.walmart.com/ip/5/Mat/501447399/', '501447399'],
    ['https://www.walmart.com/search?q=501447399', null],
    ['https://www.walmart.com/ip/Yoga-Mat', null],
    ['501447399', null],
    ['mat 10/12', null],
    [`https://shop.test/ip/${'1'.repeat(21)}`, null],
  ])('%s is %s', (typed, code) => {
    expect(codeInAddress(typed)).toBe(code);
  });
});

it.each([
  ['yoga mat', true],
  ['Lummand 335', true],
  ['8 59159-01234 7', false],
  ['https://shop.test/ip/501447399', false],
  ['', false],
])('"%s" is words: %s', (typed, areWords) => {
  expect(isWords(typed)).toBe(areWords);
});

describe('faults', () => {
  it.each([
    ['', 'upc', 'Enter a UPC'],
    ['50144x399', 'retailer_product_code', 'only digits'],
    ['12345', 'upc', 'this has 5'],
    ['859159012347', 'ean', 'this has 12'],
    ['96385074', 'upc', 'choose EAN'],
    ['1'.repeat(21), 'retailer_product_code', 'this has 21'],
  ] as const)('"%s" as %s says %s', (typed, kind, text) => {
    expect(numberError(typed, kind)).toContain(text);
  });

  it('none in what the server takes', () => {
    expect(numberError('859159012347', 'upc')).toBeNull();
    expect(numberError('859159012347', 'retailer_product_code')).toBeNull();
    expect(numberError('4 082701 330811', 'ean')).toBeNull();
    expect(numberError('04252614', 'upc')).toBeNull();
    expect(numberError('9638 5074', 'ean')).toBeNull();
    expect(numberError('00874586005311', 'upc')).toBeNull();
    expect(numberError('00874586005311', 'ean')).toBeNull();
    expect(isProductCode('501447399')).toBe(true);
    expect(isProductCode('50144-7399')).toBe(false);
    expect(isProductCode('501"; rm')).toBe(false);
    expect(isProductCode('')).toBe(false);
    expect(isProductCode('1'.repeat(21))).toBe(false);
  });
});

describe('doubts', () => {
  it('a wrong check digit, of UPC and EAN', () => {
    expect(numberWarning('859159012347', 'upc')).toBeNull();
    expect(numberWarning('859159012340', 'upc')).toContain('check digit');
    expect(numberWarning('4082701330811', 'ean')).toBeNull();
    expect(numberWarning('4082701330812', 'ean')).toContain('check digit');
    expect(numberWarning('04252614', 'upc')).toBeNull();
    expect(numberWarning('96385074', 'ean')).toBeNull();
    expect(numberWarning('96385075', 'ean')).toContain('check digit');
  });

  it('a UPC that lost its leading zero', () => {
    expect(numberWarning('36000291452', 'retailer_product_code')).toContain('leading zero');
    expect(numberWarning('36000291453', 'retailer_product_code')).toBeNull();
  });

  it('none where there is a fault already', () => {
    expect(numberWarning('85915901234', 'upc')).toBeNull();
  });
});
