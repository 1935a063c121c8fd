// Every background loop of the service, named.
import type { Callers } from './accounts/callers.ts';
import type { SignIn } from './accounts/sign-in.ts';
import { dropOldTries } from './accounts/sign-in-attempts.ts';
import { startClaimLoop } from './background/claim-loop.ts';
import { doAll } from './background/do-all.ts';
import { createHoldOff } from './background/hold-off.ts';
import { type Loop, startPeriodic } from './background/periodic.ts';
import { countQuarantined } from './background/quarantined-items.ts';
import type { Signal } from './background/signal.ts';
import type { Products } from './catalog/products.ts';
import { settleClosures } from './closing/close-account.ts';
import { deleteDueAccounts } from './closing/delete-account.ts';
import { collectDue } from './collection/collect-due.ts';
import type { BookingDeps } from './credits/book-entries.ts';
import type { Charging } from './credits/charge.ts';
import type { Database } from './database/database.ts';
import type { PartitionKeeper } from './database/partitions.ts';
import { PULSE_MS, pulseTimeLapse } from './database/time-lapse.ts';
import { bounds } from './foundation/bounds.ts';
import { type Clock, monotonicMs, realNowMs } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import type { Metrics } from './foundation/metrics.ts';
import type { ResolveName } from './outbound/checked-connect.ts';
import type { TargetRules } from './outbound/target-address.ts';
import type { SalesEstimates } from './sales/estimate-sales.ts';
import type { MarketLearner } from './sales/learn-market.ts';
import type { Source } from './sources/source.ts';
import { fanOut } from './tracking/fan-out.ts';
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
  /** Raised when an observation may have left something for accounts. */
  outboxSignal: Signal;
  /** Raised when tracked products were changed of which the product's side does not know. */
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
  db: Database;
  callers: Callers;
  signIn: SignIn;
  ledgerPartitions: PartitionKeeper;
  webhookMonths: PartitionKeeper;
  clock: Clock;
  log: Log;
};

type TellingDeps = BookingDeps &
  Pick<Deps, 'outboxSignal' | 'deliverySignal' | 'webhookMonths' | 'metrics'> &
  Pick<Deps, 'targetRules' | 'resolveName' | 'encryptionKeys'> &
  Partial<Pick<Deps, 'pendingSignal'>>;

/** `works`: this process collects, carries over and estimates; one that only answers does not. */
export function startLoops(deps: Deps, { works }: { works: boolean }): Loop[] {
  const loops = [
    // Twice within the time that a caller is remembered: keys in use are asked for hundreds at a
    // time, and their requests do not wait for it.
    startPeriodic(deps.log, {
      name: 'refresh-callers',
      everyMs: bounds.callerAgeMaxMs / 2,
      run: () => deps.callers.refreshUsed(),
    }),
    startPeriodic(deps.log, {
      name: 'record-key-uses',
      everyMs: 5_000,
      run: () => deps.callers.flushUses(deps.log),
    }),
    startPeriodic(deps.log, {
      name: 'drop-expired-sign-ins',
      everyMs: 600_000,
      run: () =>
        doAll(
          () => deps.signIn.dropExpired(),
          () => dropOldTries(deps.db),
        ),
    }),
    startPeriodic(deps.log, {
      name: 'create-partitions',
      everyMs: 60_000 / Math.min(deps.clock.speed, 60),
      run: () =>
        doAll(
          () => deps.ledgerPartitions.ready(deps.clock.nowMs()),
          () => deps.webhookMonths.ready(deps.clock.nowMs()),
        ),
    }),
    // The figure is the database's: every process shows it, whoever set the items aside.
    startPeriodic(deps.log, {
      name: 'count-quarantined',
      everyMs: 10_000,
      run: async () => {
        const counts = await countQuarantined(deps.db);
        deps.metrics.quarantined.reset();
        for (const { loop, items } of counts) deps.metrics.quarantined.set({ loop }, items);
      },
    }),
  ];
  if (works) {
    loops.push(...startEstimateLoops(deps), ...startOversightLoops(deps));
    loops.push(...startDeliveryLoops(deps), ...startClosingLoops(deps));
  }
  if (deps.clock.speed > 1) loops.push(startPulse(deps));
  return loops;
}

/**
 * Makes good what a crash left of closing and reopening accounts, and deletes those whose waiting
 * period is over.
 */
function startClosingLoops(deps: Deps): Loop[] {
  return [
    startPeriodic(deps.log, {
      name: 'settle-closures',
      everyMs: 2_000,
      run: () => settleClosures(deps),
    }),
    startPeriodic(deps.log, {
      name: 'delete-due-accounts',
      everyMs: Math.max(1_000, 60_000 / deps.clock.speed),
      run: () => deleteDueAccounts(deps),
    }),
  ];
}

/**
 * Learns from all products in time, and works out anew, a few at a time, what rests on older
 * knowledge.
 */
function startEstimateLoops(deps: Deps): Loop[] {
  return [
    startPeriodic(deps.log, {
      name: 'learn-market',
      everyMs: 30_000,
      run: () => deps.marketLearner.learnWhenDue(),
    }),
    startPeriodic(deps.log, {
      name: 'estimate-sales',
      everyMs: 1_000,
      run: async () => {
        await deps.salesEstimates.refreshSome(REFRESHED_AT_ONCE);
      },
    }),
  ];
}

/** Collects what is due, and keeps accounts, watchers and days in step with it. */
function startOversightLoops(deps: Deps): Loop[] {
  // What happens once in minutes of business time happens more often where time runs faster.
  const every = (ms: number) => Math.max(200, ms / deps.clock.speed);
  const heldTracked = createHoldOff(LOCKED_HELD_MS);
  return [
    startClaimLoop(deps.log, {
      name: 'collect-due',
      // In time lapse a second is an hour: what is due must not wait for one.
      idleMaxMs: Math.max(50, 1_000 / deps.clock.speed),
      work: (stopping) => collectDue(deps, { isTracked: true, stopping }),
    }),
    ...startVolumeLoops(deps, every),
    startClaimLoop(deps.log, {
      name: 'sync-watchers',
      work: async () => ((await syncPending({ ...deps, heldTracked })) ? 1 : 0),
      signal: deps.pendingSignal,
    }),
    startPeriodic(deps.log, {
      name: 'resume-suspended',
      everyMs: every(5_000),
      run: () => resumeSuspended(deps),
    }),
    startPeriodic(deps.log, {
      name: 'settle-days',
      everyMs: every(60_000),
      run: () => settleDays(deps),
    }),
  ];
}

/** Products that nobody tracks, within a budget of looks a real minute. */
function startVolumeLoops(deps: Deps, every: (ms: number) => number): Loop[] {
  const { snapshotsPerMinute } = deps;
  if (snapshotsPerMinute === 0) return [];
  const budget = createBudget(snapshotsPerMinute, monotonicMs);
  return [
    startPeriodic(deps.log, {
      name: 'schedule-high-volume',
      everyMs: every(3_600_000),
      run: async () => {
        await scheduleHighVolume(deps, { snapshotsPerMinute });
      },
    }),
    startPeriodic(deps.log, {
      name: 'collect-high-volume',
      everyMs: 1_000,
      run: async () => {
        const limit = budget.take();
        if (limit > 0) await collectDue(deps, { isTracked: false, limit });
      },
    }),
  ];
}

/** Carries over what observations left, tells customers' endpoints, and forgets what was told long ago. */
export function startDeliveryLoops(
  deps: TellingDeps,
  { lostEveryMs = 5_000, ...limits }: Partial<DeliverLimits> & { lostEveryMs?: number } = {},
): Loop[] {
  const { db, clock, log } = deps;
  let oldestDue: number | null = null;
  deps.metrics.watch(
    'oversight_oldest_due_delivery_seconds',
    'How long the longest waiting delivery has been due, on the business clock.',
    () => (oldestDue === null ? 0 : Math.max(0, clock.nowMs() - oldestDue) / 1000),
  );
  const heldAccounts = createHoldOff(LOCKED_HELD_MS);
  const heldOff = createHoldOff(HOLD_OFF_MS);
  const poster = createPoster({
    ...{ rules: deps.targetRules, resolve: deps.resolveName },
    connectionsPerOriginMax: DELIVER_LIMITS.inFlightMax,
  });
  return [
    startClaimLoop(log, {
      name: 'fan-out',
      work: async () => {
        const carried = await fanOut({ ...deps, recordNotifications, heldAccounts });
        if (carried > 0) deps.deliverySignal.raise();
        return carried;
      },
      signal: deps.outboxSignal,
    }),
    startDelivering({ ...deps, poster }, { ...limits, signal: deps.deliverySignal }),
    startPeriodic(log, {
      name: 'retry-lost-attempts',
      everyMs: lostEveryMs,
      run: async () => {
        const lost = { db, log, heldOff };
        const input = { now: clock.nowMs(), realNow: realNowMs(), token: null };
        while ((await retryAbandoned(lost, input)) > 0) deps.deliverySignal.raise();
        oldestDue = await oldestDueAtMs(db);
      },
    }),
    startPeriodic(log, {
      name: 'drop-old-events',
      everyMs: Math.max(1_000, 3_600_000 / clock.speed),
      run: async () => {
        await dropOldEvents(deps, clock.nowMs());
      },
    }),
  ];
}

/** Accounts that another session keeps locked are tried again after this. */
const LOCKED_HELD_MS = 5_000;

/** A budget: of products that were asked for before, so many a second. */
const REFRESHED_AT_ONCE = 20;

/** Time lapse: says that time passes, and at the end where it stood. */
function startPulse(deps: Deps): Loop {
  const pulse = startPeriodic(deps.log, {
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
