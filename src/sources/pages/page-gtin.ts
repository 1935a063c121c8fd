// The GTINs of a product on a page, from whichever field they stand in, rightly or wrongly.
import { eanOf, gtin14, hasValidCheckDigit, upcOf } from '../../catalog/gtin.ts';
import { type Item, plainOf } from './item.ts';

const FIELDS = ['gtin', 'gtin14', 'gtin13', 'gtin12', 'gtin8', 'upc', 'ean', 'isbn'] as const;
const GTINS_MAX = 20;

export function gtinsOf(items: readonly Item[]): string[] {
  const found = new Set<string>();
  for (const item of items) {
    const given = [
      ...FIELDS.flatMap((field) => plainOf(item, field)),
      ...plainOf(item, 'productID').flatMap((id) => gtinPartOf(String(id)) ?? []),
    ];
    for (const one of given) {
      const gtin = readGtin(String(one));
      if (gtin !== null && found.size < GTINS_MAX) found.add(gtin);
    }
  }
  return [...found];
}

/** "upc:036000291452" names a GTIN, "sku:123456789012" does not. */
function gtinPartOf(productId: string): string | undefined {
  return /^\s*(?:upc|ean|isbn|gtin(?:-?\d{1,2})?)\s*:\s*(.+)$/is.exec(productId)?.[1];
}

/**
 * The GTIN-14 of 12, 13 or 14 digits, or of 8 whose check digit is right: eight digits are what a shop's
 * own numbers look like. A wrong check digit of the others is kept, as in every snapshot. A number of
 * fourteen that is no EAN is a carton's, not the product's.
 */
export function readGtin(given: string): string | null {
  // GS1's own form of address: …/01/09506000134352.
  const linked = /\/01\/(\d{14})(?:[/?#]|$)/.exec(given)?.[1];
  const digits = linked ?? given.slice(0, 100).replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^(\d)\1*$/.test(digits)) return null;
  const gtin = gtin14(digits);
  if (eanOf(gtin) === null) return null;
  return digits.length === 8 && !hasValidCheckDigit(gtin) ? null : gtin;
}

/** As a snapshot has room for them: a UPC and one other; those with a right check digit first. */
export function gtinMembers(gtins: readonly string[]): { upc: string | null; ean: string | null } {
  const best = [...gtins.filter(hasValidCheckDigit), ...gtins];
  const upc = best.find((gtin) => upcOf(gtin) !== null) ?? null;
  const other = best.find((gtin) => gtin !== upc) ?? null;
  return { upc: upc && upcOf(upc), ean: other && eanOf(other) };
}
