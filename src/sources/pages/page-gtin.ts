// Reads the GTINs of a product on a page, from any of the fields that pages put them in.
import { eanOf, gtin14, hasValidCheckDigit, upcOf } from '../../catalog/gtin.ts';
import { type Item, plainOf } from './item.ts';

const FIELDS = ['gtin', 'gtin14', 'gtin13', 'gtin12', 'gtin8', 'upc', 'ean', 'isbn'] as const;
const GTINS_MAX = 20;

export function gtinsOf(items: readonly Item[]): string[] {
  const gtins = new Set<string>();
  for (const item of items) {
    const values = [
      ...FIELDS.flatMap((field) => plainOf(item, field)),
      ...plainOf(item, 'productID').flatMap((id) => gtinPartOf(String(id)) ?? []),
    ];
    for (const one of values) {
      const gtin = readGtin(String(one));
      if (gtin !== null && gtins.size < GTINS_MAX) gtins.add(gtin);
    }
  }
  return [...gtins];
}

/** "upc:036000291452" names a GTIN, "sku:123456789012" does not. */
function gtinPartOf(productId: string): string | undefined {
  return /^\s*(?:upc|ean|isbn|gtin(?:-?\d{1,2})?)\s*:\s*(.+)$/is.exec(productId)?.[1];
}

/**
 * The GTIN-14 of 12, 13 or 14 digits, or of 8 digits with a valid check digit: shops' own numbers
 * often have 8 digits. A wrong check digit of longer numbers is accepted, as in every snapshot. A
 * number of 14 digits that is not an EAN belongs to a carton, not to the product.
 */
export function readGtin(value: string): string | null {
  // A GS1 Digital Link: …/01/09506000134352.
  const linked = /\/01\/(\d{14})(?:[/?#]|$)/.exec(value)?.[1];
  const digits = linked ?? value.slice(0, 100).replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^(\d)\1*$/.test(digits)) return null;
  const gtin = gtin14(digits);
  if (eanOf(gtin) === null) return null;
  return digits.length === 8 && !hasValidCheckDigit(gtin) ? null : gtin;
}

/** The two that fit in a snapshot: a UPC and one other; those with a valid check digit first. */
export function gtinMembers(gtins: readonly string[]): { upc: string | null; ean: string | null } {
  const best = [...gtins.filter(hasValidCheckDigit), ...gtins];
  const upc = best.find((gtin) => upcOf(gtin) !== null) ?? null;
  const other = best.find((gtin) => gtin !== upc) ?? null;
  return { upc: upc && upcOf(upc), ean: other && eanOf(other) };
}
