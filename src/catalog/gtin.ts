// GTINs: a UPC (12 digits) and an EAN (13) are the same number as a GTIN-14 with zeros in front.

/** The one key under which a product is found, whichever way its number is written. */
export function gtin14(digits: string): string {
  return digits.padStart(14, '0');
}

/** The 12-digit UPC, for numbers that have one. */
export function upcOf(gtin: string): string | null {
  return gtin.startsWith('00') ? gtin.slice(2) : null;
}

/** The 13-digit EAN; every UPC is one with a zero in front. */
export function eanOf(gtin: string): string | null {
  return gtin.startsWith('0') ? gtin.slice(1) : null;
}

/** The digit that the other thirteen call for (GS1, modulo 10, weights 3 and 1 from the right). */
export function checkDigit(first13: string): number {
  let sum = 0;
  for (let index = 0; index < 13; index++)
    sum += Number(first13[index]) * (index % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10;
}

export function hasValidCheckDigit(gtin: string): boolean {
  return checkDigit(gtin.slice(0, 13)) === Number(gtin[13]);
}
