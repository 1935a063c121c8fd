// The trouble that the stand-alone marketplace is told to make, and the reading of it.

export type Trouble = {
  /** Before every answer. */
  delayMs: number;
  /** Of the answers; in turn a 503 and a cut connection. */
  failRate: number;
  /** Of the answers, or all or none: they are rubbish. */
  nonsense: boolean | number;
  /** Of the products, always the same ones: they are not there. */
  lostFraction: number;
  /** Of the products, always the same ones: nobody sells them. */
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

type Member = { name: keyof Trouble; allowed: string; isAllowed(given: unknown): boolean };

const isWithin = (max: number) => (given: unknown) =>
  typeof given === 'number' && given >= 0 && given <= max;
const share = { allowed: 'a number from 0 to 1', isAllowed: isWithin(1) };

const MEMBERS: Readonly<Record<string, Member>> = {
  delay_ms: {
    ...{ name: 'delayMs', allowed: `a number from 0 to ${DELAY_MAX_MS}` },
    isAllowed: isWithin(DELAY_MAX_MS),
  },
  fail_rate: { name: 'failRate', ...share },
  nonsense: {
    ...{ name: 'nonsense', allowed: 'true, false or a number from 0 to 1' },
    isAllowed: (given) => typeof given === 'boolean' || isWithin(1)(given),
  },
  lost_fraction: { name: 'lostFraction', ...share },
  emptied_fraction: { name: 'emptiedFraction', ...share },
};

/** Parts may be given, the others stay; all of it is taken or nothing. */
export function readTrouble(
  given: unknown,
  current: Trouble,
): { trouble: Trouble } | { refused: string } {
  const known = Object.keys(MEMBERS).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { refused: `The body must be a JSON object with any of ${known}.` };
  }
  const trouble = { ...current };
  for (const [wireName, value] of Object.entries(given)) {
    const member = Object.hasOwn(MEMBERS, wireName) ? MEMBERS[wireName] : undefined;
    if (member === undefined) {
      return { refused: `"${wireName.slice(0, 40)}" is not known here; known are ${known}.` };
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
