// Searches products by a text: by code, UPC or EAN first, then by words, then by words with typing
// errors. Best sellers come first among equals.
import { gtin14, gtinOfUpc } from '../catalog/gtin.ts';
import type { Products } from '../catalog/read-batched.ts';
import type { Database } from '../database/database.ts';
import { inEachGroup } from '../database/lane-groups.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { MINUTE_MS } from '../foundation/time.ts';
import {
  findByWords,
  hasTrigrams,
  similarWords,
  type WordsMatch,
  type WordsPlace,
} from './product-words.ts';
import { createBudget } from './time-budget.ts';
import { errorsMax, isCorrectable, typingErrors, wordsOf } from './word.ts';

/** How a product was found; lists go through them in this order. */
export type SearchTier = 'exact' | 'words' | 'similar';

export type SearchPlace = WordsPlace & { tier: SearchTier };

export type ProductSearch = ReturnType<typeof createProductSearch>;

const WORDS_MAX = 10;
const EXACT_MAX = 10;
const SIMILAR_READ_MAX = 30;
const SIMILAR_USED_MAX = 8;

/** Create one per process. */
export function createProductSearch(deps: { db: Database; products: Products }) {
  const canCorrect = createTrigramCheck(deps.db);

  /** Returns up to `limit` places after `after`, or from the start. */
  return async (input: {
    text: string;
    after: SearchPlace | null;
    limit: number;
  }): Promise<SearchPlace[]> => {
    const { text, after, limit } = input;
    const budget = createBudget(deps.db);
    const exact = await exactCodes(deps.products, text);
    const places: SearchPlace[] =
      after === null ? exact.map((code) => ({ tier: 'exact', rankBand: -1, code })) : [];
    const words = wordsOf(text, WORDS_MAX);
    if (words.length === 0) return places;
    const isNew = ({ code }: WordsPlace) => !exact.includes(code);
    const typed: WordsMatch = { words: words.map((word) => [word]), isPrefix: true };

    const add = async (tier: SearchTier, match: WordsMatch, except: WordsMatch | null) => {
      const missing = limit - places.length;
      if (missing <= 0) return;
      const parts = await budget.run((read) =>
        inEachGroup(deps.db, (lanes) =>
          findByWords(read, lanes, {
            ...match,
            except,
            after: after?.tier === tier ? after : null,
            limit: missing + exact.length,
          }),
        ),
      );
      const sorted = parts.flat().filter(isNew).sort(byPlace).slice(0, missing);
      places.push(...sorted.map((place) => ({ ...place, tier })));
    };

    if (after?.tier !== 'similar') await add('words', typed, null);
    if (places.length >= limit || !(await canCorrect())) return places;
    const corrected = await correctedWords(deps.db, budget, words);
    if (corrected !== null) await add('similar', { ...typed, words: corrected }, typed);
    return places;
  };
}

const byPlace = (a: WordsPlace, b: WordsPlace) =>
  a.rankBand - b.rankBand || (a.code < b.code ? -1 : 1);

/** Listed products whose code, UPC or EAN the text is. */
async function exactCodes(products: Products, text: string): Promise<string[]> {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^[0-9]{1,20}$/.test(digits)) return [];
  const gtins = new Set<string>();
  if ([8, 12, 13, 14].includes(digits.length)) gtins.add(gtin14(digits));
  if (/^[01][0-9]{7}$/.test(digits)) gtins.add(gtinOfUpc(digits));
  const [byCode, ...byGtin] = await Promise.all([
    products.byCode(digits).then((product) => (product === undefined ? [] : [product])),
    ...[...gtins].map((gtin) => products.byGtin(gtin)),
  ]);
  const codes = [byCode, ...byGtin].flat().map(({ code }) => code);
  return [...new Set(codes)].slice(0, EXACT_MAX);
}

type Budget = ReturnType<typeof createBudget>;

/** Each word with the words that it may be a misspelling of; null if there are none. */
async function correctedWords(
  db: Database,
  budget: Budget,
  words: readonly string[],
): Promise<string[][] | null> {
  const typed = words.filter(isCorrectable);
  if (typed.length === 0) return null;
  const similar = await budget.run((read) =>
    similarWords(db, read, { words: typed, limit: SIMILAR_READ_MAX }),
  );
  const corrected = words.map((word) => {
    const close = (similar.get(word) ?? [])
      .map((other) => ({ other, errors: typingErrors(word, other, errorsMax(word)) }))
      .filter(({ errors }) => errors > 0 && errors <= errorsMax(word))
      .sort((a, b) => a.errors - b.errors)
      .slice(0, SIMILAR_USED_MAX);
    return [word, ...close.map(({ other }) => other)];
  });
  return corrected.some((choices) => choices.length > 1) ? corrected : null;
}

/** Whether the server has trigrams; checked again each minute until it has. */
function createTrigramCheck(db: Database) {
  let isThere = false;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  return async (): Promise<boolean> => {
    if (!isThere && monotonicMs() - checkedAtMs >= MINUTE_MS) {
      isThere = await hasTrigrams(db);
      checkedAtMs = monotonicMs();
    }
    return isThere;
  };
}
