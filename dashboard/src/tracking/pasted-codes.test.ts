// Which codes a pasted text holds, and what is reported about the rest.
import { expect, test } from 'vitest';
import { readPastedCodes } from './pasted-codes.ts';

const codesIn = (text: string) => readPastedCodes(text).codes.map(({ code }) => code);

test.each([
  ['one per line', '500000001\n500000002\n', ['500000001', '500000002']],
  ['Windows line ends', '500000001\r\n500000002', ['500000001', '500000002']],
  ['commas', '500000001,500000002, 500000003', ['500000001', '500000002', '500000003']],
  [
    'tabs and semicolons',
    '500000001\t500000002;500000003',
    ['500000001', '500000002', '500000003'],
  ],
  ['a quoted CSV column', '"500000001"\n"500000002"', ['500000001', '500000002']],
  [
    'no-break spaces and a byte order mark',
    '\uFEFF500000001\u00a0500000002',
    ['500000001', '500000002'],
  ],
  ['addresses of products', 'https://shop.test/ip/Mat/500000001?a=1,5', ['500000001', '5']],
  ['nothing', ' \n\n , ', []],
])('%s', (_, text, codes) => {
  expect(codesIn(text)).toEqual(codes);
});

test('each code has its line', () => {
  expect(readPastedCodes('\n500000001\n\n500000002').codes).toEqual([
    { code: '500000001', line: 2, position: 0 },
    { code: '500000002', line: 4, position: 1 },
  ]);
});

test('a word that is not a code is reported with its line and not sent', () => {
  const { codes, problems } = readPastedCodes('retailer_product_code\n500000001\n12-34');
  expect(codes).toHaveLength(1);
  expect(problems).toEqual([
    { line: 1, position: 0, text: 'retailer_product_code', reason: 'not a product code' },
    { line: 3, position: 2, text: '12-34', reason: 'not a product code' },
  ]);
});

test('each repetition of a code is reported with its first line', () => {
  const { codes, problems } = readPastedCodes('500000001 500000001\n500000001');
  expect(codes).toHaveLength(1);
  expect(problems.map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'twice in this line'],
    [2, 'already in line 1'],
  ]);
});

test('21 digits are not a code, and a long word is shortened', () => {
  const [digits, word] = readPastedCodes(`${'1'.repeat(21)}\n${'x'.repeat(90)}`).problems;
  expect(digits?.reason).toBe('not a product code');
  expect(word?.text).toHaveLength(40);
});

test('codes over the limit are reported', () => {
  const { codes, problems } = readPastedCodes('1\n2\n3', 2);
  expect(codes).toHaveLength(2);
  expect(problems).toEqual([{ line: 3, position: 2, text: '3', reason: 'over 2 codes' }]);
});
