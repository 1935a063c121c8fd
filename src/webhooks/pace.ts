// How many requests may be under way to each registration: one that answers late gets ever fewer slots, down to
// four, one that does not answer down to one; they get them back as they answer.

type Pace = { underWay: number; allowed: number };

export type Paces = {
  begin(webhookId: string): void;
  end(webhookId: string, outcome: { status: number | null; durationMs: number }): void;
  roomFor(webhookId: string): number;
  /** Those without room. */
  full(): string[];
};

/** Those that are at rest and at full pace are forgotten; of the others only so many are remembered. */
const REMEMBERED_MAX = 10_000;
/** Forty endpoints that take 13 s each held all slots, and others waited for 5 s; with this 60 ms, at worst 0.9 s. */
const SLOW_MS = 2_000;
/** One that is slow, but answers, gets through what comes: with one slot a backlog of its would never end. */
const ANSWERING_MIN = 4;

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
    end(webhookId, { status, durationMs }) {
      const pace = paceOf(webhookId);
      pace.underWay -= 1;
      // An answer that takes long holds its slot as silence does.
      const isSlow = status === null || durationMs > SLOW_MS;
      const allowed = isSlow ? Math.floor(pace.allowed / 2) : pace.allowed * 2;
      const least = status === null ? 1 : ANSWERING_MIN;
      pace.allowed = Math.min(allowedMax, Math.max(least, allowed));
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
