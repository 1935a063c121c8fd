// Reads amounts and a currency from price texts as shops write them: "$1,299.00", "1.299,00 €",
// "35€ 99". An amount is decimal text with a point and becomes cents digit by digit, never through
// a float.

export type PriceText = {
  /** All amounts in the text, in order; a text with several has no single price. */
  amounts: readonly string[];
  /**
   * 'USD', another ISO code, '$' for a dollar sign without a country, '?' for another sign or word.
   */
  currency: string | null;
  /** Whether the text is like "1.299", which may mean 1.299 or 1299. */
  isAmbiguous: boolean;
  /**
   * Whether the text has nothing that makes it something other than a price: a minus, markup, code.
   */
  isPlain: boolean;
};

/** A longer text is prose, not a price. */
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
// A minus may follow a price ("105,-"), but not precede it.
const ODD = /[^\p{L}\p{M}\p{Sc}\d\s.,'’:*/()–—-]|[-−–—]\s*[\p{Sc}\d.,]|\p{L}\(/u;
/** "19⁹⁹" means 19.99 but normalizes to 1999. */
const RAISED = /[\u00b2\u00b3\u00b9\u2070-\u2089]/;
/** Words next to prices that are not currencies. */
const HARMLESS =
  /^(?:each|ea|per|inc|incl|ex|excl|plus|with|now|only|price|from|was|sale|our|off|to|and|for|at|just)$/i;
const US_DOLLAR = /(?:^|[^A-Z])(?:US ?\$|U\$S|USD|U\.S\.)/i;

export function readPriceText(input: string): PriceText {
  const text = tidied(input);
  if (text.length > CHARS_MAX) {
    return { amounts: [], currency: null, isAmbiguous: false, isPlain: false };
  }
  const currency = currencyOf(text);
  const isPlain = !ODD.test(text) && !RAISED.test(input);
  if (/^free\W*$/i.test(text)) return { amounts: ['0'], currency, isAmbiguous: false, isPlain };
  const numbers = numbersOf(text);
  // "3 issues for 14.85 EUR": if some numbers have a currency, the others count something else.
  const withCurrency = numbers.filter((one) => one.isPriced);
  const priced = withCurrency.length > 0 ? withCurrency : numbers;
  const amounts = priced.flatMap((one) => decimal(one.digits) ?? []);
  return { amounts, currency, isAmbiguous: priced.some((one) => isAmbiguous(one.digits)), isPlain };
}

/** Converts decimal text to cents; null if it is not a whole number of cents. */
export function centsOf(amount: string): number | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (match === null) return null;
  const whole = (match[1] as string).replace(/^0+(?=\d)/, '');
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > 2 || whole.length > CENTS_DIGITS_MAX) return null;
  return Number(whole + fraction.padEnd(2, '0'));
}

/** Reads a currency as a page names it: an ISO code, "US$", or only a sign. */
export function readCurrency(input: string): string | null {
  const text = tidied(input);
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

type NumberMatch = { digits: string; isPriced: boolean };

function numbersOf(text: string): NumberMatch[] {
  const numbers: (NumberMatch & { start: number; end: number })[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const [start, end] = [match.index, match.index + match[0].length];
    // A percentage, "from … on", or part of a date.
    if (/^ ?%|^\+|^[-/]\d|^ (?:of|out of|von) /.test(text.slice(end))) {
      if (!/^[-–] ?\d[\d.,]* ?\p{Sc}/u.test(text.slice(end))) continue;
    }
    if (/\d[-/]$/.test(text.slice(0, start)) && currencyOf(text) === null) continue;
    const isPriced = startsWithCurrency(text.slice(end)) || endsWithCurrency(text.slice(0, start));
    numbers.push({ digits: match[0], isPriced, start, end });
  }
  // Both ends of "26 to 50 €" are prices.
  for (const [index, one] of numbers.entries()) {
    const next = numbers[index + 1];
    if (next?.isPriced && /^ ?(?:-|–|—|to|bis|à|do) ?$/.test(text.slice(one.end, next.start))) {
      one.isPriced = true;
    }
  }
  return numbers;
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
  // A code counts only next to a number or a sign: "TOP", "ALL" and "TRY" are also words.
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
  // Unknown letters next to a number may be a currency that is not listed here.
  const words = [...text.matchAll(/(?:(\p{L}[\p{L}.'/]*) ?)?[.,]?\d[\d.,'’ ]*(\p{L}+)?/gu)];
  const beyond = words.flatMap((match) => [match[1] ?? '', match[2] ?? '']);
  return beyond.some((word) => word !== '' && !HARMLESS.test(word)) ? '?' : null;
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₽': 'RUB', '₹': 'INR' };

/** Converts one number to decimal text; null if its separators make no sense. */
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
