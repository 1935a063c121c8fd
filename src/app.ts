// Builds the app's dependencies once, in the order they need each other, and closes them.
import { type Callers, createCallers } from './accounts/callers.ts';
import { createLinkMail, type LinkMail } from './accounts/link-mail.ts';
import { missingProxyAdvice } from './accounts/proxy-trust.ts';
import { createSignIn, type SignIn } from './accounts/sign-in.ts';
import { createHeavyRequests, type HeavyRequests } from './api/heavy-requests.ts';
import { createResponseTags, type ResponseTags } from './api/response-tag.ts';
import { type AllowedOrigins, allowedOrigins, isLoopback } from './api/session/allowed-origin.ts';
import { createLoopHealth, type LoopHealth } from './background/loop-health.ts';
import { createSignal, type Signal } from './background/signal.ts';
import type { FeeSchedule } from './catalog/fee-schedule.ts';
import { createProducts, type Products } from './catalog/read-batched.ts';
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
import { createParentRateLimiter, type TakeAtParent } from './limits/parent-rate-limiter.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { createRedisRateLimiter } from './limits/redis-rate-limiter.ts';
import { createSharedRates, type SharedRates } from './limits/shared-rates.ts';
import { machineAddresses, type ResolveName, resolveByDns } from './outbound/checked-connect.ts';
import type { TargetRules } from './outbound/target-address.ts';
import { createPngRenderer, type PngRenderer } from './pictures/render-png.ts';
import { createSalesEstimates, type SalesEstimates } from './sales/estimate-sales.ts';
import { createMarketLearner, type MarketLearner } from './sales/learn-market.ts';
import { createProductSearch, type ProductSearch } from './search/search-products.ts';
import { createStaleProducts, type StaleProducts } from './search/stale-products.ts';
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
  responseTags: ResponseTags;
  source: Source;
  /** Products whose data is free in the dashboard. */
  sampleCodes: ReadonlySet<string>;
  /** Rates that all processes keep together. */
  rates: SharedRates;
  loopHealth: LoopHealth;
  /** Raised when an observation may have written outbox rows. */
  outboxSignal: Signal;
  /** Raised when tracked products changed and their watchers must be synchronized. */
  pendingSignal: Signal;
  /** Raised when a delivery may have become due. */
  deliverySignal: Signal;
  products: Products;
  /** Recorded products whose facts must be computed again. */
  staleProducts: StaleProducts;
  /** Finds products by a text. */
  productSearch: ProductSearch;
  lookUp: LookUp;
  backfill: Backfill;
  priceHistories: PriceHistories;
  pngRenderer: PngRenderer;
  salesEstimates: SalesEstimates;
  marketLearner: MarketLearner;
  feeSchedule: FeeSchedule;
  /** Dashboard sessions. */
  signIn: SignIn;
  /** Sends sign-up and password-reset links. */
  linkMail: LinkMail;
  allowedOrigins: AllowedOrigins;
  /**
   * PUBLIC_URL is public but TRUST_PROXY is not set: a proxy forwards requests from local
   * addresses.
   */
  isBehindUnknownProxy: boolean;
  /** Sets the port that the service listens on; PORT may be 0. */
  listensOn(port: number): void;
  /** Addresses that webhooks may be sent to. */
  targetRules: TargetRules;
  resolveName: ResolveName;
  /** Encrypt webhook secrets: the first encrypts, all decrypt. */
  encryptionKeys: readonly Buffer[];
  /** Used by the fan-out of tracking to write events and deliveries. */
  recordNotifications: typeof recordNotifications;
  /** Partitions of events, deliveries and attempts. */
  webhookMonths: PartitionKeeper;
  /** Books waiting charges and records key uses before it returns. The database stays open. */
  close(): Promise<void>;
};

type AppSettings = Pick<
  Settings,
  | 'ALLOW_PRIVATE_TARGETS'
  | 'HOST'
  | 'PORT'
  | 'PUBLIC_URL'
  | 'SAMPLE_PRODUCTS'
  | 'SMTP_URL'
  | 'MAIL_FROM'
  | 'OPERATOR_EMAIL'
  | 'TRUST_PROXY'
>;

type AppInput = {
  db: Database;
  clock: Clock;
  log: Log;
  source: Source;
  /** Shared with the source. */
  metrics?: Metrics;
  rates?: SharedRates;
  /** In a child process: its parent counts rate limits for all. */
  takeAtParent?: TakeAtParent;
  /** The default schedule unless the operator has set another. */
  feeSchedule?: FeeSchedule;
  /** Empty where webhook secrets are neither written nor read. */
  encryptionKeys?: readonly Buffer[];
  /** DNS by default. */
  resolveName?: ResolveName;
  /** Persists charges of unknown outcome; without it they are lost with the process. */
  unresolvedJournal?: UnresolvedJournal;
  /** Signs sessions. Omitted where nobody signs in. */
  authSecret?: string;
  settings: Pick<Settings, 'REDIS_URL'> & Partial<AppSettings>;
};

export function buildApp(input: AppInput): App {
  const { db, clock, log, source, metrics = createMetrics() } = input;
  const plans = createPlans(db);
  const ledgerPartitions = createPartitionKeeper(db, LEDGER_TABLE);
  const charging = createCharging(
    { db, plans, ledgerPartitions, clock, log },
    input.unresolvedJournal,
  );
  const callers = createCallers({ db, clock });
  const limiter = openLimiter(input, metrics);
  const heavyRequests = createHeavyRequests();
  watchQueues(metrics, { db, charging, heavyRequests });
  const products = createProducts(db);
  const pngRenderer = createPngRenderer(log);
  const outboxSignal = createSignal();
  const rates = input.rates ?? createSharedRates({ db, log, processCount: () => 1 });
  const staleProducts = createStaleProducts();
  const recording = { db, clock, log, outboxSignal, staleProducts };
  const lookUp = createLookUp({ ...recording, products, source, rates });
  const targetRules = {
    allowPrivateTargets: input.settings.ALLOW_PRIVATE_TARGETS ?? false,
    service: { addresses: machineAddresses(), port: input.settings.PORT ?? 0 },
  };
  const web = openWeb(input);
  return {
    db,
    clock,
    log,
    metrics,
    plans,
    ledgerPartitions,
    charging,
    callers,
    limiter,
    ...web,
    // PORT may have been 0, and webhooks must not be sent to the service itself.
    listensOn(port) {
      targetRules.service.port = port;
      Object.assign(web.allowedOrigins, web.originsAt(port));
    },
    heavyRequests,
    // Without a secret of its own the tags of a process end with it.
    responseTags: createResponseTags(input.authSecret ?? newToken()),
    feeSchedule: input.feeSchedule ?? defaultFeeSchedule(),
    source,
    sampleCodes: new Set(input.settings.SAMPLE_PRODUCTS ?? source.sampleCodes ?? []),
    rates,
    loopHealth: createLoopHealth(metrics),
    products,
    staleProducts,
    productSearch: createProductSearch({ db, products }),
    lookUp,
    backfill: createBackfill({ ...recording, db: db.background, products, source, lookUp }),
    priceHistories: createPriceHistories({ db, products, log }),
    pngRenderer,
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
      await pngRenderer.close();
      await charging.close();
      await callers.flushUses(log).catch((error) => {
        log.warn({ reason: String(error) }, 'key uses not recorded');
      });
      await limiter.close();
      await source.close();
    },
  };
}

/** Gauges of everything that waits. */
function watchQueues(
  metrics: Metrics,
  { db, charging, heavyRequests }: Pick<App, 'db' | 'charging' | 'heavyRequests'>,
): void {
  metrics.watch('oversight_charge_queue_age_seconds', 'Age of the oldest waiting charge.', () => {
    return charging.oldestWaitMs() / 1000;
  });
  metrics.watch(
    'oversight_charges_waiting',
    'Charges that are not being booked yet.',
    charging.waiting,
  );
  metrics.watch(
    'oversight_charges_held',
    'Charges that wait for a balance locked by another session.',
    charging.held,
  );
  metrics.watch(
    'oversight_charges_unresolved',
    'Batches of charges whose outcome is still unknown.',
    charging.unresolved,
  );
  metrics.watch(
    'oversight_database_waiting',
    'Requests that wait for a database connection.',
    () => db.usage().hot.waiting,
  );
  metrics.watch(
    'oversight_heavy_reads_waiting',
    'Heavy reads (histories, lists) that wait for a database connection.',
    () => db.usage().heavy.waiting,
  );
  metrics.watch(
    'oversight_background_waiting',
    'Statements of background loops that wait for a database connection.',
    () => db.usage().background.waiting,
  );
  metrics.watch(
    'oversight_heavy_requests_waiting',
    'Heavy requests that wait for others of their account or for a free slot.',
    () => heavyRequests.usage().requests.waiting,
  );
}

/** What the dashboard needs besides the endpoints: sessions, links and the allowed origins. */
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
      // Without a secret no session is ever valid: a random one is used and not kept.
      secret: input.authSecret ?? newToken(),
      secureCookies: publicUrl.protocol === 'https:',
    }),
    linkMail: createLinkMail({
      smtpUrl: SMTP_URL,
      from: input.settings.MAIL_FROM ?? `Oversight <no-reply@${publicUrl.hostname}>`,
      operator: input.settings.OPERATOR_EMAIL ?? null,
      // A proxy on the same machine may expose the service to others.
      isLoopback:
        isLoopback(HOST) &&
        isLoopback(publicUrl.hostname.replace(/^\[|\]$/g, '')) &&
        TRUST_PROXY === null,
      log: input.log,
    }),
  };
}

/** Redis counts for all machines, a parent for the processes of one, memory for one process. */
function openLimiter(
  { log, takeAtParent, settings: { REDIS_URL: url } }: AppInput,
  metrics: Metrics,
): RateLimiter {
  const inMemory = createMemoryRateLimiter();
  const onMachine =
    takeAtParent === undefined
      ? inMemory
      : createParentRateLimiter({ takeAtParent, fallback: inMemory });
  if (url === null) return onMachine;
  const shared = createRedisRateLimiter({ url, fallback: onMachine, log });
  metrics.watch(
    'oversight_limiter_on_fallback',
    '1 while this machine enforces rate limits on its own because Redis does not respond.',
    () => (shared.onFallback() ? 1 : 0),
  );
  return shared;
}
