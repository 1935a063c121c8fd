// Which product a page says it is about: compares its identifiers and URLs with the requested code.
// A shop's item number often differs from the number in its URLs, so one match is enough.

export type Statement = 'this' | 'other' | 'nothing';

/** Shorter runs of digits in a URL are page numbers, sizes or years. */
const DIGITS_MIN = 5;

/** Combines statements: one that names this product outweighs those that name another. */
export function strongest(statements: readonly Statement[]): Statement {
  if (statements.includes('this')) return 'this';
  return statements.includes('other') ? 'other' : 'nothing';
}

/** What a sku or productID says; `gtins` are the product's GTINs, which are not codes. */
export function idSays(id: string, code: string, gtins: readonly string[]): Statement {
  const match = /^\s*(?:([a-z_-]{1,20})\s*:\s*)?(.+?)\s*$/is.exec(id.slice(0, 100));
  const [, kind = '', value = ''] = match ?? [];
  if (/^(?:upc|ean|isbn|mpn|asin|gtin.*)$/i.test(kind)) return 'nothing';
  if (!/^\d{1,20}$/.test(value)) {
    const runs = runsOf(value).map(withoutZeros);
    return code.length >= DIGITS_MIN && runs.includes(withoutZeros(code)) ? 'this' : 'nothing';
  }
  if (withoutZeros(value) === withoutZeros(code)) return 'this';
  return gtins.includes(value.padStart(14, '0')) ? 'nothing' : 'other';
}

/** What a URL says; `pattern` is the one from which the product's URL was made. */
export function addressSays(address: string, code: string, pattern: string): Statement {
  const base = pattern.replaceAll('{code}', code);
  // "#product" resolves to the requested URL itself, which says nothing.
  if (/^\s*(?:[#?]|$)/.test(address) || !URL.canParse(address, base)) return 'nothing';
  const url = new URL(address, base);
  const requestedUrl = new URL(base);
  const inQuery =
    pattern.indexOf('?') !== -1 && pattern.lastIndexOf('{code}') > pattern.indexOf('?');
  const text = inQuery ? url.pathname + url.search : url.pathname;
  if (runsOf(text).includes(code)) return 'this';
  const name = `${url.hostname}${url.pathname}${url.search}`;
  const shape = escapeForRegExp(
    `${requestedUrl.hostname}${requestedUrl.pathname}${inQuery ? requestedUrl.search : ''}`,
  );
  // Other parameters may follow a code in a query, words a code in a path.
  const same = new RegExp(`^${shape.replaceAll(code, '\\d{1,20}')}(?:[/?&#]|$)`);
  const segments = url.pathname.split('/').filter((part) => /^\d+$/.test(part));
  const isOther = same.test(name) || segments.some((part) => part.length >= DIGITS_MIN);
  return isOther ? 'other' : 'nothing';
}

const runsOf = (text: string): readonly string[] => text.slice(0, 2_000).match(/\d+/g) ?? [];
const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '');
const escapeForRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
