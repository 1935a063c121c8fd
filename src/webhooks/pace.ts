// How many requests may be under way to each registration: one that does not answer gets ever fewer slots, down to
// one, and gets them back as it answers.

type Pace = { underWay: number; allowed: number };

export type Paces = {
  begin(webhookId: string): void;
  end(webhookId: string, outcome: { status: number | null }): void;
  roomFor(webhookId: string): number;
  /** Those without room. */
  full(): string[];
};

/** Those that are at rest and at full pace are forgotten; of the others only so many are remembered. */
const REMEMBERED_MAX = 10_000;

export function createPaces(allowedMax: number): Paces {
  const paces = new Map<string, Pace>();
  const paceOf = (webhookId: string): Pace => {
    const known = paces.get(webhookId);
    if (known !== undefined) return known;
    const pace = { underWay: 0, allowed: allowedMax };
    paces.set(webhookId, pace);
    return pace;
  };
  const forgetSome = () => {
    for (const [webhookId, { underWay }] of paces) {
      if (paces.size <= REMEMBERED_MAX) return;
      if (underWay === 0) paces.delete(webhookId);
    }
  };
  return {
    begin(webhookId) {
      paceOf(webhookId).underWay += 1;
    },
    end(webhookId, { status }) {
      const pace = paceOf(webhookId);
      pace.underWay -= 1;
      // Any answer is one; only silence holds slots for long.
      const allowed = status === null ? Math.floor(pace.allowed / 2) : pace.allowed * 2;
      pace.allowed = Math.min(allowedMax, Math.max(1, allowed));
      if (pace.underWay === 0 && pace.allowed === allowedMax) paces.delete(webhookId);
      else forgetSome();
    },
    roomFor(webhookId) {
      const pace = paces.get(webhookId);
      return pace === undefined ? allowedMax : pace.allowed - pace.underWay;
    },
    full: () =>
      [...paces].flatMap(([webhookId, pace]) => (pace.allowed > pace.underWay ? [] : [webhookId])),
  };
}
