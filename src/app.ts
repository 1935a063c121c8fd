// Builds the dependencies once, in the order in which they need each other, and takes them apart.
import { type Callers, createCallers } from './accounts/callers.ts';
import { createLinkMail, type LinkMail } from './accounts/link-mail.ts';
import { missingProxyAdvice } from './accounts/proxy-trust.ts';
import { createSignIn, type SignIn } from './accounts/sign-in.ts';
import { createHeavyRequests, type HeavyRequests } from './api/heavy-requests.ts';
import { type AllowedOrigins, allowedOrigins, isLoopback } from './api/session/allowed-origin.ts';
import { createSignal, type Signal } from './background/signal.ts';
import type { FeeSchedule } from './catalog/fee-schedule.ts';
import { createProducts, type Products } from './catalog/products.ts';
import { defaultFeeSchedule } from './catalog/read-fee-schedule.ts';
import { type Backfill, createBackfill } from './collection/backfill.ts';
import { createLookUp, type LookUp } from './collection/look-up.ts';
import type { Settings } from './config.ts';
import { type Charging, createCharging } from './credits/charge.ts';
import { LEDGER_TABLE } from './credits/ledger.ts';
import { createPlans, type Plans } from './credits/plans.ts';
import type { UnresolvedJournal } from './credits/unresolved-journal.ts';
import type { Database } from './database/database.ts';
import { createPartitionKeeper, type PartitionKeeper } from './database/partitions.ts';
import { EVENTS_TABLE } from './events/events.ts';
import type { Clock } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import { createMetrics, type Metrics } from './foundation/metrics.ts';
import { newToken } from './foundation/secret.ts';
import { createPriceHistories, type PriceHistories } from './history/price-points.ts';
import { createMemoryRateLimiter } from './limits/memory-rate-limiter.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { createRedisRateLimiter } from './limits/redis-rate-limiter.ts';
import { machineAddresses, type ResolveName, resolveByDns } from './outbound/checked-connect.ts';
import type { TargetRules } from './outbound/target-address.ts';
import { createSalesEstimates, type SalesEstimates } from './sales/estimate-sales.ts';
import { createMarketLearner, type MarketLearner } from './sales/learn-market.ts';
import type { Source } from './sources/source.ts';
import { ATTEMPTS_TABLE } from './webhooks/attempts.ts';
import { DELIVERIES_TABLE } from './webhooks/deliveries.ts';
import { recordNotifications } from './webhooks/record-notifications.ts';

export type App = {
  db: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  plans: Plans;
  ledgerPartitions: PartitionKeeper;
  charging: Charging;
  callers: Callers;
  limiter: RateLimiter;
  heavyRequests: HeavyRequests;
  source: Source;
  /** Raised when an observation may have left something for accounts. */
  outboxSignal: Signal;
  pendingSignal: Signal;
  /** Raised when a delivery may have become due. */
  deliverySignal: Signal;
  products: Products;
  lookUp: LookUp;
  backfill: Backfill;
  priceHistories: PriceHistories;
  salesEstimates: SalesEstimates;
  marketLearner: MarketLearner;
  feeSchedule: FeeSchedule;
  /** Who is signed in to the dashboard, and how links reach people. */
  signIn: SignIn;
  linkMail: LinkMail;
  allowedOrigins: AllowedOrigins;
  /**
   * PUBLIC_URL is public and TRUST_PROXY missing: what comes from a local address was passed on by
   * a proxy.
   */
  isBehindUnknownProxy: boolean;
  /** Once it is known where the service listens. */
  listensOn(port: number): void;
  /** Where webhooks may go. */
  targetRules: TargetRules;
  resolveName: ResolveName;
  /** Of webhook secrets. */
  encryptionKeys: readonly Buffer[];
  /** How the fan-out of tracking leaves events and deliveries. */
  recordNotifications: typeof recordNotifications;
  /** Of events, deliveries and the log of attempts. */
  webhookMonths: PartitionKeeper;
  /** Lets nothing get lost: charges are booked, uses of keys noted. The database stays open. */
  close(): Promise<void>;
};

type AppSettings = Pick<
  Settings,
  | 'ALLOW_PRIVATE_TARGETS'
  | 'HOST'
  | 'PORT'
  | 'PUBLIC_URL'
  | 'SMTP_URL'
  | 'MAIL_FROM'
  | 'TRUST_PROXY'
>;

export function buildApp(input: {
  db: Database;
  clock: Clock;
  log: Log;
  source: Source;
  /** Those of the source, where it has any. */
  metrics?: Metrics;
  /** The shipped one unless the operator has put another in its place. */
  feeSchedule?: FeeSchedule;
  /** None for what neither makes nor reads webhook secrets. */
  encryptionKeys?: readonly Buffer[];
  /** Name servers unless said. */
  resolveName?: ResolveName;
  /**
   * Where charges of unknown outcome outlive the process; without, they are remembered as long as
   * it lives.
   */
  unresolvedJournal?: UnresolvedJournal;
  /** Signs sessions. None for what lets nobody in. */
  authSecret?: string;
  settings: Pick<Settings, 'REDIS_URL'> & Partial<AppSettings>;
}): App {
  const { db, clock, log, source, metrics = createMetrics() } = input;
  const plans = createPlans(db);
  const ledgerPartitions = createPartitionKeeper(db, LEDGER_TABLE);
  const charging = createCharging(
    { db, plans, ledgerPartitions, clock, log },
    input.unresolvedJournal,
  );
  const callers = createCallers({ db, clock });
  const limiter = openLimiter(input.settings.REDIS_URL, { log, metrics });
  metrics.watch('oversight_charge_queue_age_seconds', 'Age of the oldest waiting charge.', () => {
    return charging.oldestWaitMs() / 1000;
  });
  metrics.watch(
    'oversight_charges_waiting',
    'Charges that are not under way yet.',
    charging.waiting,
  );
  metrics.watch(
    'oversight_charges_held',
    'Charges that wait for a balance that another session has locked.',
    charging.held,
  );
  metrics.watch(
    'oversight_charges_unresolved',
    'Batches of charges whose outcome is still being looked into.',
    charging.unresolved,
  );
  metrics.watch(
    'oversight_database_waiting',
    'Requests that wait for a database connection.',
    () => db.usage().hot.waiting,
  );
  metrics.watch(
    'oversight_heavy_reads_waiting',
    'Heavy reads (histories, lists) that wait for a database connection of theirs.',
    () => db.usage().heavy.waiting,
  );
  metrics.watch(
    'oversight_background_waiting',
    'Statements of background loops that wait for a database connection of theirs.',
    () => db.usage().background.waiting,
  );
  const heavyRequests = createHeavyRequests();
  metrics.watch(
    'oversight_heavy_requests_waiting',
    'Requests that read much and wait behind their own account’s, or for a place.',
    () => heavyRequests.usage().requests.waiting,
  );
  const products = createProducts(db);
  const outboxSignal = createSignal();
  const lookUp = createLookUp({ db, products, source, clock, log, outboxSignal });
  const targetRules = {
    allowPrivateTargets: input.settings.ALLOW_PRIVATE_TARGETS ?? false,
    service: { addresses: machineAddresses(), port: input.settings.PORT ?? 0 },
  };
  const web = openWeb(input);
  return {
    ...{ db, clock, log, metrics, plans, ledgerPartitions, charging, callers, limiter },
    ...web,
    // PORT may have been 0; and webhooks must not come back to where we listen.
    listensOn(port) {
      targetRules.service.port = port;
      Object.assign(web.allowedOrigins, web.originsAt(port));
    },
    heavyRequests,
    feeSchedule: input.feeSchedule ?? defaultFeeSchedule(),
    ...{
      source,
      products,
      lookUp,
      backfill: createBackfill({ db: db.background, products, source, lookUp, clock, log }),
    },
    priceHistories: createPriceHistories({ db, products, log }),
    outboxSignal,
    pendingSignal: createSignal(),
    deliverySignal: createSignal(),
    marketLearner: createMarketLearner({ db: db.background, clock, log }),
    salesEstimates: createSalesEstimates({ db, log }),
    targetRules,
    resolveName: input.resolveName ?? resolveByDns,
    encryptionKeys: input.encryptionKeys ?? [],
    recordNotifications,
    webhookMonths: createPartitionKeeper(db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE),
    async close() {
      await charging.close();
      await callers.flushUses(log).catch((error) => {
        log.warn({ reason: String(error) }, 'uses of keys not noted');
      });
      await limiter.close();
      await source.close();
    },
  };
}

/** What the dashboard needs besides the doors: sessions, links, and where its pages come from. */
function openWeb(input: {
  db: Database;
  log: Log;
  authSecret?: string;
  settings: Partial<AppSettings>;
}) {
  const { HOST = '127.0.0.1', PORT = 0, PUBLIC_URL = null, SMTP_URL = null } = input.settings;
  const { TRUST_PROXY = null } = input.settings;
  const originsAt = (port: number) =>
    allowedOrigins({ publicUrl: PUBLIC_URL, host: HOST, port, addresses: machineAddresses() });
  const publicUrl = new URL(PUBLIC_URL ?? originsAt(PORT).publicUrl);
  return {
    originsAt,
    allowedOrigins: originsAt(PORT),
    isBehindUnknownProxy: missingProxyAdvice({ PUBLIC_URL, TRUST_PROXY }) !== null,
    signIn: createSignIn(input, {
      // Without a secret nobody may be let in, now or later.
      secret: input.authSecret ?? newToken(),
      secureCookies: publicUrl.protocol === 'https:',
    }),
    linkMail: createLinkMail({
      smtpUrl: SMTP_URL,
      from: input.settings.MAIL_FROM ?? `Oversight <no-reply@${publicUrl.hostname}>`,
      // A proxy on the same machine may open it to others.
      isLoopback:
        isLoopback(HOST) &&
        isLoopback(publicUrl.hostname.replace(/^\[|\]$/g, '')) &&
        TRUST_PROXY === null,
      log: input.log,
    }),
  };
}

function openLimiter(url: string | null, deps: { log: Log; metrics: Metrics }): RateLimiter {
  const own = createMemoryRateLimiter();
  if (url === null) return own;
  const shared = createRedisRateLimiter({ url, fallback: own, log: deps.log });
  deps.metrics.watch(
    'oversight_limiter_on_fallback',
    '1 while rate limits are counted by this process alone because Redis does not answer.',
    () => (shared.onFallback() ? 1 : 0),
  );
  return shared;
}
