// Limits concurrent requests. Slots are divided by account first, then by endpoint. A new endpoint
// starts with two slots and gets more as it responds; new and slow endpoints never hold the slots
// that fast ones need.

/** From the database: never tried, received its last delivery, or did not. */
export type EndpointReliability = 'untried' | 'received' | 'failing';

export type Endpoint = { accountId: string; webhookId: string; reliability: EndpointReliability };

/**
 * fast: its last responses were fast. new: no response yet. slow: it timed out or responded late,
 * and has not regained its full allowance.
 */
type Kind = 'fast' | 'new' | 'slow';

type EndpointSlots = { accountId: string; inFlight: number; allowed: number; kind: Kind };

type Counts = Record<Kind, number> & { total: number };

/** What a claim skips. */
export type ClaimFilter = {
  fullWebhooks: readonly string[];
  fullAccounts: readonly string[];
  /**
   * Whether untried and failing endpoints that are not in memory may be claimed, and the accounts
   * for which they may not.
   */
  admitsUntried: boolean;
  admitsFailing: boolean;
  untriedFull: readonly string[];
  failingFull: readonly string[];
  /** Endpoints that fail but respond fast: claimed even when failing ones are not. */
  failingButFast: readonly string[];
};

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

const ENDPOINTS_REMEMBERED_MAX = 10_000;
const NEW_ALLOWED = 2;
/**
 * Without this limit, forty endpoints that took 13 s each held all slots and others waited 5 s.
 * With it they wait 60 ms, at worst 0.9 s.
 */
const SLOW_MS = 2_000;
/** Minimum for a slow endpoint that responds: with one slot its backlog might never end. */
const RESPONDING_MIN = 4;
/** Largest share of all slots for new endpoints, and the same for slow ones. */
const POOL_SHARE = 0.25;
/**
 * An account may hold twice as many slots as are free: one account alone two thirds of all, each of
 * k accounts 2/(2k + 1). So a slot is always free for the next account (dynamic thresholds for
 * shared buffers, Choudhury and Hahne).
 */
const FREE_MULTIPLE = 2;

const KIND_OF: Readonly<Record<EndpointReliability, Kind>> = {
  untried: 'new',
  received: 'fast',
  failing: 'slow',
};

const noCounts = (): Counts => ({ fast: 0, new: 0, slow: 0, total: 0 });

type State = {
  inFlightMax: number;
  perEndpointMax: number;
  poolMax: number;
  /** In order of use, the least recently used first. */
  endpoints: Map<string, EndpointSlots>;
  accounts: Map<string, Counts>;
  all: Counts;
};

export function createConcurrencyLimiter(limits: { inFlightMax: number; perEndpointMax: number }) {
  const state: State = {
    ...limits,
    poolMax: Math.max(1, Math.floor(limits.inFlightMax * POOL_SHARE)),
    endpoints: new Map(),
    accounts: new Map(),
    all: noCounts(),
  };
  return {
    begin(endpoint: Endpoint): void {
      begin(state, endpoint);
    },
    end(webhookId: string, outcome: { status: number | null; durationMs: number }): void {
      const slots = state.endpoints.get(webhookId);
      if (slots !== undefined) end(state, slots, outcome);
    },
    /** How many more requests the endpoint itself may have. */
    roomFor({ webhookId }: Endpoint): number {
      const slots = state.endpoints.get(webhookId);
      if (slots === undefined) return Math.min(NEW_ALLOWED, state.perEndpointMax);
      return slots.allowed - slots.inFlight;
    },
    claimFilter: (): ClaimFilter => claimFilter(state),
    /**
     * Grants at most `limit` slots, one at a time, in rotation between accounts and, within an
     * account, between its endpoints. Returns the number granted by webhook id.
     */
    allot(demands: readonly Demand[], limit: number): Map<string, number> {
      const withRoom = demands.map((demand) => ({
        ...demand,
        slotsNeeded: Math.min(demand.slotsNeeded, this.roomFor(demand)),
      }));
      return allot(state, withRoom, limit);
    },
  };
}

type Demand = Endpoint & { slotsNeeded: number };

const kindOf = ({ endpoints }: State, { webhookId, reliability }: Endpoint): Kind =>
  endpoints.get(webhookId)?.kind ?? KIND_OF[reliability];

function count(
  { accounts, all }: State,
  { accountId, kind }: Pick<EndpointSlots, 'accountId' | 'kind'>,
  change: number,
): void {
  const accountCounts = accounts.get(accountId) ?? noCounts();
  accounts.set(accountId, accountCounts);
  for (const counts of [accountCounts, all]) {
    counts[kind] += change;
    counts.total += change;
  }
  if (accountCounts.total === 0) accounts.delete(accountId);
}

function begin(state: State, endpoint: Endpoint): void {
  const { endpoints, perEndpointMax } = state;
  const { accountId, webhookId } = endpoint;
  const slots = endpoints.get(webhookId) ?? {
    accountId,
    inFlight: 0,
    allowed: Math.min(NEW_ALLOWED, perEndpointMax),
    kind: kindOf(state, endpoint),
  };
  slots.inFlight += 1;
  count(state, slots, 1);
  // Moves it to the end: the most recently used is evicted last.
  endpoints.delete(webhookId);
  endpoints.set(webhookId, slots);
  evictIdle(endpoints);
}

function evictIdle(endpoints: State['endpoints']): void {
  for (const [webhookId, { inFlight }] of endpoints) {
    if (endpoints.size <= ENDPOINTS_REMEMBERED_MAX) return;
    if (inFlight === 0) endpoints.delete(webhookId);
  }
}

function end(
  state: State,
  slots: EndpointSlots,
  { status, durationMs }: { status: number | null; durationMs: number },
): void {
  const { perEndpointMax } = state;
  count(state, slots, -slots.inFlight);
  slots.inFlight -= 1;
  // A slow response holds its slot just as a missing one does.
  const isSlow = status === null || durationMs > SLOW_MS;
  const allowed = isSlow ? Math.floor(slots.allowed / 2) : slots.allowed * 2;
  const least = status === null ? 1 : RESPONDING_MIN;
  slots.allowed = Math.min(perEndpointMax, Math.max(least, allowed));
  if (isSlow) slots.kind = 'slow';
  else if (slots.kind === 'new' || slots.allowed === perEndpointMax) slots.kind = 'fast';
  if (slots.inFlight > 0) count(state, slots, slots.inFlight);
}

/** Whether an account with these counts may have one more request of a kind. */
const admits = (
  { inFlightMax, poolMax }: State,
  { account, total }: { account: Counts; total: Counts },
  kind: Kind,
): boolean =>
  account.total < FREE_MULTIPLE * (inFlightMax - total.total) &&
  (kind === 'fast' || account[kind] < FREE_MULTIPLE * (poolMax - total[kind]));

function claimFilter(state: State): ClaimFilter {
  const { endpoints, accounts, all: total, poolMax } = state;
  const filter = {
    fullWebhooks: [] as string[],
    fullAccounts: [] as string[],
    admitsUntried: total.new < poolMax,
    admitsFailing: total.slow < poolMax,
    untriedFull: [] as string[],
    failingFull: [] as string[],
    failingButFast: [] as string[],
  };
  for (const [accountId, account] of accounts) {
    const counts = { account, total };
    if (!admits(state, counts, 'fast')) filter.fullAccounts.push(accountId);
    if (!admits(state, counts, 'new')) filter.untriedFull.push(accountId);
    if (!admits(state, counts, 'slow')) filter.failingFull.push(accountId);
  }
  const isFailingHeld = !filter.admitsFailing || filter.failingFull.length > 0;
  const none = noCounts();
  for (const [webhookId, { accountId, inFlight, allowed, kind }] of endpoints) {
    const counts = { account: accounts.get(accountId) ?? none, total };
    if (inFlight >= allowed || !admits(state, counts, kind)) {
      filter.fullWebhooks.push(webhookId);
    } else if (kind === 'fast' && isFailingHeld) filter.failingButFast.push(webhookId);
  }
  return filter;
}

function allot(state: State, demands: readonly Demand[], limit: number): Map<string, number> {
  const granted = new Map<string, number>();
  const total = { ...state.all };
  const shares = [...Map.groupBy(demands, ({ accountId }) => accountId)].map(
    ([accountId, accountDemands]) => ({
      account: { ...(state.accounts.get(accountId) ?? noCounts()) },
      queue: accountDemands.map((demand) => ({
        webhookId: demand.webhookId,
        kind: kindOf(state, demand),
        left: demand.slotsNeeded,
      })),
    }),
  );
  /**
   * Grants one slot to the next admitted endpoint of an account and moves it to the queue's end.
   */
  const grantOne = ({ account, queue }: (typeof shares)[number]): boolean => {
    const counts = { account, total };
    const index = queue.findIndex(({ kind, left }) => left > 0 && admits(state, counts, kind));
    const [next] = index === -1 ? [] : queue.splice(index, 1);
    if (next === undefined) return false;
    next.left -= 1;
    queue.push(next);
    granted.set(next.webhookId, (granted.get(next.webhookId) ?? 0) + 1);
    for (const one of [account, total]) {
      one[next.kind] += 1;
      one.total += 1;
    }
    return true;
  };
  let waiting = shares;
  for (let grantedTotal = 0; grantedTotal < limit && waiting.length > 0; ) {
    waiting = waiting.filter((share) => {
      if (grantedTotal >= limit || !grantOne(share)) return false;
      grantedTotal += 1;
      return true;
    });
  }
  return granted;
}
