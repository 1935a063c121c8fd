// Whether a typed seller is one of the product's. Names count exactly, as the marketplace spells
// them. Pure.

export type SellerWarning = { text: string; instead: string | null };

/** Null if the name is one of them, or nothing can be said: no name typed, or no seller known. */
export function sellerWarning(typed: string, names: readonly string[]): SellerWarning | null {
  const name = typed.trim();
  if (name === '' || names.length === 0 || names.includes(name)) return null;
  const alike = names.find((one) => plain(one) === plain(name)) ?? null;
  if (alike !== null)
    return { text: `Names must match exactly: this seller is “${alike}”.`, instead: alike };
  return { text: 'No seller of this product has this name so far.', instead: null };
}

/** Without case, spaces and punctuation. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
