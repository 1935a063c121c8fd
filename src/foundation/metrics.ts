// Prometheus metrics for the operator. Each folder's gauges are registered where the service is
// assembled; docs/architecture.md lists the alerts worth having.
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';

export type Metrics = {
  registry: Registry;
  requestSeconds: Histogram<'route' | 'method' | 'status'>;
  creditsCharged: Counter<'operation'>;
  rateLimited: Counter<'bucket'>;
  /** Requests to the marketplace, retries included in the time. */
  sourceSeconds: Histogram<'source' | 'outcome'>;
  /** Marketplace records and responses that were refused, by class of reason. */
  sourceRefused: Counter<'source' | 'reason'>;
  /** From when a product was due to when it was collected, on the business clock. */
  collectionLateSeconds: Histogram;
  collectionFailures: Counter<'reason'>;
  /** Slots of tracked products: in_time, late or missed. */
  slots: Counter<'tier' | 'outcome'>;
  /** Requests to customers' endpoints: success, failed. */
  deliveryAttempts: Counter<'outcome'>;
  /** Rounds of background loops that failed, by loop. */
  loopFailures: Counter<'loop'>;
  /** Items that were set aside because they failed alone. */
  quarantined: Gauge<'loop'>;
  /** Children that ended and were restarted by their parent. */
  restarts: Counter<'process'>;
  /** All values at this moment, to be merged with those of other processes. */
  snapshot(): Promise<MetricsSnapshot>;
  /** A gauge whose value is read at each scrape. */
  watch(name: string, help: string, read: () => number): void;
};

/** The values of one process, which can be sent to another. */
export type MetricsSnapshot = object[];

/** Merges the values of several processes, which differ by their label `process`. */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}

/** `processName` becomes a label of every value. */
export function createMetrics(processName?: string): Metrics {
  const registry = new Registry();
  if (processName !== undefined) registry.setDefaultLabels({ process: processName });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'oversight_request_seconds',
      help: 'Time from the arrival of a request to the end of its response.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    creditsCharged: new Counter({
      name: 'oversight_credits_charged_total',
      help: 'Credits charged for requests.',
      labelNames: ['operation'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'oversight_rate_limited_total',
      help: 'Requests refused because their account was over its rate.',
      labelNames: ['bucket'],
      registers,
    }),
    sourceSeconds: new Histogram({
      name: 'oversight_source_seconds',
      help: 'Time for a request to the marketplace, waiting and retries included.',
      labelNames: ['source', 'outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    sourceRefused: new Counter({
      name: 'oversight_source_refused_total',
      help: 'Marketplace records and responses that were refused, by class of reason.',
      labelNames: ['source', 'reason'],
      registers,
    }),
    collectionLateSeconds: new Histogram({
      name: 'oversight_collection_late_seconds',
      help: 'From when a product was due to when it was collected, on the business clock.',
      buckets: [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400],
      registers,
    }),
    collectionFailures: new Counter({
      name: 'oversight_collection_failures_total',
      help: 'Scheduled collections that failed, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'oversight_delivery_attempts_total',
      help: "Requests to customers' endpoints, by outcome.",
      labelNames: ['outcome'],
      registers,
    }),
    ...loopMetrics(registers),
    snapshot: () => registry.getMetricsAsJSON(),
    watch(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
}

type LoopMetrics = Pick<Metrics, 'loopFailures' | 'quarantined' | 'restarts' | 'slots'>;

function loopMetrics(registers: Registry[]): LoopMetrics {
  return {
    slots: new Counter({
      name: 'oversight_slots_total',
      help: 'Slots of tracked products by tier: in_time (before a tenth has passed), late, missed.',
      labelNames: ['tier', 'outcome'],
      registers,
    }),
    restarts: new Counter({
      name: 'oversight_process_restarts_total',
      help: 'Processes that ended and were restarted by their parent.',
      labelNames: ['process'],
      registers,
    }),
    loopFailures: new Counter({
      name: 'oversight_loop_failures_total',
      help: 'Rounds of background loops that failed, by loop.',
      labelNames: ['loop'],
      registers,
    }),
    quarantined: new Gauge({
      name: 'oversight_quarantined',
      help: 'Items that were set aside because they failed alone, by loop.',
      labelNames: ['loop'],
      registers,
    }),
  };
}
