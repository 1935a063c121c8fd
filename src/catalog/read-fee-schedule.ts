// Reads a fee schedule from JSON: the default one, or the operator's own. The schema of
// fee-schedule-file.ts checks the shape; this file checks the rules between members. Whatever could
// be misread is refused, so that no fee is ever guessed.
import { readFileSync } from 'node:fs';
import {
  type Band,
  type Cut,
  categoryKey,
  type Edition,
  EVERYTHING_ELSE,
  type FeeCategory,
  type FeeSchedule,
  type Promotion,
  type WeightStep,
} from './fee-schedule.ts';
import {
  type CategoryEntry,
  type EditionEntry,
  type PromotionEntry,
  parseFeeScheduleFile,
  refuse,
  type ShippingEntry,
  shown,
} from './fee-schedule-file.ts';

const DEFAULT_FILE = new URL('default-fee-schedule.json', import.meta.url);

let shipped: FeeSchedule | undefined;

/** The schedule that ships with the program; read once. */
export function defaultFeeSchedule(): FeeSchedule {
  shipped ??= readFeeSchedule(readFileSync(DEFAULT_FILE, 'utf8'));
  return shipped;
}

export function readFeeSchedule(json: string): FeeSchedule {
  const file = parseFeeScheduleFile(json);
  const sources = new Set(Object.keys(file.sources ?? {}));
  const editions = file.editions.map((entry, index) =>
    readEdition(entry, { path: `editions[${index}]`, sources }),
  );
  checkEditionOrder(editions);
  const categoryKeys = new Set(editions.flatMap(({ categories }) => [...categories.keys()]));
  const promotions = (file.promotions ?? []).map((entry, index) =>
    readPromotion(entry, { path: `promotions[${index}]`, categoryKeys }),
  );
  return { editions, promotions };
}

type Context = { path: string; sources: ReadonlySet<string> };

function readEdition(entry: EditionEntry, { path, sources }: Context): Edition {
  const categories = new Map<string, FeeCategory>();
  for (const [index, item] of entry.categories.entries()) {
    const itemPath = `${path}.categories[${index}]`;
    const name = shown(item.category);
    const key = categoryKey(item.category);
    if (key === '') refuse(`${itemPath}.category`, `${name} has no letter or digit`);
    const first = categories.get(key);
    if (first) refuse(itemPath, `${name} is the same category as ${shown(first.name)}`);
    const context = { path: `${itemPath} (${name})`, sources };
    categories.set(key, readCategory(item, entry.closingCents ?? 0, context));
  }
  const everythingElse = categories.get(categoryKey(EVERYTHING_ELSE));
  if (everythingElse === undefined) {
    return refuse(`${path}.categories`, `must include a category named "${EVERYTHING_ELSE}"`);
  }
  checkSources(entry.shipping, { path: `${path}.shipping`, sources });
  return {
    fromDay: entry.fromOn,
    categories,
    everythingElse,
    shippingSteps: readSteps(entry.shipping, `${path}.shipping.steps`),
  };
}

/** Every day must have exactly one edition. */
function checkEditionOrder(editions: readonly Edition[]): void {
  for (const [index, { fromDay }] of editions.entries()) {
    const path = `editions[${index}].fromOn`;
    const before = editions[index - 1];
    if (before === undefined) {
      if (fromDay !== null) refuse(path, `is ${shown(fromDay)}, the first edition must have null`);
    } else if (fromDay === null) {
      refuse(path, 'is null, only the first edition may have null');
    } else if (before.fromDay !== null && fromDay <= before.fromDay) {
      const previous = `the previous edition's fromOn (${before.fromDay})`;
      refuse(path, `is ${shown(fromDay)}, must be after ${previous}`);
    }
  }
}

function readCategory(
  entry: CategoryEntry,
  defaultClosingCents: number,
  { path, sources }: Context,
): FeeCategory {
  const bands = readBands(entry.bands, `${path}.bands`);
  const { kind = bands.length === 1 ? 'whole' : null } = entry;
  if (kind === null) {
    const allowed = 'must be whole, marginal, unsettled where there are several bands';
    return refuse(`${path}.kind`, `is missing, ${allowed}`);
  }
  checkSources(entry, { path, sources });
  return {
    name: entry.category,
    // Every default category whose rate falls as the price rises, and whose kind is known, is
    // marginal.
    kind: kind === 'unsettled' ? 'marginal' : kind,
    bands,
    closingCents: entry.closingCents ?? defaultClosingCents,
    isUnsettled: kind === 'unsettled' || entry.doubt !== undefined,
  };
}

/** Each band starts where the previous one ends, so only their order can be wrong. */
function readBands(entries: CategoryEntry['bands'], path: string): Band[] {
  let previousCents = 0;
  return entries.map(({ upToCents, rateBp }, index) => {
    const endPath = `${path}[${index}].upToCents`;
    const isLast = index === entries.length - 1;
    if (upToCents === null) {
      if (!isLast) refuse(endPath, 'is null, so this band overlaps the next');
      return { upToCents: Number.POSITIVE_INFINITY, rateBp };
    }
    if (upToCents <= previousCents) {
      const rule = index === 0 ? 'must be above 0' : `overlaps the band up to ${previousCents}`;
      refuse(endPath, `is ${upToCents}, ${rule}`);
    }
    if (isLast) refuse(endPath, `is ${upToCents}, which leaves a gap above: must be null`);
    previousCents = upToCents;
    return { upToCents, rateBp };
  });
}

function readSteps({ steps }: ShippingEntry, path: string): WeightStep[] {
  let previousLb = 0;
  return steps.map(({ upToLb, firstLbCents, furtherLbCents = 0 }, index) => {
    if (upToLb <= previousLb) {
      const problem = `is ${upToLb}, overlaps the step up to ${previousLb}`;
      refuse(`${path}[${index}].upToLb`, problem);
    }
    previousLb = upToLb;
    return { upToLb, firstLbCents, furtherLbCents };
  });
}

function checkSources(
  entry: { sources?: readonly string[] | undefined },
  { path, sources }: Context,
): void {
  for (const [index, source] of (entry.sources ?? []).entries()) {
    if (sources.has(source)) continue;
    refuse(`${path}.sources[${index}]`, `is ${shown(source)}, must be a key of sources`);
  }
}

function readPromotion(
  entry: PromotionEntry,
  { path, categoryKeys }: { path: string; categoryKeys: ReadonlySet<string> },
): Promotion {
  const { name, fromOn, toOn, categories, sellerTypes } = entry;
  if (toOn !== null && toOn <= fromOn) {
    refuse(`${path}.toOn`, `is ${shown(toOn)}, must be after fromOn (${fromOn})`);
  }
  const promotedKeys = categories?.map((category, index) => {
    const key = categoryKey(category);
    if (categoryKeys.has(key)) return key;
    const problem = `is ${shown(category)}, which is not a category of any edition`;
    return refuse(`${path}.categories[${index}]`, problem);
  });
  return {
    name,
    fromDay: fromOn,
    toDay: toOn,
    categories: promotedKeys === undefined ? null : new Set(promotedKeys),
    sellerTypes: sellerTypes === undefined ? null : new Set(sellerTypes),
    cuts: readCuts(entry.cuts, `${path}.cuts`),
  };
}

function readCuts(entries: PromotionEntry['cuts'], path: string): Cut[] {
  return entries.map(({ fee, offBp, offCents }, index) => {
    if ((offBp === undefined) === (offCents === undefined)) {
      refuse(`${path}[${index}]`, 'must have either offBp or offCents');
    }
    if (entries.findIndex((cut) => cut.fee === fee) < index) {
      refuse(`${path}[${index}].fee`, `is ${shown(fee)}, which has a cut already`);
    }
    return { fee, offBp: offBp ?? 0, offCents: offCents ?? 0 };
  });
}
