// The tables `product_words` and `search_words`: the words by which products are found, and all
// words there are, by which misspelt ones are corrected.
import type { LRUCache } from 'lru-cache';
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup, inGroups, readInGroups } from '../database/lane-groups.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Read } from './time-budget.ts';

export type ProductWords = { code: string; words: readonly string[]; rankBand: number };

/** Products without a rank come after all others. */
export const NO_RANK_BAND = 32;

const keyArrays = (codes: readonly string[]) => [plainArray(codes.map(lane)), plainArray(codes)];

const READ_WORDS = statement(
  'read-product-words',
  `select w.retailer_product_code as code, tsvector_to_array(w.words) as words, w.rank_band
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join product_words w on w.lane = n.lane and w.retailer_product_code = n.code
      and ${inLanes('w.lane', '$1')}`,
);

export async function readWords(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, ProductWords>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<{ code: string; words: string[]; rank_band: number }>(READ_WORDS, keyArrays(part)),
  );
  return new Map(
    rows.map(({ code, words, rank_band }) => [code, { code, words, rankBand: rank_band }]),
  );
}

/** Replaces the words of products of one lane group. */
export async function writeWords(tx: Transaction, all: readonly ProductWords[]): Promise<void> {
  if (all.length === 0) return;
  await tx.query(
    `insert into product_words (lane, retailer_product_code, words, rank_band)
     select n.lane, n.code, array_to_tsvector(string_to_array(n.words, ' ')), n.rank_band
       from unnest($1::smallint[], $2::text[], $3::text[], $4::smallint[])
              as n(lane, code, words, rank_band)
      order by n.lane, n.code
     on conflict (lane, retailer_product_code) do update
        set words = excluded.words, rank_band = excluded.rank_band`,
    [
      ...keyArrays(all.map(({ code }) => code)),
      textArray(all.map(({ words }) => words.join(' '))),
      plainArray(all.map(({ rankBand }) => rankBand)),
    ],
  );
}

export async function deleteWords(tx: Transaction, codes: readonly string[]): Promise<void> {
  if (codes.length === 0) return;
  await tx.query(
    `delete from product_words w using unnest($1::smallint[], $2::text[]) as n(lane, code)
      where w.lane = n.lane and w.retailer_product_code = n.code and ${inLanes('w.lane', '$1')}`,
    keyArrays(codes),
  );
}

/** Words that this process has stored: products share most words, and no row is ever deleted. */
const storedByDatabase = new WeakMap<object, LRUCache<string, true>>();

export async function insertSearchWords(db: Database, words: Iterable<string>): Promise<void> {
  const stored = storedByDatabase.get(db.groups) ?? boundedCache<string, true>(WORDS_CACHED_MAX);
  storedByDatabase.set(db.groups, stored);
  const missing = [...new Set(words)].filter((word) => !stored.has(word));
  await inGroups(db, missing, {
    keyOf: (word) => word,
    work: (part) =>
      db.query(
        `insert into search_words (lane, word)
         select n.lane, n.word from unnest($1::smallint[], $2::text[]) as n(lane, word)
          order by n.lane, n.word
         on conflict do nothing`,
        [plainArray(part.map(lane)), textArray(part)],
      ),
  });
  for (const word of missing) stored.set(word, true);
}

const WORDS_CACHED_MAX = bounds.searchWordsCachedMax;

/** The place of a product among the products found: best sellers first. */
export type WordsPlace = { rankBand: number; code: string };

/**
 * Lists products of one lane group that have all words, best sellers first. Each entry of `words`
 * is a list of which one is enough; `isPrefix`: the last entry may be the start of a word. Words
 * have letters and digits only, so that nothing in them is an operator.
 */
export async function findByWords(
  read: Read,
  lanes: readonly number[],
  input: WordsQuery,
): Promise<WordsPlace[]> {
  const { after, except, limit } = input;
  const rows = await read<{ code: string; rank_band: number }>(
    `select w.retailer_product_code as code, w.rank_band from product_words w
      where ${inLanes('w.lane', '$1')} and w.words @@ $2::tsquery
        and ($3::tsquery is null or not w.words @@ $3::tsquery)
        and (w.rank_band, w.retailer_product_code) > ($4::smallint, $5::text)
      order by w.rank_band, w.retailer_product_code limit $6`,
    [
      plainArray(lanes),
      tsqueryOf(input),
      except === null ? null : tsqueryOf(except),
      after?.rankBand ?? -1,
      after?.code ?? '',
      limit,
    ],
  );
  return rows.map(({ code, rank_band }) => ({ code, rankBand: rank_band }));
}

export type WordsMatch = { words: readonly (readonly string[])[]; isPrefix: boolean };
export type WordsQuery = WordsMatch & {
  /** Products that match this as well are skipped. */
  except: WordsMatch | null;
  after: WordsPlace | null;
  limit: number;
};

function tsqueryOf({ words, isPrefix }: WordsMatch): string {
  const last = words.length - 1;
  return words
    .map((choices, index) => {
      const ending = isPrefix && index === last ? ':*' : '';
      return `(${choices.map((word) => `'${word}'${ending}`).join(' | ')})`;
    })
    .join(' & ');
}

/** What an operator runs where migration 101 was not allowed to. */
export const TRIGRAM_ADVICE =
  'To forgive typing errors, run as a user who may: create extension pg_trgm; create index search_words_similar on search_words using gin (word gin_trgm_ops);';

/** Whether the server compares words by their trigrams; without that, none are corrected. */
export async function hasTrigrams(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>(
    `select to_regprocedure('similarity(text, text)') is not null as exists`,
  );
  return row?.exists === true;
}

/** Lists for each word those that share many trigrams with it, the most similar first. */
export async function similarWords(
  db: Database,
  read: Read,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<Map<string, string[]>> {
  const rows = await fromEachGroup(db, (lanes) =>
    read<{ typed: string; word: string; similarity: number }>(
      `select n.typed, near.word, near.similarity from unnest($2::text[]) as n(typed)
        cross join lateral (
          select s.word, similarity(s.word, n.typed) as similarity from search_words s
           where ${inLanes('s.lane', '$1')} and s.word % n.typed
           order by similarity desc, s.word limit $3) as near`,
      [plainArray(lanes), textArray(words), limit],
    ),
  );
  rows.sort((a, b) => b.similarity - a.similarity);
  const byTyped = Map.groupBy(rows, ({ typed }) => typed);
  return new Map(
    [...byTyped].map(([typed, similar]) => [
      typed,
      similar.slice(0, limit).map(({ word }) => word),
    ]),
  );
}
