// GTINs: one lookup key for UPC and EAN, and the check digit.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDigit, eanOf, gtin14, gtinOfUpc, hasValidCheckDigit, upcOf } from './gtin.ts';

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

/**
 * The GS1 definition: from the right, alternating weights 3 and 1, completed to a multiple of 10.
 */
function checkDigitByDefinition(first: string): number {
  const sum = [...first]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return (1000 - sum) % 10;
}

describe('the lookup key', () => {
  test('has 14 digits and the same value', () => {
    fc.assert(
      fc.property(fc.oneof(digits(8), digits(12), digits(13), digits(14)), (text) => {
        expect(gtin14(text)).toMatch(/^\d{14}$/);
        expect(BigInt(gtin14(text))).toBe(BigInt(text));
      }),
    );
  });

  test('of a UPC equals that of the same number as an EAN, and converts back to both', () => {
    fc.assert(
      fc.property(digits(12), (upc) => {
        expect(gtin14(upc)).toBe(gtin14(`0${upc}`));
        expect(upcOf(gtin14(upc))).toBe(upc);
        expect(eanOf(gtin14(upc))).toBe(`0${upc}`);
      }),
    );
  });

  test('of an EAN converts back to it, and to a UPC only if it starts with a zero', () => {
    fc.assert(
      fc.property(digits(13), (ean) => {
        expect(eanOf(gtin14(ean))).toBe(ean);
        expect(upcOf(gtin14(ean))).toBe(ean.startsWith('0') ? ean.slice(1) : null);
      }),
    );
  });

  test('of a case (14 digits, the first not zero) has neither UPC nor EAN', () => {
    expect(upcOf('10614141000033')).toBeNull();
    expect(eanOf('10614141000033')).toBeNull();
  });
});

describe('a UPC-E', () => {
  test.each([
    ['02345673', '023456000073'],
    ['02345147', '023450000017'],
    ['06397126', '063200009716'],
    ['08679339', '086700000939'],
    ['04252614', '042100005264'],
    ['14252611', '142100005261'],
  ])('%s is the UPC %s', (upcE, upc) => {
    expect(gtinOfUpc(upcE)).toBe(gtin14(upc));
  });

  test('leaves out zeros alone: its digits are those of the UPC, in order', () => {
    fc.assert(
      fc.property(digits(6), fc.constantFrom('0', '1'), digits(1), (six, system, check) => {
        const upc = upcOf(gtinOfUpc(`${system}${six}${check}`)) as string;
        expect(upc).toMatch(/^\d{12}$/);
        expect([upc[0], upc[11]]).toEqual([system, check]);
        // Up to 2 and from 5 on the sixth digit is part of the number; 3 and 4 are the rule alone.
        const kept = /[34]$/.test(six) ? six.slice(0, 5) : six;
        const withoutZeros = (text: string) => [...text.replaceAll('0', '')].sort().join('');
        expect(withoutZeros(upc.slice(1, 11))).toBe(withoutZeros(kept));
      }),
    );
  });

  test('differs from the EAN-8 with the same digits; other lengths stay as they are', () => {
    expect(gtinOfUpc('04252614')).not.toBe(gtin14('04252614'));
    expect(gtinOfUpc('042100005264')).toBe('00042100005264');
    expect(gtinOfUpc('10614141000033')).toBe('10614141000033');
  });
});

describe('the check digit', () => {
  test('is what GS1 defines', () => {
    fc.assert(
      fc.property(digits(13), (first13) => {
        expect(checkDigit(first13)).toBe(checkDigitByDefinition(first13));
      }),
    );
  });

  test('is the only last digit that is valid', () => {
    fc.assert(
      fc.property(digits(13), (first13) => {
        const valid = [...'0123456789'].filter((last) => hasValidCheckDigit(first13 + last));
        expect(valid).toEqual([String(checkDigit(first13))]);
      }),
    );
  });

  test('catches every single wrong digit', () => {
    fc.assert(
      fc.property(digits(13), fc.nat(13), fc.integer({ min: 1, max: 9 }), (first13, index, add) => {
        const right = `${first13}${checkDigit(first13)}`;
        const wrong = [...right];
        wrong[index] = String((Number(wrong[index]) + add) % 10);
        expect(hasValidCheckDigit(wrong.join(''))).toBe(false);
      }),
    );
  });

  test.each([
    ['629104150021', 3],
    ['703801005447', 1],
    ['950110153100', 0],
    ['978820551237', 5],
  ])('of %s is %i', (first12, last) => {
    expect(checkDigit(first12.padStart(13, '0'))).toBe(last);
  });

  test.each([
    '042100005264',
    '036000291452',
    '614141000036',
    '0614141000036',
    '5901234123457',
    '96385074',
    '00874586005311',
  ])('%s is valid', (code) => {
    expect(hasValidCheckDigit(gtin14(code))).toBe(true);
  });

  test.each(['5901234123458', '042100005263', '0085025100400'])('%s is not', (code) => {
    expect(hasValidCheckDigit(gtin14(code))).toBe(false);
  });
});
