// The faults of the stand-alone marketplace, and how they are read from `PUT /control`.

export type Trouble = {
  /** Before every response. */
  delayMs: number;
  /** Share of failing responses, alternately a 503 and a cut connection. */
  failRate: number;
  /** Share of malformed responses; true: all, false: none. */
  nonsense: boolean | number;
  /** Share of products that are not found, always the same ones. */
  lostFraction: number;
  /** Share of products without offers, always the same ones. */
  emptiedFraction: number;
};

export const NO_TROUBLE: Trouble = {
  delayMs: 0,
  failRate: 0,
  nonsense: false,
  lostFraction: 0,
  emptiedFraction: 0,
};

const DELAY_MAX_MS = 600_000;

type Member = { name: keyof Trouble; allowed: string; isAllowed(value: unknown): boolean };

const isWithin = (max: number) => (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= max;
const share = { allowed: 'a number from 0 to 1', isAllowed: isWithin(1) };

const MEMBERS: Readonly<Record<string, Member>> = {
  delay_ms: {
    name: 'delayMs',
    allowed: `a number from 0 to ${DELAY_MAX_MS}`,
    isAllowed: isWithin(DELAY_MAX_MS),
  },
  fail_rate: { name: 'failRate', ...share },
  nonsense: {
    name: 'nonsense',
    allowed: 'true, false or a number from 0 to 1',
    isAllowed: (value) => typeof value === 'boolean' || isWithin(1)(value),
  },
  lost_fraction: { name: 'lostFraction', ...share },
  emptied_fraction: { name: 'emptiedFraction', ...share },
};

/** Absent members stay unchanged; if one member is refused, none is changed. */
export function readTrouble(
  body: unknown,
  current: Trouble,
): { trouble: Trouble } | { refused: string } {
  const memberNames = Object.keys(MEMBERS).join(', ');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { refused: `The body must be a JSON object with any of ${memberNames}.` };
  }
  const trouble = { ...current };
  for (const [wireName, value] of Object.entries(body)) {
    const member = Object.hasOwn(MEMBERS, wireName) ? MEMBERS[wireName] : undefined;
    if (member === undefined) {
      return { refused: `"${wireName.slice(0, 40)}" is not a member; allowed are ${memberNames}.` };
    }
    if (!member.isAllowed(value)) {
      return { refused: `${wireName} must be ${member.allowed}.` };
    }
    Object.assign(trouble, { [member.name]: value });
  }
  return { trouble };
}

export function writeTrouble(trouble: Trouble): Record<string, boolean | number> {
  return Object.fromEntries(
    Object.entries(MEMBERS).map(([wireName, { name }]) => [wireName, trouble[name]]),
  );
}
