// The parent of several processes on one machine: owns the embedded database, gives the children
// one port, counts rate limits for all of them, restarts a child that ends, and passes signals on.
import cluster, { type Worker } from 'node:cluster';
import { monotonicMs, sleepMs } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import type { Metrics } from './foundation/metrics.ts';
import { MINUTE_MS, SECOND_MS } from './foundation/time.ts';
import { createMemoryRateLimiter } from './limits/memory-rate-limiter.ts';
import {
  type ChildReport,
  childArguments,
  type ReadyChild,
  type ReportKind,
  type ToChild,
  type ToParent,
} from './parent-link.ts';

export type ChildPlan = {
  name: string;
  listens: boolean;
  /** Added to the parent's environment. */
  env: Readonly<Record<string, string>>;
};

export type Processes = Awaited<ReturnType<typeof startProcesses>>;

const RESTART_MS = { first: SECOND_MS, max: 30 * SECOND_MS, resetAfter: MINUTE_MS };
/** Longer than a child takes for its own orderly stop. */
const STOP_WITHIN_MS = 8 * SECOND_MS;
const REPORT_WITHIN_MS = 2 * SECOND_MS;

/** Divides processes by role: of all, a quarter work in the background, at least one. */
export function rolesOf(role: 'all' | 'api' | 'worker', processes: number): ('api' | 'worker')[] {
  const workers =
    role === 'api' ? 0 : role === 'worker' ? processes : Math.max(1, Math.floor(processes / 4));
  return Array.from({ length: processes }, (_, index) =>
    index < processes - workers ? 'api' : 'worker',
  );
}

/**
 * Starts all children; resolves when each has reported that it is ready. Throws when one ends
 * before that: another start would end the same way.
 */
export async function startProcesses(
  plans: readonly ChildPlan[],
  { log, metrics, stopping }: { log: Log; metrics: Metrics; stopping: AbortSignal },
) {
  const limiter = createMemoryRateLimiter();
  const children = new Map<string, Worker>();
  const collecting = createCollecting(children, metrics);

  const onMessage = (child: Worker, message: ToParent): void => {
    if (message.kind === 'take') {
      const admissions = message.takes.map(([accountId, bucket, perSecond]) =>
        limiter.take(accountId, { bucket, perSecond }),
      );
      sendTo(child, { kind: 'taken', id: message.id, admissions });
    } else if (message.kind === 'collect') {
      void collecting.collect(message.what).then((reports) => {
        sendTo(child, { kind: 'collected', id: message.id, reports });
      });
    } else if (message.kind === 'report') collecting.arrived(message.id, message.report);
  };

  const fork = (plan: ChildPlan): Worker => {
    cluster.setupPrimary({ args: childArguments(plan.name, plan.listens) });
    const child = cluster.fork(plan.env);
    children.set(plan.name, child);
    // Writing to a child that has just died; its exit follows.
    child.on('error', (error) => log.debug({ reason: String(error) }, 'message not sent'));
    child.on('message', (message: ToParent) => onMessage(child, message));
    child.once('exit', () => children.delete(plan.name));
    return child;
  };

  const keepRunning = async (plan: ChildPlan, first: Worker): Promise<void> => {
    let child = first;
    for (let waitMs: number = RESTART_MS.first; ; ) {
      const startedAtMs = monotonicMs();
      const [code, signal] = await ended(child);
      if (stopping.aborted) return;
      if (monotonicMs() - startedAtMs > RESTART_MS.resetAfter) waitMs = RESTART_MS.first;
      log.error({ process: plan.name, code, signal, waitMs }, 'a process ended; it is restarted');
      metrics.restarts.inc({ process: plan.name });
      await sleepMs(waitMs, stopping).catch(() => {});
      if (stopping.aborted) return;
      waitMs = Math.min(waitMs * 2, RESTART_MS.max);
      child = fork(plan);
    }
  };

  const stop = async (): Promise<void> => {
    const ending = [...children.values()].map((child) => {
      child.process.kill('SIGTERM');
      return ended(child);
    });
    const deadline = setTimeout(() => {
      for (const child of children.values()) child.process.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await Promise.all(ending);
    clearTimeout(deadline);
  };

  const start = async (plan: ChildPlan): Promise<ReadyChild | null> => {
    const child = fork(plan);
    const state = await readyOrEnded(child);
    if (state === null && !stopping.aborted) throw new ChildEnded(plan.name);
    void keepRunning(plan, child);
    return state;
  };

  try {
    const ready = await Promise.all(plans.map(start));
    return { ready: ready.filter((state) => state !== null), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A child ended while starting; it has already explained why. */
export class ChildEnded extends Error {
  constructor(name: string) {
    super(`Process ${name} did not start.`);
  }
}

function sendTo(child: Worker, message: ToChild): void {
  if (child.isConnected()) child.send(message);
}

function ended(child: Worker): Promise<[code: number | null, signal: string | null]> {
  const { exitCode, signalCode } = child.process;
  if (exitCode !== null || signalCode !== null) return Promise.resolve([exitCode, signalCode]);
  return new Promise((resolve) => {
    child.once('exit', (code: number | null, signal: string | null) => resolve([code, signal]));
  });
}

function readyOrEnded(child: Worker): Promise<ReadyChild | null> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(null));
    child.on('message', (message: ToParent) => {
      if (message.kind === 'ready') resolve(message.ready);
    });
  });
}

/** Asks all children for their reports; one that does not respond in time is skipped. */
function createCollecting(children: ReadonlyMap<string, Worker>, metrics: Metrics) {
  let lastId = 0;
  const open = new Map<number, (report: ChildReport) => void>();
  const ask = (child: Worker, what: ReportKind): Promise<ChildReport | null> =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      const timer = setTimeout(() => {
        open.delete(id);
        resolve(null);
      }, REPORT_WITHIN_MS);
      open.set(id, (report) => {
        clearTimeout(timer);
        resolve(report);
      });
      sendTo(child, { kind: 'report', id, what });
    });
  return {
    arrived(id: number, report: ChildReport): void {
      open.get(id)?.(report);
      open.delete(id);
    },
    async collect(what: ReportKind): Promise<ChildReport[]> {
      const named = [...children];
      const reports = await Promise.all(named.map(([, child]) => ask(child, what)));
      const silent = named.filter((_, index) => reports[index] === null).map(([name]) => name);
      const ofParent: ChildReport = {
        metrics: what === 'metrics' ? await metrics.snapshot() : [],
        faults: silent.map((name) => `process ${name} does not respond`),
      };
      return [ofParent, ...reports.filter((report) => report !== null)];
    },
  };
}
