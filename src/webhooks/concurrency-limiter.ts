// Who may have how many requests under way: slots are shared by accounts first, then by their endpoints; a new endpoint
// starts with two and grows as it responds; new and slow endpoints together never hold the slots that fast ones need.

/** What the database knows of an endpoint: nothing yet, that it received the last delivery, or that it did not. */
export type EndpointReliability = 'untried' | 'received' | 'failing';

export type Endpoint = { accountId: string; webhookId: string; reliability: EndpointReliability };

/** fast: its last responses were. new: none is known. slow: silent or late until it has its full allowance again. */
type Kind = 'fast' | 'new' | 'slow';

type Known = { accountId: string; underWay: number; allowed: number; kind: Kind };

type Counts = Record<Kind, number> & { total: number };

/** What a claim passes over. */
export type ClaimFilter = {
  fullWebhooks: readonly string[];
  fullAccounts: readonly string[];
  /** Whether endpoints of which only the database knows may be claimed, and of which accounts not. */
  admitsUntried: boolean;
  admitsFailing: boolean;
  untriedFull: readonly string[];
  failingFull: readonly string[];
  /** Those that fail but respond fast: they are claimed although failing ones are not. */
  failingButFast: readonly string[];
};

export type ConcurrencyLimiter = {
  begin(endpoint: Endpoint): void;
  end(webhookId: string, outcome: { status: number | null; durationMs: number }): void;
  /** How many more the endpoint itself may have. */
  roomFor(endpoint: Endpoint): number;
  claimFilter(): ClaimFilter;
  /** Shares out at most `limit` slots, one by one, in turn between accounts and within each between its endpoints. */
  allot(changes: readonly (Endpoint & { wanted: number })[], limit: number): Map<string, number>;
};

const REMEMBERED_MAX = 10_000;
const NEW_ALLOWED = 2;
/** Forty endpoints that take 13 s each held all slots, and others waited for 5 s; with this 60 ms, at worst 0.9 s. */
const SLOW_MS = 2_000;
/** One that is slow, but responds, gets through what comes: with one slot its backlog would never end. */
const RESPONDING_MIN = 4;
/** At most this share of all slots for new endpoints, and as much for slow ones. */
const POOL_SHARE = 0.25;
/**
 * An account may hold twice as many slots as are left free: alone two thirds of all, k of them 2/(2k + 1) each, so
 * that there always is a free one for the next account (dynamic thresholds of shared buffers, Choudhury and Hahne).
 */
const FREE_MULTIPLE = 2;

const KIND_OF: Readonly<Record<EndpointReliability, Kind>> = {
  untried: 'new',
  received: 'fast',
  failing: 'slow',
};

const noCounts = (): Counts => ({ fast: 0, new: 0, slow: 0, total: 0 });

export function createConcurrencyLimiter(limits: {
  inFlightMax: number;
  perEndpointMax: number;
}): ConcurrencyLimiter {
  const { inFlightMax, perEndpointMax } = limits;
  const poolMax = Math.max(1, Math.floor(inFlightMax * POOL_SHARE));
  const endpoints = new Map<string, Known>();
  const accounts = new Map<string, Counts>();
  const all = noCounts();

  const kindOf = ({ webhookId, reliability }: Endpoint) =>
    endpoints.get(webhookId)?.kind ?? KIND_OF[reliability];
  const count = ({ accountId, kind }: Pick<Known, 'accountId' | 'kind'>, change: number) => {
    const own = accounts.get(accountId) ?? noCounts();
    accounts.set(accountId, own);
    for (const counts of [own, all]) {
      counts[kind] += change;
      counts.total += change;
    }
    if (own.total === 0) accounts.delete(accountId);
  };
  const forgetSome = () => {
    for (const [webhookId, { underWay }] of endpoints) {
      if (endpoints.size <= REMEMBERED_MAX) return;
      if (underWay === 0) endpoints.delete(webhookId);
    }
  };
  const admits = (own: Counts, total: Counts, kind: Kind) =>
    own.total < FREE_MULTIPLE * (inFlightMax - total.total) &&
    (kind === 'fast' || own[kind] < FREE_MULTIPLE * (poolMax - total[kind]));

  return {
    begin(endpoint) {
      const { accountId, webhookId } = endpoint;
      const known = endpoints.get(webhookId) ?? {
        ...{ accountId, underWay: 0, allowed: Math.min(NEW_ALLOWED, perEndpointMax) },
        kind: kindOf(endpoint),
      };
      known.underWay += 1;
      count(known, 1);
      // The last used is the last to be forgotten.
      endpoints.delete(webhookId);
      endpoints.set(webhookId, known);
      forgetSome();
    },
    end(webhookId, { status, durationMs }) {
      const known = endpoints.get(webhookId);
      if (known === undefined) return;
      count(known, -known.underWay);
      known.underWay -= 1;
      // A response that takes long holds its slot as silence does.
      const isSlow = status === null || durationMs > SLOW_MS;
      const allowed = isSlow ? Math.floor(known.allowed / 2) : known.allowed * 2;
      const least = status === null ? 1 : RESPONDING_MIN;
      known.allowed = Math.min(perEndpointMax, Math.max(least, allowed));
      if (isSlow) known.kind = 'slow';
      else if (known.kind === 'new' || known.allowed === perEndpointMax) known.kind = 'fast';
      if (known.underWay > 0) count(known, known.underWay);
    },
    roomFor({ webhookId }) {
      const known = endpoints.get(webhookId);
      if (known === undefined) return Math.min(NEW_ALLOWED, perEndpointMax);
      return known.allowed - known.underWay;
    },
    claimFilter() {
      const filter = {
        fullWebhooks: [] as string[],
        fullAccounts: [] as string[],
        admitsUntried: all.new < poolMax,
        admitsFailing: all.slow < poolMax,
        untriedFull: [] as string[],
        failingFull: [] as string[],
        failingButFast: [] as string[],
      };
      for (const [accountId, own] of accounts) {
        if (!admits(own, all, 'fast')) filter.fullAccounts.push(accountId);
        if (!admits(own, all, 'new')) filter.untriedFull.push(accountId);
        if (!admits(own, all, 'slow')) filter.failingFull.push(accountId);
      }
      const isFailingHeld = !filter.admitsFailing || filter.failingFull.length > 0;
      const none = noCounts();
      for (const [webhookId, { accountId, underWay, allowed, kind }] of endpoints) {
        if (underWay >= allowed || !admits(accounts.get(accountId) ?? none, all, kind)) {
          filter.fullWebhooks.push(webhookId);
        } else if (kind === 'fast' && isFailingHeld) filter.failingButFast.push(webhookId);
      }
      return filter;
    },
    allot(changes, limit) {
      const granted = new Map<string, number>();
      const total = { ...all };
      const shares = [...Map.groupBy(changes, ({ accountId }) => accountId)].map(
        ([accountId, own]) => ({
          counts: { ...(accounts.get(accountId) ?? noCounts()) },
          queue: own.map((wish) => ({
            ...{ webhookId: wish.webhookId, kind: kindOf(wish) },
            left: Math.min(wish.wanted, this.roomFor(wish)),
          })),
        }),
      );
      /** The next of the account's endpoints that may have one more goes to the end of its queue. */
      const grantOne = ({ counts, queue }: (typeof shares)[number]): boolean => {
        const atMs = queue.findIndex(({ kind, left }) => left > 0 && admits(counts, total, kind));
        const [next] = atMs === -1 ? [] : queue.splice(atMs, 1);
        if (next === undefined) return false;
        next.left -= 1;
        queue.push(next);
        granted.set(next.webhookId, (granted.get(next.webhookId) ?? 0) + 1);
        for (const one of [counts, total]) {
          one[next.kind] += 1;
          one.total += 1;
        }
        return true;
      };
      let waiting = shares;
      for (let given = 0; given < limit && waiting.length > 0; ) {
        waiting = waiting.filter((share) => {
          if (given >= limit || !grantOne(share)) return false;
          given += 1;
          return true;
        });
      }
      return granted;
    },
  };
}
