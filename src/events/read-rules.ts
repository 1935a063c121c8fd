// Reads rules as customers write them: given members replace current ones, null restores a default,
// unknown members are refused with the list of allowed ones. Also writes them back.
import { Problem } from '../foundation/problem.ts';
import { DEFAULT_RULES, ROTATIONS_A_DAY_MAX, type Rules } from './rule.ts';

type Member = {
  inner: string;
  max: number;
  /** Inner units per written unit: 100 where two decimals are allowed. */
  scale: 1 | 100;
};
type Part = { inner: keyof Rules; members: Readonly<Record<string, Member>> };

/** Above 100, because a rank or a price can more than double. */
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

/**
 * Absent members stay as in `current`; null restores the default of a member, a part or everything.
 */
export function readRules(value: unknown, current: Rules = DEFAULT_RULES): Rules {
  if (value === null) return DEFAULT_RULES;
  const rules = { ...current };
  for (const [name, written] of membersOf(value, 'rules', PARTS)) {
    const part = PARTS[name] as Part;
    const read = readPart(written, `rules.${name}`, { part, current });
    Object.assign(rules, { [part.inner]: read });
  }
  return rules;
}

export type CustomerRules = Readonly<Record<string, unknown>>;

/**
 * Applies a change to rules, both as the customer wrote them: absent members stay, null removes.
 * Both were validated by `readRules` before.
 */
export function mergeRules(
  current: CustomerRules | null,
  change: CustomerRules | null,
): CustomerRules | null {
  if (change === null) return null;
  return overlay(current ?? {}, change, (part, partChange) =>
    overlay(part as CustomerRules, partChange as CustomerRules, (_, value) => value),
  );
}

/** Returns the members that are not null, or null if there are none. */
function overlay(
  current: CustomerRules,
  change: CustomerRules,
  merge: (current: unknown, change: unknown) => unknown,
): CustomerRules | null {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(change)) {
    merged[name] = value === null ? null : merge(current[name] ?? {}, value);
  }
  const members = Object.entries(merged).filter(([, value]) => value !== null);
  return members.length === 0 ? null : Object.fromEntries(members);
}

function readPart(
  value: unknown,
  path: string,
  { part, current }: { part: Part; current: Rules },
): Numbers {
  const defaults: Numbers = DEFAULT_RULES[part.inner];
  if (value === null) return defaults;
  const read: Record<string, number> = { ...current[part.inner] };
  for (const [name, written] of membersOf(value, path, part.members)) {
    const member = part.members[name] as Member;
    read[member.inner] =
      written === null
        ? (defaults[member.inner] as number)
        : readNumber(written, `${path}.${name}`, member);
  }
  return read;
}

function membersOf(value: unknown, path: string, members: object): [string, unknown][] {
  const allowed = Object.keys(members).join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(
      path,
      `${path} must be an object with any of ${allowed}, or null for the defaults.`,
    );
  }
  const entries = Object.entries(value);
  for (const [name] of entries) {
    if (!Object.hasOwn(members, name)) {
      const shown = JSON.stringify(name.slice(0, 40));
      throw refusal(
        `${path}.${name.slice(0, 40)}`,
        `${path} has no member ${shown}; allowed are ${allowed}.`,
      );
    }
  }
  return entries;
}

function readNumber(value: unknown, path: string, { max, scale }: Member): number {
  const inner = typeof value === 'number' ? Math.round(value * scale) : Number.NaN;
  if (!(inner >= 0 && inner <= max * scale && inner / scale === value)) {
    const what = scale === 1 ? 'a whole number' : 'a number with at most two decimals';
    throw refusal(path, `${path} must be ${what} from 0 to ${max}, or null for the default.`);
  }
  // Turns -0 into 0.
  return inner + 0;
}

const refusal = (field: string, sentence: string) =>
  new Problem('rules_invalid', sentence, { field });

/** Writes all members of all parts, in the form that `readRules` reads. */
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
