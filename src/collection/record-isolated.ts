// Records the snapshots of many products so that one that cannot be stored does not block the
// others.
import { isolate, isolateByGroup } from '../background/isolate.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import {
  type RecordContext,
  type RecordDeps,
  type Recorded,
  recordSnapshots,
} from './record-snapshot.ts';

/** How long to wait for a product that another session has locked. */
const LOCK_WAIT_MS = 500;

export type IsolatedRecording = {
  recorded: Recorded[];
  /** Snapshots that would fail again, with the reason. */
  refused: { snapshot: Snapshot; reason: string }[];
  /** Snapshots of products that are locked now. */
  left: Snapshot[];
};

/**
 * Splits a failing batch by product, and a failing product by snapshot. If `setAside` throws, its
 * snapshot is left.
 */
export async function recordIsolated(
  deps: RecordDeps,
  snapshots: readonly Snapshot[],
  options: {
    loop: string;
    context?: RecordContext;
    /** Called before a snapshot is reported as refused; by default does nothing. */
    setAside?: (snapshot: Snapshot, reason: string) => Promise<void>;
  },
): Promise<IsolatedRecording> {
  const { loop, context = {}, setAside = async () => {} } = options;
  const { log } = deps;
  const patient = { ...deps, db: withLockTimeout(deps.db, LOCK_WAIT_MS) };
  const outcome: IsolatedRecording = { recorded: [], refused: [], left: [] };
  const record = async (batch: readonly Snapshot[]) => {
    outcome.recorded.push(...(await recordSnapshots(patient, batch, context)));
  };
  const recordEach = async (group: readonly Snapshot[]) => {
    const { quarantined, left } = await isolate(group, {
      loop,
      log,
      keyOf: ({ code, observedAtMs }) => `${code} ${observedAtMs}`,
      run: record,
      setAside,
    });
    outcome.refused.push(...quarantined.map(({ item, reason }) => ({ snapshot: item, reason })));
    outcome.left.push(...left);
  };
  const products = [...Map.groupBy(snapshots, ({ code }) => code).values()];
  const { left } = await isolateByGroup(deps.db, products, {
    loop,
    ownerOf: (group) => (group[0] as Snapshot).code,
    log,
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
