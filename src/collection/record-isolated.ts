// Recording the snapshots of many products so that one that cannot be stored does not keep the others from it.
import { isolate } from '../background/isolate.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import {
  type RecordContext,
  type RecordDeps,
  type Recorded,
  recordSnapshots,
} from './record-snapshot.ts';

/** How long a product is waited for that another session keeps locked. */
const LOCK_WAIT_MS = 500;

export type IsolatedRecording = {
  recorded: Recorded[];
  /** What would fail again, with its reason. */
  refused: { snapshot: Snapshot; reason: string }[];
  /** Snapshots of products that are locked at the moment. */
  left: Snapshot[];
};

/** Splits by product first; of a product that fails, by snapshot. What `setAside` throws leaves its snapshot. */
export async function recordIsolated(
  deps: RecordDeps,
  snapshots: readonly Snapshot[],
  options: {
    loop: string;
    context?: RecordContext;
    /** Before a snapshot is reported as refused; nothing unless given. */
    setAside?: (snapshot: Snapshot, reason: string) => Promise<void>;
  },
): Promise<IsolatedRecording> {
  const { loop, context = {}, setAside = async () => {} } = options;
  const patient = { ...deps, db: withLockTimeout(deps.db, LOCK_WAIT_MS) };
  const outcome: IsolatedRecording = { recorded: [], refused: [], left: [] };
  const record = async (some: readonly Snapshot[]) => {
    outcome.recorded.push(...(await recordSnapshots(patient, some, context)));
  };
  const recordEach = async (some: readonly Snapshot[]) => {
    const { quarantined, left } = await isolate(some, {
      ...{ loop, log: deps.log, run: record, setAside },
      keyOf: ({ code, observedAtMs }) => `${code} ${observedAtMs}`,
    });
    outcome.refused.push(...quarantined.map(({ item, reason }) => ({ snapshot: item, reason })));
    outcome.left.push(...left);
  };
  const { left } = await isolate([...Map.groupBy(snapshots, ({ code }) => code).values()], {
    ...{ loop, log: deps.log },
    keyOf: (group) => (group[0] as Snapshot).code,
    run: (batch) => record(batch.flat()),
    setAside: async (group) => {
      await recordEach(group);
      return 'opened';
    },
  });
  outcome.left.push(...left.flat());
  return outcome;
}
