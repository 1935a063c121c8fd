// GTINs. A UPC (12 digits) or an EAN (8 or 13 digits), padded with zeros on the left, is a GTIN-14;
// a UPC-E is a UPC written without some of its zeros.

/** The lookup key of a product, whether its number is written as UPC, EAN or GTIN-14. */
export function gtin14(digits: string): string {
  return digits.padStart(14, '0');
}

/** The lookup key of a UPC-A (12 digits), a UPC-E (8) or a GTIN-14. */
export function gtinOfUpc(digits: string): string {
  return gtin14(digits.length === 8 ? upcOfUpcE(digits) : digits);
}

/**
 * Puts back the zeros that a UPC-E omits; its last digit before the check digit says where
 * (GS1 General Specifications, "UPC-E"). The check digit is that of the whole number.
 */
function upcOfUpcE(digits: string): string {
  const system = digits[0];
  const [a, b, c, d, e, rule] = digits.slice(1, 7);
  const zeros = (count: number) => '0'.repeat(count);
  const number =
    rule === '0' || rule === '1' || rule === '2'
      ? `${a}${b}${rule}${zeros(4)}${c}${d}${e}`
      : rule === '3'
        ? `${a}${b}${c}${zeros(5)}${d}${e}`
        : rule === '4'
          ? `${a}${b}${c}${d}${zeros(5)}${e}`
          : `${a}${b}${c}${d}${e}${zeros(4)}${rule}`;
  return `${system}${number}${digits[7]}`;
}

/** The 12-digit UPC; null for a number that has none. */
export function upcOf(gtin: string): string | null {
  return gtin.startsWith('00') ? gtin.slice(2) : null;
}

/** The 13-digit EAN; a UPC with a zero in front is one. null for a number that has none. */
export function eanOf(gtin: string): string | null {
  return gtin.startsWith('0') ? gtin.slice(1) : null;
}

/** The check digit of the first 13 digits (GS1: modulo 10, weights 3 and 1 from the right). */
export function checkDigit(first13: string): number {
  let sum = 0;
  for (let index = 0; index < 13; index++)
    sum += Number(first13[index]) * (index % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10;
}

export function hasValidCheckDigit(gtin: string): boolean {
  return checkDigit(gtin.slice(0, 13)) === Number(gtin[13]);
}
