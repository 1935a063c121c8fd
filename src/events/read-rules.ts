// Rules as customers write them: parts over what holds already, null for the default, anything unknown
// refused with what is allowed. Also how they are written back, and stored.
import { Problem } from '../foundation/problem.ts';
import { DEFAULT_RULES, ROTATIONS_A_DAY_MAX, type Rules } from './rule.ts';

type Member = {
  inner: string;
  max: number;
  /** How many of the inner unit one is: 100 where two decimals are allowed. */
  scale: 1 | 100;
};
type Part = { inner: keyof Rules; members: Readonly<Record<string, Member>> };

/** A rank or a price can more than double. */
const PERCENT: Member = { inner: 'basisPoints', max: 1_000, scale: 100 };
const MONEY: Part['members'] = {
  percent: PERCENT,
  usd: { inner: 'cents', max: 1_000_000, scale: 100 },
};

const PARTS: Readonly<Record<string, Part>> = {
  price: { inner: 'price', members: MONEY },
  seller_price: { inner: 'sellerPrice', members: MONEY },
  stock_low: {
    inner: 'stockLow',
    members: {
      units: { inner: 'units', max: 1_000_000, scale: 1 },
      days: { inner: 'days', max: 365, scale: 1 },
    },
  },
  rank: {
    inner: 'rank',
    members: { percent: PERCENT, places: { inner: 'places', max: 1_000_000, scale: 1 } },
  },
  rotation: {
    inner: 'rotation',
    members: { count: { inner: 'count', max: ROTATIONS_A_DAY_MAX, scale: 1 } },
  },
};

type Numbers = Readonly<Record<string, number>>;
export type WrittenRules = Readonly<Record<string, Numbers>>;

/** What is not given stays as in `current`; null restores the default of a member, a part or all. */
export function readRules(value: unknown, current: Rules = DEFAULT_RULES): Rules {
  if (value === null) return DEFAULT_RULES;
  const rules = { ...current };
  for (const [name, given] of membersOf(value, 'rules', PARTS)) {
    const part = PARTS[name] as Part;
    const read = readPart(given, `rules.${name}`, { part, current });
    Object.assign(rules, { [part.inner]: read });
  }
  return rules;
}

export type GivenRules = Readonly<Record<string, unknown>>;

/**
 * Rules in the words of the customer, after a change in the same words: what is not given stays, null takes back. Both
 * have been read, so that there is nothing in them that is not allowed.
 */
export function mergeRules(known: GivenRules | null, given: GivenRules | null): GivenRules | null {
  if (given === null) return null;
  return overlaid(known ?? {}, given, (part, change) =>
    overlaid(part as GivenRules, change as GivenRules, (_, value) => value),
  );
}

/** Without what is null, or nothing at all. */
function overlaid(
  known: GivenRules,
  given: GivenRules,
  merge: (known: unknown, given: unknown) => unknown,
): GivenRules | null {
  const merged: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(given)) {
    merged[name] = value === null ? null : merge(known[name] ?? {}, value);
  }
  const left = Object.entries(merged).filter(([, value]) => value !== null);
  return left.length === 0 ? null : Object.fromEntries(left);
}

function readPart(
  value: unknown,
  place: string,
  { part, current }: { part: Part; current: Rules },
): Numbers {
  const standard: Numbers = DEFAULT_RULES[part.inner];
  if (value === null) return standard;
  const read: Record<string, number> = { ...current[part.inner] };
  for (const [name, given] of membersOf(value, place, part.members)) {
    const member = part.members[name] as Member;
    read[member.inner] =
      given === null
        ? (standard[member.inner] as number)
        : readNumber(given, `${place}.${name}`, member);
  }
  return read;
}

function membersOf(value: unknown, place: string, known: object): [string, unknown][] {
  const allowed = Object.keys(known).join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(
      place,
      `${place} must be an object with any of ${allowed}, or null for the defaults.`,
    );
  }
  const entries = Object.entries(value);
  for (const [name] of entries) {
    if (!Object.hasOwn(known, name)) {
      const shown = JSON.stringify(name.slice(0, 40));
      throw refusal(
        `${place}.${name.slice(0, 40)}`,
        `${place} has no member ${shown}; allowed are ${allowed}.`,
      );
    }
  }
  return entries;
}

function readNumber(value: unknown, place: string, { max, scale }: Member): number {
  const inner = typeof value === 'number' ? Math.round(value * scale) : Number.NaN;
  if (!(inner >= 0 && inner <= max * scale && inner / scale === value)) {
    const what = scale === 1 ? 'a whole number' : 'a number with at most two decimals';
    throw refusal(place, `${place} must be ${what} from 0 to ${max}, or null for the default.`);
  }
  // Without this -0 would be kept, and written back as 0.
  return inner + 0;
}

const refusal = (field: string, sentence: string) =>
  new Problem('rules_invalid', sentence, { field });

/** All members of all parts, as readRules takes them. */
export function writeRules(rules: Rules): WrittenRules {
  const written: Record<string, Numbers> = {};
  for (const [name, part] of Object.entries(PARTS)) {
    const numbers: Numbers = rules[part.inner];
    written[name] = Object.fromEntries(
      Object.entries(part.members).map(([member, { inner, scale }]) => [
        member,
        (numbers[inner] as number) / scale,
      ]),
    );
  }
  return written;
}
