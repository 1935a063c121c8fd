// Starts every background loop of the service.
import type { Callers } from './accounts/callers.ts';
import type { SignIn } from './accounts/sign-in.ts';
import { dropOldAttempts } from './accounts/sign-in-attempts.ts';
import { startClaimLoop } from './background/claim-loop.ts';
import { doAll } from './background/do-all.ts';
import { createHoldOff } from './background/hold-off.ts';
import type { LoopHealth } from './background/loop-health.ts';
import type { Membership } from './background/membership.ts';
import { type Loop, startPeriodic } from './background/periodic.ts';
import { countQuarantined } from './background/quarantined-items.ts';
import type { Signal } from './background/signal.ts';
import type { Products } from './catalog/read-batched.ts';
import { settleClosures } from './closing/close-account.ts';
import { deleteDueAccounts } from './closing/delete-account.ts';
import { collectDue } from './collection/collect-due.ts';
import type { BookingDeps } from './credits/book-entries.ts';
import type { Charging } from './credits/charge.ts';
import type { ClockWatch } from './database/clock-skew.ts';
import type { Database } from './database/database.ts';
import type { PartitionKeeper } from './database/partitions.ts';
import { PULSE_MS, pulseTimeLapse } from './database/time-lapse.ts';
import { bounds } from './foundation/bounds.ts';
import { type Clock, monotonicMs, realNowMs } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import type { Metrics } from './foundation/metrics.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './foundation/time.ts';
import { dropOldEntries } from './library/library-entries.ts';
import type { SharedRates } from './limits/shared-rates.ts';
import type { ResolveName } from './outbound/checked-connect.ts';
import type { TargetRules } from './outbound/target-address.ts';
import { createSalesEstimates, type SalesEstimates } from './sales/estimate-sales.ts';
import type { MarketLearner } from './sales/learn-market.ts';
import { createFactsRefresher } from './search/refresh-facts.ts';
import type { StaleProducts } from './search/stale-products.ts';
import type { Source } from './sources/source.ts';
import { endTracked } from './tracking/end-tracked.ts';
import { fanOut } from './tracking/fan-out.ts';
import { EMPTY_BACKLOG, measureBacklog } from './tracking/measure-backlog.ts';
import { resumeSuspended } from './tracking/resume-suspended.ts';
import { createBudget, scheduleHighVolume } from './tracking/schedule-high-volume.ts';
import { settleDays } from './tracking/settle-days.ts';
import { syncPending } from './tracking/sync-watchers.ts';
import { DELIVER_LIMITS, type DeliverLimits, startDelivering } from './webhooks/deliver-due.ts';
import { dropOldEvents } from './webhooks/drop-old-events.ts';
import { HOLD_OFF_MS, retryAbandoned } from './webhooks/finish-attempts.ts';
import { oldestDueAtMs } from './webhooks/health-records.ts';
import { createPoster } from './webhooks/post.ts';
import { recordNotifications } from './webhooks/record-notifications.ts';

type Deps = BookingDeps & {
  charging: Charging;
  /** Raised when an observation may have written outbox rows. */
  outboxSignal: Signal;
  /** Raised when tracked products changed and their watchers must be synchronized. */
  pendingSignal: Signal;
  /** Raised when a delivery may have become due. */
  deliverySignal: Signal;
  targetRules: TargetRules;
  resolveName: ResolveName;
  encryptionKeys: readonly Buffer[];
  /** For products that nobody tracks. */
  snapshotsPerMinute: number;
  source: Source;
  products: Products;
  metrics: Metrics;
  marketLearner: MarketLearner;
  salesEstimates: SalesEstimates;
  staleProducts: StaleProducts;
  db: Database;
  callers: Callers;
  signIn: SignIn;
  ledgerPartitions: PartitionKeeper;
  webhookMonths: PartitionKeeper;
  clock: Clock;
  log: Log;
  loopHealth: LoopHealth;
  /** Without it, this process is the only one. */
  membership?: Membership;
  clockWatch?: ClockWatch;
  rates: SharedRates;
};

type DeliveryDeps = BookingDeps &
  Partial<Pick<Deps, 'membership' | 'loopHealth'>> &
  Pick<Deps, 'outboxSignal' | 'deliverySignal' | 'webhookMonths' | 'metrics'> &
  Pick<Deps, 'targetRules' | 'resolveName' | 'encryptionKeys'> &
  Partial<Pick<Deps, 'pendingSignal'>>;

/**
 * `works`: this process collects, fans out, delivers and estimates; an API-only process does not.
 */
export function startLoops(deps: Deps, { works }: { works: boolean }): Loop[] {
  const loops = [
    // Twice per cache lifetime of a caller: keys in use are re-read hundreds at a time, and
    // requests do not wait for it.
    startPeriodic(deps, {
      name: 'refresh-callers',
      everyMs: bounds.callerAgeMaxMs / 2,
      run: () => deps.callers.refreshUsed(),
    }),
    startPeriodic(deps, {
      name: 'record-key-uses',
      everyMs: 5 * SECOND_MS,
      run: () => deps.callers.flushUses(deps.log),
    }),
    startPeriodic(deps, {
      name: 'drop-expired-sign-ins',
      inOneProcess: true,
      everyMs: 10 * MINUTE_MS,
      run: () =>
        doAll(
          () => deps.signIn.dropExpired(),
          () => dropOldAttempts(deps.db),
          () => deps.rates.dropIdle(),
        ),
    }),
    // In every process: each remembers which months exist, so that no charge has to read it.
    startPeriodic(deps, {
      name: 'create-partitions',
      everyMs: MINUTE_MS / Math.min(deps.clock.speed, 60),
      run: () =>
        doAll(
          () => deps.ledgerPartitions.ready(deps.clock.nowMs()),
          () => deps.webhookMonths.ready(deps.clock.nowMs()),
        ),
    }),
    // Counted in the database, so every process reports the items of all processes.
    startPeriodic(deps, {
      name: 'count-quarantined',
      everyMs: 10 * SECOND_MS,
      run: async () => {
        const counts = await countQuarantined(deps.db);
        deps.metrics.quarantined.reset();
        for (const { loop, items } of counts) deps.metrics.quarantined.set({ loop }, items);
      },
    }),
  ];
  loops.push(startFactsLoop(deps, { sweeps: works }));
  if (works) {
    loops.push(startBacklogLoop(deps));
    loops.push(...startEstimateLoops(deps), ...startTrackingLoops(deps));
    loops.push(...startDeliveryLoops(deps), ...startClosingLoops(deps));
  }
  const { clockWatch } = deps;
  if (clockWatch !== undefined) {
    loops.push(
      startPeriodic(deps, {
        name: 'compare-clocks',
        everyMs: 10 * SECOND_MS,
        run: () => clockWatch.check(),
      }),
    );
  }
  if (deps.clock.speed > 1) loops.push(startPulse(deps));
  return loops;
}

/** Gauges of what waits between products and accounts, in one process; the others report 0. */
function startBacklogLoop(deps: Deps): Loop {
  let backlog = EMPTY_BACKLOG;
  const { metrics, clock } = deps;
  const secondsSince = (atMs: number | null) =>
    atMs === null ? 0 : Math.max(0, clock.nowMs() - atMs) / SECOND_MS;
  metrics.watch(
    'oversight_outbox_age_seconds',
    'Age of the oldest outbox row, on the business clock. In one process; the others report 0.',
    () => secondsSince(backlog.oldestOutboxAtMs),
  );
  metrics.watch(
    'oversight_watcher_syncs_pending',
    'Tracked products whose watchers are not synced yet. In one process; the others report 0.',
    () => backlog.pendingSyncs,
  );
  metrics.watch(
    'oversight_unsettled_day_age_seconds',
    'Time since the oldest unsettled day could be settled. In one process; the others report 0.',
    () => secondsSince(backlog.settlableAtMs),
  );
  return startPeriodic(deps, {
    name: 'measure-backlog',
    inOneProcess: true,
    everyMs: 10 * SECOND_MS,
    run: async () => {
      backlog = await measureBacklog(deps.db);
    },
    otherwise: () => {
      backlog = EMPTY_BACKLOG;
    },
  });
}

/** Completes closures cut short by a crash; deletes due accounts and old library entries. */
function startClosingLoops(deps: Deps): Loop[] {
  return [
    startPeriodic(deps, {
      name: 'settle-closures',
      inOneProcess: true,
      everyMs: 2 * SECOND_MS,
      run: () => settleClosures(deps),
    }),
    startPeriodic(deps, {
      name: 'delete-due-accounts',
      inOneProcess: true,
      everyMs: Math.max(SECOND_MS, MINUTE_MS / deps.clock.speed),
      run: () => deleteDueAccounts(deps),
    }),
    startPeriodic(deps, {
      name: 'drop-old-library',
      inOneProcess: true,
      everyMs: Math.max(SECOND_MS, HOUR_MS / deps.clock.speed),
      run: () => dropOldEntries(deps.db.background, deps.clock.nowMs()),
    }),
  ];
}

/** Fits the sales model to all products when due, and refreshes stale estimates a few at a time. */
function startEstimateLoops(deps: Deps): Loop[] {
  return [
    startPeriodic(deps, {
      name: 'learn-market',
      inOneProcess: true,
      everyMs: 30 * SECOND_MS,
      run: () => deps.marketLearner.learnWhenDue(),
    }),
    startPeriodic(deps, {
      name: 'estimate-sales',
      everyMs: SECOND_MS,
      run: async () => {
        await deps.salesEstimates.refreshSome(REFRESHED_AT_ONCE, deps.membership?.share());
      },
    }),
  ];
}

/** Keeps the facts for search and finder current. An API process only those that it recorded. */
function startFactsLoop(deps: Deps, { sweeps }: { sweeps: boolean }): Loop {
  const db = deps.db.background;
  const background = { ...deps, db, salesEstimates: createSalesEstimates({ db, log: deps.log }) };
  const refresher = createFactsRefresher(background, deps.staleProducts, { sweeps });
  return startPeriodic(deps, {
    name: 'refresh-facts',
    everyMs: bounds.factsRoundPauseMs,
    run: async () => {
      await refresher.refreshSome(deps.membership?.share());
    },
  });
}

/** Collects due products, syncs watchers, resumes and ends tracked products, settles days. */
function startTrackingLoops(deps: Deps): Loop[] {
  // Intervals are business time, so loops run more often in time lapse.
  const every = (ms: number) => Math.max(200, ms / deps.clock.speed);
  const heldTracked = createHoldOff(LOCKED_HELD_MS);
  return [
    startClaimLoop(deps, {
      name: 'collect-due',
      // In time lapse a second may be an hour, which is too long for a due product to wait.
      idleMaxMs: Math.max(50, SECOND_MS / deps.clock.speed),
      work: (stopping) => collectDue(deps, { isTracked: true, stopping }),
    }),
    ...startVolumeLoops(deps, every),
    startClaimLoop(deps, {
      name: 'sync-watchers',
      work: async () => ((await syncPending({ ...deps, heldTracked })) ? 1 : 0),
      signal: deps.pendingSignal,
    }),
    startPeriodic(deps, {
      name: 'resume-suspended',
      inOneProcess: true,
      everyMs: every(5 * SECOND_MS),
      run: () => resumeSuspended(deps),
    }),
    startPeriodic(deps, {
      name: 'end-tracked',
      inOneProcess: true,
      everyMs: every(5 * SECOND_MS),
      run: () => endTracked(deps),
    }),
    startPeriodic(deps, {
      name: 'settle-days',
      inOneProcess: true,
      everyMs: every(MINUTE_MS),
      run: () => settleDays(deps),
    }),
  ];
}

/** Collects fast-selling products that nobody tracks, within a budget per real minute. */
function startVolumeLoops(deps: Deps, every: (ms: number) => number): Loop[] {
  const { snapshotsPerMinute } = deps;
  if (snapshotsPerMinute === 0) return [];
  const budget = createBudget(snapshotsPerMinute, monotonicMs);
  return [
    startPeriodic(deps, {
      name: 'schedule-high-volume',
      inOneProcess: true,
      everyMs: every(HOUR_MS),
      run: async () => {
        await scheduleHighVolume(deps, { snapshotsPerMinute });
      },
    }),
    startPeriodic(deps, {
      name: 'collect-high-volume',
      inOneProcess: true,
      everyMs: SECOND_MS,
      run: async () => {
        const limit = budget.take();
        if (limit > 0) await collectDue(deps, { isTracked: false, limit });
      },
    }),
  ];
}

/** Fans out observations to accounts, delivers events to endpoints and drops old events. */
export function startDeliveryLoops(
  deps: DeliveryDeps,
  {
    lostEveryMs = 5 * SECOND_MS,
    ...limits
  }: Partial<DeliverLimits> & { lostEveryMs?: number } = {},
): Loop[] {
  const { db, clock, log } = deps;
  let oldestDeliveryAtMs: number | null = null;
  deps.metrics.watch(
    'oversight_oldest_due_delivery_seconds',
    'Time since the oldest waiting delivery became due, on the business clock.',
    () =>
      oldestDeliveryAtMs === null ? 0 : Math.max(0, clock.nowMs() - oldestDeliveryAtMs) / SECOND_MS,
  );
  const heldAccounts = createHoldOff(LOCKED_HELD_MS);
  const heldOff = createHoldOff(HOLD_OFF_MS);
  const poster = createPoster({
    rules: deps.targetRules,
    resolve: deps.resolveName,
    connectionsPerOriginMax: DELIVER_LIMITS.inFlightMax,
  });
  return [
    startClaimLoop(deps, {
      name: 'fan-out',
      work: async () => {
        const rows = await fanOut({ ...deps, recordNotifications, heldAccounts });
        if (rows > 0) deps.deliverySignal.raise();
        return rows;
      },
      signal: deps.outboxSignal,
    }),
    startDelivering({ ...deps, poster }, { ...limits, signal: deps.deliverySignal }),
    startPeriodic(deps, {
      name: 'retry-lost-attempts',
      everyMs: lostEveryMs,
      run: async () => {
        const lost = { db, log, heldOff };
        const input = { now: clock.nowMs(), realNow: realNowMs(), token: null };
        while ((await retryAbandoned(lost, input)) > 0) deps.deliverySignal.raise();
        oldestDeliveryAtMs = await oldestDueAtMs(db);
      },
    }),
    startPeriodic(deps, {
      name: 'drop-old-events',
      inOneProcess: true,
      everyMs: Math.max(SECOND_MS, HOUR_MS / clock.speed),
      run: async () => {
        await dropOldEvents(deps, clock.nowMs());
      },
    }),
  ];
}

/** An account locked by another session is tried again after this time. */
const LOCKED_HELD_MS = 5 * SECOND_MS;

/** Estimates refreshed per second, for products requested before. */
const REFRESHED_AT_ONCE = 20;

/** Time lapse: stores the business time while running and once more when stopped. */
function startPulse(deps: Deps): Loop {
  const pulse = startPeriodic(deps, {
    name: 'advance-time-lapse',
    everyMs: PULSE_MS,
    run: () => pulseTimeLapse(deps.db, deps.clock, false),
  });
  return {
    async stop() {
      await pulse.stop();
      await pulseTimeLapse(deps.db, deps.clock, true);
    },
  };
}
