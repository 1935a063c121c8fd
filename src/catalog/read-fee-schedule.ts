// Reads a fee schedule written as JSON: the shipped one, or the one an operator puts in its place.
// What could be misread is refused with one line that names the place, so that no fee is ever guessed.
import { readFileSync } from 'node:fs';
import { readInstant } from '../foundation/instant.ts';
import {
  type Band,
  type Cut,
  categoryKey,
  type Edition,
  EVERYTHING_ELSE,
  type FeeCategory,
  type FeeName,
  type FeeSchedule,
  type PayingSeller,
  type Promotion,
  type WeightStep,
} from './fee-schedule.ts';

/** A schedule that cannot be used: one line that names the place, what stands there and what may. */
export class BadFeeSchedule extends Error {}

const DEFAULT_FILE = new URL('default-fee-schedule.json', import.meta.url);

const CENTS_MAX = 100_000_000;
const POUNDS_MAX = 100_000;
const ENTRIES_MAX = 1_000;
const TEXT_MAX = 500;

const KINDS = ['whole', 'marginal', 'unsettled'] as const;
const CONFIDENCES = ['official', 'secondary', 'calculator'] as const;
const FEES: readonly FeeName[] = ['referral', 'closing', 'shipping'];
const SELLERS: readonly PayingSeller[] = ['marketplace', 'fulfilled'];

/** The schedule that comes with the program. */
export function defaultFeeSchedule(): FeeSchedule {
  return readFeeSchedule(readFileSync(DEFAULT_FILE, 'utf8'));
}

export function readFeeSchedule(json: string): FeeSchedule {
  const top = members(parse(json), 'the file', {
    needed: ['editions'],
    optional: ['about', 'sources', 'promotions'],
  });
  if (top.about !== undefined) text(top.about, 'about');
  const sources = readSources(top.sources);
  const editions = list(top.editions, 'editions').map((value, index) =>
    readEdition(value, { path: `editions[${index}]`, sources }),
  );
  refuseDisorder(editions);
  const known = new Set(editions.flatMap(({ categories }) => [...categories.keys()]));
  const promotions = list(top.promotions ?? [], 'promotions', 0).map((value, index) =>
    readPromotion(value, { path: `promotions[${index}]`, known }),
  );
  return { editions, promotions };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refuse('the file', `is not JSON: ${oneLine(reason)}`);
  }
}

function readSources(value: unknown): ReadonlySet<string> {
  const sources = object(value ?? {}, 'sources');
  for (const [key, source] of Object.entries(sources)) text(source, `sources[${shown(key)}]`);
  return new Set(Object.keys(sources));
}

type Sources = { path: string; sources: ReadonlySet<string> };

function readEdition(value: unknown, { path, sources }: Sources): Edition {
  const edition = members(value, path, {
    needed: ['fromOn', 'categories', 'shipping'],
    optional: ['closingCents'],
  });
  const closingCents = cents(edition.closingCents ?? 0, `${path}.closingCents`);
  const categories = new Map<string, FeeCategory>();
  for (const [index, item] of list(edition.categories, `${path}.categories`).entries()) {
    const at = `${path}.categories[${index}]`;
    const category = readCategory(item, { path: at, sources, closingCents });
    const key = categoryKey(category.name);
    if (key === '') refuse(`${at}.category`, `${shown(category.name)} has no letter or digit`);
    const first = categories.get(key);
    if (first) refuse(at, `${shown(category.name)} is there already, as ${shown(first.name)}`);
    categories.set(key, category);
  }
  const everythingElse = categories.get(categoryKey(EVERYTHING_ELSE));
  if (everythingElse === undefined) {
    return refuse(`${path}.categories`, `there must be one called "${EVERYTHING_ELSE}"`);
  }
  return {
    fromOn: edition.fromOn === null ? null : day(edition.fromOn, `${path}.fromOn`),
    categories,
    everythingElse,
    shippingSteps: readSteps(edition.shipping, { path: `${path}.shipping`, sources }),
  };
}

/** Every day must have exactly one edition. */
function refuseDisorder(editions: readonly Edition[]): void {
  for (const [index, { fromOn }] of editions.entries()) {
    const path = `editions[${index}].fromOn`;
    const before = editions[index - 1];
    if (before === undefined) {
      if (fromOn !== null) refuse(path, `is ${shown(fromOn)}, the first edition must have null`);
    } else if (fromOn === null) {
      refuse(path, 'is null, only the first edition may hold since ever');
    } else if (before.fromOn !== null && fromOn <= before.fromOn) {
      refuse(path, `is ${shown(fromOn)}, must be after the edition before (${before.fromOn})`);
    }
  }
}

function readCategory(
  value: unknown,
  { path, sources, closingCents }: Sources & { closingCents: number },
): FeeCategory {
  const category = members(value, path, {
    needed: ['category', 'bands'],
    optional: ['kind', 'closingCents', 'doubt', 'confidence', 'sources'],
  });
  const name = text(category.category, `${path}.category`);
  const here = `${path} (${shown(name)})`;
  const bands = readBands(category.bands, `${here}.bands`);
  if (category.kind === undefined && bands.length > 1) {
    refuse(`${here}.kind`, `is missing, must be ${KINDS.join(', ')} where there are several bands`);
  }
  const kind = oneOf(category.kind ?? 'whole', KINDS, `${here}.kind`);
  if (category.doubt !== undefined) text(category.doubt, `${here}.doubt`);
  readOrigin(category, { path: here, sources });
  return {
    name,
    // As in every shipped category whose rate falls as the price rises and whose kind is known.
    kind: kind === 'unsettled' ? 'marginal' : kind,
    bands,
    closingCents: cents(category.closingCents ?? closingCents, `${here}.closingCents`),
    isUnsettled: kind === 'unsettled' || category.doubt !== undefined,
  };
}

/** Each band begins where the one before ends, so order is all that can be wrong with them. */
function readBands(value: unknown, path: string): Band[] {
  const items = list(value, path);
  let belowCents = 0;
  return items.map((item, index) => {
    const at = `${path}[${index}]`;
    const band = members(item, at, { needed: ['upToCents', 'rateBp'], optional: [] });
    const rateBp = wholeNumber(band.rateBp, `${at}.rateBp`, { min: 0, max: 10_000 });
    const isLast = index === items.length - 1;
    if (band.upToCents === null) {
      if (!isLast) refuse(`${at}.upToCents`, 'is null, so this band overlaps the next');
      return { upToCents: Number.POSITIVE_INFINITY, rateBp };
    }
    const upToCents = cents(band.upToCents, `${at}.upToCents`);
    if (upToCents <= belowCents) {
      const before = index === 0 ? 'must be above 0' : `overlaps the band up to ${belowCents}`;
      refuse(`${at}.upToCents`, `is ${upToCents}, ${before}`);
    }
    if (isLast)
      refuse(`${at}.upToCents`, `is ${upToCents}, which leaves a gap above: must be null`);
    belowCents = upToCents;
    return { upToCents, rateBp };
  });
}

function readSteps(value: unknown, { path, sources }: Sources): WeightStep[] {
  const shipping = members(value, path, {
    needed: ['steps'],
    optional: ['confidence', 'sources'],
  });
  readOrigin(shipping, { path, sources });
  let belowLb = 0;
  return list(shipping.steps, `${path}.steps`).map((item, index) => {
    const at = `${path}.steps[${index}]`;
    const step = members(item, at, {
      needed: ['upToLb', 'firstLbCents'],
      optional: ['furtherLbCents'],
    });
    const upToLb = wholeNumber(step.upToLb, `${at}.upToLb`, { min: 1, max: POUNDS_MAX });
    if (upToLb <= belowLb) {
      refuse(`${at}.upToLb`, `is ${upToLb}, overlaps the step up to ${belowLb}`);
    }
    belowLb = upToLb;
    return {
      upToLb,
      firstLbCents: cents(step.firstLbCents, `${at}.firstLbCents`),
      furtherLbCents: cents(step.furtherLbCents ?? 0, `${at}.furtherLbCents`),
    };
  });
}

function readOrigin(entry: Members, { path, sources }: Sources): void {
  if (entry.confidence !== undefined) oneOf(entry.confidence, CONFIDENCES, `${path}.confidence`);
  for (const [index, source] of list(entry.sources ?? [], `${path}.sources`, 0).entries()) {
    if (typeof source !== 'string' || !sources.has(source)) {
      refuse(`${path}.sources[${index}]`, `is ${shown(source)}, must be a key of sources`);
    }
  }
}

function readPromotion(
  value: unknown,
  { path, known }: { path: string; known: ReadonlySet<string> },
): Promotion {
  const promotion = members(value, path, {
    needed: ['name', 'fromOn', 'toOn', 'cuts'],
    optional: ['categories', 'sellerTypes'],
  });
  const fromOn = day(promotion.fromOn, `${path}.fromOn`);
  const toOn = promotion.toOn === null ? null : day(promotion.toOn, `${path}.toOn`);
  if (toOn !== null && toOn <= fromOn) {
    refuse(`${path}.toOn`, `is ${shown(toOn)}, must be after fromOn (${fromOn})`);
  }
  const cuts = list(promotion.cuts, `${path}.cuts`).map((cut, index) =>
    readCut(cut, `${path}.cuts[${index}]`),
  );
  for (const [index, { fee }] of cuts.entries()) {
    if (cuts.findIndex((cut) => cut.fee === fee) < index) {
      refuse(`${path}.cuts[${index}].fee`, `${shown(fee)} is cut already`);
    }
  }
  const { categories, sellerTypes } = promotion;
  return {
    name: text(promotion.name, `${path}.name`),
    fromOn,
    toOn,
    categories: some(categories, `${path}.categories`, (item, at) => {
      const key = categoryKey(text(item, at));
      if (!known.has(key)) refuse(at, `is ${shown(item)}, which no edition has`);
      return key;
    }),
    sellerTypes: some(sellerTypes, `${path}.sellerTypes`, (item, at) => oneOf(item, SELLERS, at)),
    cuts,
  };
}

function readCut(value: unknown, path: string): Cut {
  const cut = members(value, path, { needed: ['fee'], optional: ['offBp', 'offCents'] });
  if ((cut.offBp === undefined) === (cut.offCents === undefined)) {
    refuse(path, 'must have either offBp or offCents');
  }
  return {
    fee: oneOf(cut.fee, FEES, `${path}.fee`),
    offBp: wholeNumber(cut.offBp ?? 0, `${path}.offBp`, { min: 0, max: 10_000 }),
    offCents: cents(cut.offCents ?? 0, `${path}.offCents`),
  };
}

type Members = Readonly<Record<string, unknown>>;

function refuse(path: string, what: string): never {
  throw new BadFeeSchedule(`Fee schedule, ${path}: ${what}.`);
}

function object(value: unknown, path: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  return refuse(path, `is ${shown(value)}, must be an object`);
}

/** A misspelt optional member would change what a schedule means: none but the known ones. */
function members(
  value: unknown,
  path: string,
  { needed, optional }: { needed: readonly string[]; optional: readonly string[] },
): Members {
  const entry = object(value, path);
  const missing = needed.find((name) => !Object.hasOwn(entry, name));
  if (missing !== undefined) refuse(path, `${missing} is missing`);
  const odd = Object.keys(entry).find((name) => !needed.includes(name) && !optional.includes(name));
  if (odd !== undefined) {
    refuse(path, `has ${shown(odd)}, may have ${[...needed, ...optional].join(', ')}`);
  }
  const empty = optional.find((name) => entry[name] === null);
  if (empty !== undefined) refuse(`${path}.${empty}`, 'is null, give a value or leave it out');
  return entry;
}

function list(value: unknown, path: string, min = 1): readonly unknown[] {
  if (Array.isArray(value) && value.length >= min && value.length <= ENTRIES_MAX) return value;
  return refuse(path, `must be a list of ${min} to ${ENTRIES_MAX} entries`);
}

/** A choice that is absent is no restriction; an empty one would be a promotion for nobody. */
function some<Item>(
  value: unknown,
  path: string,
  read: (item: unknown, path: string) => Item,
): ReadonlySet<Item> | null {
  if (value === undefined) return null;
  return new Set(list(value, path).map((item, index) => read(item, `${path}[${index}]`)));
}

function text(value: unknown, path: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= TEXT_MAX) return value;
  return refuse(path, `is ${shown(value)}, must be a text of 1 to ${TEXT_MAX} characters`);
}

function oneOf<Word extends string>(value: unknown, words: readonly Word[], path: string): Word {
  const word = words.find((one) => one === value);
  return word ?? refuse(path, `is ${shown(value)}, must be ${words.join(', ')}`);
}

function wholeNumber(value: unknown, path: string, range: { min: number; max: number }): number {
  const { min, max } = range;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  return refuse(path, `is ${shown(value)}, must be a whole number from ${min} to ${max}`);
}

function cents(value: unknown, path: string): number {
  return wholeNumber(value, path, { min: 0, max: CENTS_MAX });
}

function day(value: unknown, path: string): string {
  const isDay =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    readInstant(`${value}T00:00:00Z`) !== null;
  return isDay ? value : refuse(path, `is ${shown(value)}, must be a day such as "2026-01-31"`);
}

/** What stands there, short and on one line. */
function shown(value: unknown): string {
  const json = oneLine(JSON.stringify(value));
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function oneLine(words: string): string {
  return words.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
