// Reads amounts and a currency out of price texts as shops write them: "$1,299.00", "1.299,00 €", "35€ 99".
// An amount is decimal text with a point; it becomes cents digit by digit, never by way of a float.

export type PriceText = {
  /** Every amount in the text, in order; a text with several states no single price. */
  amounts: readonly string[];
  /** 'USD', another ISO code, '$' for a dollar sign of unsaid country, '?' for a foreign sign or word. */
  currency: string | null;
  /** Whether "1.299" could as well be a thousand and something. */
  isAmbiguous: boolean;
  /** Whether the text holds nothing that makes it another thing than a price: a minus, markup, code. */
  isPlain: boolean;
};

/** What is longer is prose, not a price. */
const CHARS_MAX = 200;
const CENTS_DIGITS_MAX = 9;

// Digits with separators between them; a space only before three digits, or after a decimal sign.
const NUMBER = /[.,]?\d+(?:(?:[.,'’]| (?=\d{3}(?!\d))|[.,] (?=\d{2}(?!\d)))\d+)*/g;
const ISO_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const FOREIGN_WORD =
  /^(?:euros?|eur|gbp|chf|kč|zł|zl|руб|р\.|₽|грн|kr|lei|ft|rp|rs|tl|br|лв|yen|kd|dhs|rm|kn)(?![\p{L}])/iu;
const FOREIGN_WORD_END =
  /(?:^|[^\p{L}])(?:euros?|eur|gbp|chf|kč|zł|zl|руб\.?|р\.|грн\.?|kr|lei|ft|rp|rs|tl|br|лв|yen|kd|dhs|rm|kn)$/iu;
/** Countries whose dollar, real or peso is written with letters before the sign. */
const FOREIGN_DOLLAR =
  /(?:\b(?:A|AU|C|CA|NZ|HK|SG|S|R|NT|MX|MOP|J|TT|GY|BZ|FJ|NA|[A-TV-Z][A-Z]{2}) ?|[A-Z])\$|\$ ?(?:b\b|AU\b|CA\b)/;
// A minus may stand after a price ("105,-"), not before it.
const ODD = /[^\p{L}\p{M}\p{Sc}\d\s.,'’:*/()–—-]|[-−–—]\s*[\p{Sc}\d.,]|\p{L}\(/u;
/** "19⁹⁹" is 19.99 to the eye, and 1999 to whoever makes plain digits of it. */
const RAISED = /[\u00b2\u00b3\u00b9\u2070-\u2089]/;
/** Words that stand at prices and are no currency. */
const HARMLESS =
  /^(?:each|ea|per|inc|incl|ex|excl|plus|with|now|only|price|from|was|sale|our|off|to|and|for|at|just)$/i;
const US_DOLLAR = /(?:^|[^A-Z])(?:US ?\$|U\$S|USD|U\.S\.)/i;

export function readPriceText(given: string): PriceText {
  const text = tidied(given);
  if (text.length > CHARS_MAX) {
    return { amounts: [], currency: null, isAmbiguous: false, isPlain: false };
  }
  const currency = currencyOf(text);
  const isPlain = !ODD.test(text) && !RAISED.test(given);
  if (/^free\W*$/i.test(text)) return { amounts: ['0'], currency, isAmbiguous: false, isPlain };
  const found = numbersOf(text);
  // "3 issues for 14.85 EUR": where some numbers stand at a currency, the others count something else.
  const priced = found.some((one) => one.isPriced) ? found.filter((one) => one.isPriced) : found;
  const amounts = priced.flatMap((one) => decimal(one.digits) ?? []);
  return { amounts, currency, isAmbiguous: priced.some((one) => isAmbiguous(one.digits)), isPlain };
}

/** Whole cents of decimal text; null when it is not a sum of whole cents. */
export function centsOf(amount: string): number | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (found === null) return null;
  const whole = (found[1] as string).replace(/^0+(?=\d)/, '');
  const fraction = (found[2] ?? '').replace(/0+$/, '');
  if (fraction.length > 2 || whole.length > CENTS_DIGITS_MAX) return null;
  return Number(whole + fraction.padEnd(2, '0'));
}

/** A currency as a page names it: an ISO code, "US$", or only a sign. */
export function readCurrency(given: string): string | null {
  const text = tidied(given);
  if (/^[a-z]{3}$/i.test(text)) return text.toUpperCase();
  return text === '' || text.length > CHARS_MAX ? null : (currencyOf(text) ?? '?');
}

function tidied(text: string): string {
  const spaced = text.slice(0, CHARS_MAX * 10).normalize('NFKC');
  return spaced
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .trim()
    .replace(/(\d)€ ?(\d{2})(?![\d.,€])/g, '$1,$2 €');
}

type Found = { digits: string; isPriced: boolean };

function numbersOf(text: string): Found[] {
  const found: (Found & { start: number; end: number })[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const [start, end] = [match.index, match.index + match[0].length];
    // A share, "from … on", or part of a date.
    if (/^ ?%|^\+|^[-/]\d|^ (?:of|out of|von) /.test(text.slice(end))) {
      if (!/^[-–] ?\d[\d.,]* ?\p{Sc}/u.test(text.slice(end))) continue;
    }
    if (/\d[-/]$/.test(text.slice(0, start)) && currencyOf(text) === null) continue;
    const isPriced = startsWithCurrency(text.slice(end)) || endsWithCurrency(text.slice(0, start));
    found.push({ digits: match[0], isPriced, start, end });
  }
  // Both ends of "26 to 50 €" are prices.
  for (const [index, one] of found.entries()) {
    const next = found[index + 1];
    if (next?.isPriced && /^ ?(?:-|–|—|to|bis|à|do) ?$/.test(text.slice(one.end, next.start))) {
      one.isPriced = true;
    }
  }
  return found;
}

function startsWithCurrency(after: string): boolean {
  const rest = after.trimStart();
  const word = /^[A-Z]{3}(?![A-Za-z])/.exec(rest)?.[0];
  return (
    /^\p{Sc}/u.test(rest) || FOREIGN_WORD.test(rest) || (word !== undefined && ISO_CODES.has(word))
  );
}

function endsWithCurrency(before: string): boolean {
  const rest = before.replace(/[ :.]+$/, '');
  const word = /(?:^|[^A-Za-z])([A-Z]{3})$/.exec(rest)?.[1];
  return (
    /\p{Sc}$/u.test(rest) ||
    FOREIGN_WORD_END.test(rest) ||
    (word !== undefined && ISO_CODES.has(word))
  );
}

function currencyOf(text: string): string | null {
  // A code counts only beside a number or a sign: "TOP", "ALL" and "TRY" are words as well.
  const beside = /(?<![A-Za-z])([A-Z]{3})(?= ?[\d$.])|[\d$.] ?([A-Z]{3})(?![A-Za-z])|^([A-Z]{3})$/g;
  const codes = [...text.matchAll(beside)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((code) => ISO_CODES.has(code));
  const foreign = codes.find((code) => code !== 'USD');
  if (foreign !== undefined) return foreign;
  const sign = /[^\P{Sc}$]/u.exec(text)?.[0];
  if (sign !== undefined) return SIGNS[sign] ?? '?';
  if (US_DOLLAR.test(text)) return 'USD';
  if (FOREIGN_DOLLAR.test(text)) return '?';
  if (text.includes('$')) return '$';
  // Letters at a number that are no known word: a currency this list does not know, to be safe.
  const words = [...text.matchAll(/(?:(\p{L}[\p{L}.'/]*) ?)?[.,]?\d[\d.,'’ ]*(\p{L}+)?/gu)];
  const beyond = words.flatMap((match) => [match[1] ?? '', match[2] ?? '']);
  return beyond.some((word) => word !== '' && !HARMLESS.test(word)) ? '?' : null;
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₽': 'RUB', '₹': 'INR' };

/** One number as decimal text, or null when its separators make no sense. */
function decimal(digits: string): string | null {
  let rest = digits.replace(/([.,]) (?=\d{2}$)/, '$1');
  if (/^[.,]\d{1,2}$/.test(rest)) return `0.${rest.slice(1)}`;
  rest = rest.replace(/^[.,]/, '');
  if (/[ '’]/.test(rest)) {
    if (!/^\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?$/.test(rest)) return null;
    rest = rest.replace(/[ '’]/g, '');
    if (/[.,]\d{3}$/.test(rest)) return null;
  }
  const last = Math.max(rest.lastIndexOf('.'), rest.lastIndexOf(','));
  if (last === -1) return rest;
  const sign = rest[last] as string;
  const [before, after] = [rest.slice(0, last), rest.slice(last + 1)];
  const other = sign === '.' ? ',' : '.';
  if (before.includes(sign)) return isGrouped(rest, sign) ? rest.replaceAll(sign, '') : null;
  if (before.includes(other)) {
    return isGrouped(before, other) ? `${before.replaceAll(other, '')}.${after}` : null;
  }
  return isGrouped(rest, sign) ? before + after : `${before}.${after}`;
}

function isGrouped(text: string, sign: string): boolean {
  const [first = '', ...groups] = text.split(sign);
  return (
    /^[1-9]\d{0,2}$/.test(first) && groups.length > 0 && groups.every((group) => group.length === 3)
  );
}

const isAmbiguous = (digits: string) => /^[1-9]\d{0,2}\.\d{3}$/.test(digits);
