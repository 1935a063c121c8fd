// The messages between the parent process and its children, and a child's end of them. Only with
// PROCESSES above 1.
import cluster from 'node:cluster';
import type { MetricsSnapshot } from './foundation/metrics.ts';
import type { TakeAtParent, TakeRequest } from './limits/parent-rate-limiter.ts';
import type { Admission } from './limits/rate-limiter.ts';

/** What a child reports about itself for /metrics and /readyz of any of them. */
export type ChildReport = {
  /** Empty unless they were requested. */
  metrics: MetricsSnapshot;
  /** Why it is not well, as sentences without a full stop. */
  faults: readonly string[];
};

export type ReportKind = 'metrics' | 'faults';

/** Where a child listens; null for one that does not. */
export type ReadyChild = { address: string | null; publicUrl: string; clockSpeed: number };

export type ToParent =
  | { kind: 'ready'; ready: ReadyChild }
  | { kind: 'take'; id: number; takes: readonly TakeRequest[] }
  | { kind: 'collect'; id: number; what: ReportKind }
  | { kind: 'report'; id: number; report: ChildReport };

export type ToChild =
  | { kind: 'taken'; id: number; admissions: readonly Admission[] }
  | { kind: 'report'; id: number; what: ReportKind }
  | { kind: 'collected'; id: number; reports: readonly ChildReport[] };

export type ParentLink = ReturnType<typeof openParentLink>;

/** The arguments of a child; the operating system's list of processes shows its name. */
export const childArguments = (name: string, listens: boolean): string[] => [
  name,
  listens ? 'listens' : 'works',
];

/** This process's name and whether it listens, if it is a child. */
export function childIdentity(): { name: string; listens: boolean } | null {
  if (!cluster.isWorker) return null;
  const [name = '', role] = process.argv.slice(2);
  return { name, listens: role === 'listens' };
}

/** Call it in a child only. */
export function openParentLink() {
  let lastId = 0;
  const pending = new Map<number, (message: ToChild) => void>();
  let report: ((what: ReportKind) => Promise<ChildReport>) | null = null;
  const send = (message: ToParent) => {
    // A parent that is gone ends this process; see onParentLost.
    if (process.connected) process.send?.(message);
  };
  const request = (message: (id: number) => ToParent): Promise<ToChild> =>
    new Promise((resolve) => {
      lastId += 1;
      pending.set(lastId, resolve);
      send(message(lastId));
    });

  process.on('message', (message: ToChild) => {
    if (message.kind === 'report') {
      const { id, what } = message;
      void report?.(what).then((current) => send({ kind: 'report', id, report: current }));
      return;
    }
    pending.get(message.id)?.(message);
    pending.delete(message.id);
  });

  const takeAtParent: TakeAtParent = async (takes) => {
    const message = await request((id) => ({ kind: 'take', id, takes }));
    return message.kind === 'taken' ? message.admissions : [];
  };

  return {
    takeAtParent,
    ready: (ready: ReadyChild) => send({ kind: 'ready', ready }),
    /** Sets how this child describes itself. */
    reportBy(describe: (what: ReportKind) => Promise<ChildReport>): void {
      report = describe;
    },
    /** The reports of the parent and all its children. */
    async collect(what: ReportKind): Promise<readonly ChildReport[]> {
      const message = await request((id) => ({ kind: 'collect', id, what }));
      return message.kind === 'collected' ? message.reports : [];
    },
    onParentLost: (act: () => void) => void process.once('disconnect', act),
  };
}
