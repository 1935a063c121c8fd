// The number that a product is looked up by: its kind, guessed from its digits, and its errors.

export type NumberKind = 'upc' | 'ean' | 'retailer_product_code';

const UPC_DIGITS = 12;
const EAN_DIGITS = 13;
/** UPC-E or EAN-8: the number as it is printed on small packages. */
const SHORT_DIGITS = 8;
const GTIN_DIGITS = 14;
const CODE_DIGITS_MAX = 20;

/** Labels and spreadsheets print these numbers in groups. */
export const digitsOf = (typed: string) => typed.replace(/[\s-]/g, '');

const ADDRESS = /^(?:https?:\/\/)?(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(\/[^?#]*)/i;

/**
 * The product code in a product's address, such as `https://www.walmart.com/ip/Yoga-Mat/123?a=b`:
 * the last part of its path that has only digits. null for a text that is no such address.
 */
export function codeInAddress(typed: string): string | null {
  const path = ADDRESS.exec(typed.trim())?.[1];
  const parts = path?.split('/').filter((part) => isProductCode(part)) ?? [];
  return parts.at(-1) ?? null;
}

/** Whether the text is to be searched for: neither a number nor the address of a product. */
export const isWords = (typed: string): boolean =>
  codeInAddress(typed) === null && /[^\d\s-]/.test(typed);

/** Twelve digits are nearly always a UPC, though a product code may have as many. */
export function guessKind(typed: string): NumberKind {
  const digits = digitsOf(typed);
  const { length } = digits;
  if (length === UPC_DIGITS) return 'upc';
  if (length === GTIN_DIGITS && hasValidCheckDigit(digits)) return 'upc';
  return length === EAN_DIGITS ? 'ean' : 'retailer_product_code';
}

/** A product code has only digits, so it is also safe inside the quotes of an example. */
export const isProductCode = (text: string) => /^\d+$/.test(text) && text.length <= CODE_DIGITS_MAX;

/** Why the server would reject the number, or null. */
export function numberError(typed: string, kind: NumberKind): string | null {
  if (codeInAddress(typed) !== null) return null;
  const digits = digitsOf(typed);
  if (digits === '') return 'Enter a UPC, an EAN or a product code.';
  if (!/^\d+$/.test(digits)) return 'Use only digits; spaces and hyphens are ignored.';
  const count = digits.length;
  if (kind === 'upc' && ![UPC_DIGITS, SHORT_DIGITS, GTIN_DIGITS].includes(count))
    return `A UPC has 12, 8 (UPC-E) or 14 (GTIN) digits; this has ${count}.`;
  if (kind === 'upc' && count === SHORT_DIGITS && !/^[01]/.test(digits))
    return 'A UPC-E starts with 0 or 1. If this is an EAN-8, choose EAN.';
  if (kind === 'ean' && ![EAN_DIGITS, SHORT_DIGITS, GTIN_DIGITS].includes(count))
    return `An EAN has 13, 8 (EAN-8) or 14 (GTIN) digits; this has ${count}.`;
  if (count > CODE_DIGITS_MAX) return `A product code has at most 20 digits; this has ${count}.`;
  return null;
}

/** Why the number may be mistyped, or null. It can still be sent: a miss is free. */
export function numberWarning(typed: string, kind: NumberKind): string | null {
  if (numberError(typed, kind) !== null) return null;
  const digits = digitsOf(typed);
  // The check digit of a UPC-E is that of the number with its zeros, which the server puts back.
  if (kind === 'upc' && digits.length === SHORT_DIGITS) return null;
  if (kind !== 'retailer_product_code')
    return hasValidCheckDigit(digits)
      ? null
      : 'The check digit does not match. Check the number for typos.';
  // Spreadsheets drop leading zeros.
  if (digits.length === UPC_DIGITS - 1 && hasValidCheckDigit(digits))
    return 'If this is a UPC, its leading zero is missing.';
  return null;
}

/** GS1: weights 3 and 1 alternate from the right; the check digit weighs 1. */
function hasValidCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1)
    sum += Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}
