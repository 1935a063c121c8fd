// The rules of a tracked product as edited: five groups; an empty field means the default. Pure.
import { countText } from '../design/money.tsx';

type RuleMember = {
  name: string;
  label: string;
  suffix: string;
  standard: number;
  max: number;
  isWhole: boolean;
};
export type RuleGroup = {
  name: string;
  title: string;
  /** How its members combine. */
  note: string;
  members: readonly RuleMember[];
};

const percent = (standard: number): RuleMember => ({
  name: 'percent',
  label: 'Change of at least',
  suffix: '%',
  standard,
  max: 1_000,
  isWhole: false,
});
const usd: RuleMember = {
  name: 'usd',
  label: 'and at least',
  suffix: 'USD',
  standard: 0.05,
  max: 1_000_000,
  isWhole: false,
};
const whole = (name: string, label: string, suffix: string, limits: [number, number]) => ({
  name,
  label,
  suffix,
  standard: limits[0],
  max: limits[1],
  isWhole: true,
});

export const RULE_GROUPS: readonly RuleGroup[] = [
  {
    name: 'price',
    title: 'Buybox price',
    note: 'Both must be reached, compared with the last reported price.',
    members: [percent(1), usd],
  },
  {
    name: 'seller_price',
    title: 'Seller price',
    note: 'With shipping, among the 20 cheapest offers. Both must be reached.',
    members: [percent(1), usd],
  },
  {
    name: 'stock_low',
    title: 'Low stock',
    note: 'Either is enough. Days are days of estimated sales.',
    members: [
      whole('units', 'At or under', 'units', [10, 1_000_000]),
      whole('days', 'or under', 'days', [7, 365]),
    ],
  },
  {
    name: 'rank',
    title: 'Sales rank',
    note: 'Both must be reached. Entering or leaving the top 10, 50 or 100 always fires.',
    members: [percent(20), whole('places', 'and at least', 'places', [5, 1_000_000])],
  },
  {
    name: 'rotation',
    title: 'Buybox rotation',
    note: 'Above this number of changes in 24 h, one summary event is sent instead.',
    members: [whole('count', 'Single events up to', 'per day', [3, 24])],
  },
];

/** By group and member; null is an empty field, which means the default. */
export type RulesDraft = Readonly<Record<string, Readonly<Record<string, number | null>>>>;
export type Rules = Record<string, Record<string, number>> | null;

export function draftOf(rules: Readonly<Record<string, unknown>> | null): RulesDraft {
  return Object.fromEntries(
    RULE_GROUPS.map(({ name, members }) => {
      const group = (rules?.[name] ?? {}) as Record<string, unknown>;
      const numberOf = (member: string) => {
        const value = group[member];
        return typeof value === 'number' ? value : null;
      };
      return [name, Object.fromEntries(members.map((one) => [one.name, numberOf(one.name)]))];
    }),
  );
}

/** What differs from the defaults, as the server stores it; null if nothing does. */
export function rulesOf(draft: RulesDraft): Rules {
  const groups = Object.entries(draft).flatMap(([name, members]) => {
    const changed = Object.entries(members).filter(
      (member): member is [string, number] => member[1] !== null,
    );
    return changed.length === 0 ? [] : [[name, Object.fromEntries(changed)] as const];
  });
  return groups.length === 0 ? null : Object.fromEntries(groups);
}

/** The same as a patch of any existing rules: empty fields are reset. */
export const rulesPatch = (draft: RulesDraft) => (rulesOf(draft) === null ? null : draft);

export const sameRules = (a: RulesDraft, b: RulesDraft) =>
  JSON.stringify(rulesOf(a)) === JSON.stringify(rulesOf(b));

/** Why a number is not allowed, or null. */
export function ruleProblem(member: RuleMember, value: number | null): string | null {
  if (value === null) return null;
  const cents = Math.round(value * 100);
  const fits = member.isWhole ? Number.isInteger(value) : cents / 100 === value;
  if (fits && value >= 0 && value <= member.max) return null;
  const what = member.isWhole ? 'A whole number' : 'A number with at most two decimals';
  return `${what} from 0 to ${countText(member.max)}.`;
}

export const hasProblem = (draft: RulesDraft) =>
  RULE_GROUPS.some(({ name, members }) =>
    members.some((member) => ruleProblem(member, draft[name]?.[member.name] ?? null) !== null),
  );

type Counts = Readonly<Record<string, number>>;
export type Comparison = { kind: string; edited: number; now: number };

/** The kinds that fired with either set of rules, the largest change first, and the totals. */
export function compareCounts(now: Counts, edited: Counts) {
  const kinds = [...new Set([...Object.keys(now), ...Object.keys(edited)])];
  const rows = kinds
    .map((kind) => ({ kind, edited: edited[kind] ?? 0, now: now[kind] ?? 0 }))
    .filter((row) => row.edited > 0 || row.now > 0)
    .sort((a, b) => Math.abs(b.edited - b.now) - Math.abs(a.edited - a.now) || b.now - a.now);
  const sum = (which: 'edited' | 'now') => rows.reduce((total, row) => total + row[which], 0);
  return { rows, edited: sum('edited'), now: sum('now') };
}
