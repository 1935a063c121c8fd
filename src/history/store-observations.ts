// Stores observations: newer ones are appended to the tail in the product's row, a long tail is
// moved into runs, and late ones are merged into the tail or the runs. The caller holds the lock on
// the products' rows.
import type { ProductTail } from '../catalog/product-row.ts';
import type { Transaction } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import { greater, mergeObservations, type Observation } from './observation.ts';
import { DamagedBlock } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import { packAppended, packEvenRuns, packRuns, unpackObservations } from './packed-observations.ts';
import {
  checksumOf,
  deleteRuns,
  insertRuns,
  isIntact,
  isTailIntact,
  RUN_BYTES_MAX,
  type Run,
  type RunKey,
  runsAround,
  type Stream,
  setRunsAside,
} from './runs.ts';

/** A longer tail is moved into runs. */
export const TAIL_BYTES_MAX = 1_200;

/** Runs hold the observations up to and including `runsUntilSeconds`, the tail those after it. */
type Tail = ProductTail;

const EMPTY_BYTES = { bytes: Buffer.alloc(0), checksum: 0 };

export const EMPTY_TAIL: Tail = {
  ...EMPTY_BYTES,
  runsUntilSeconds: null,
  backfilledAtMs: null,
  salesStaleFromDay: null,
};

export type StoreInput = {
  code: string;
  tail: Tail;
  /** Ascending, one per second. */
  observations: readonly Observation[];
};

export type StoredTail = {
  tail: Tail;
  /** The bytes to append to the stored tail; null: replace the stored tail by `tail.bytes`. */
  appended: Buffer | null;
  /** Observations that were added or replaced. */
  changed: number;
};

/**
 * Stores the observations of different products and returns their tails in the same order. Damaged
 * blocks are logged and set aside; they do not fail the call.
 */
export async function storeObservations(
  tx: Transaction,
  log: Log,
  inputs: readonly StoreInput[],
): Promise<StoredTail[]> {
  const plans = inputs.map((input) => planTail(log, input));
  const runInputs = plans.flatMap(({ intoRuns, moved }, index) =>
    intoRuns.length === 0
      ? []
      : [{ code: (inputs[index] as StoreInput).code, observations: intoRuns, atEnd: moved > 0 }],
  );
  const changedInRuns = await mergeIntoRuns(tx, log, runInputs);
  return plans.map((plan, index) => ({
    tail: plan.tail,
    appended: plan.appended,
    // Observations that only moved from the tail were counted when they were first stored.
    changed:
      plan.changed + (changedInRuns.get((inputs[index] as StoreInput).code) ?? 0) - plan.moved,
  }));
}

type TailPlan = StoredTail & {
  intoRuns: readonly Observation[];
  /** How many of those were moved out of the tail. */
  moved: number;
};

function planTail(log: Log, input: StoreInput): TailPlan {
  const { runsUntilSeconds } = input.tail;
  const firstNew =
    runsUntilSeconds === null
      ? 0
      : input.observations.findIndex((observation) => observation.atSeconds > runsUntilSeconds);
  const late = firstNew === -1 ? input.observations : input.observations.slice(0, firstNew);
  const newer = firstNew === -1 ? [] : input.observations.slice(firstNew);
  const unchanged = { tail: input.tail, appended: Buffer.alloc(0), changed: 0 };
  if (newer.length === 0) return { ...unchanged, intoRuns: late, moved: 0 };

  const stored = appendToTail(log, input, newer) ?? rewriteTail(input, newer);
  if (stored.tail.bytes.length <= TAIL_BYTES_MAX) return { ...stored, intoRuns: late, moved: 0 };
  const observations = unpackObservations(stored.tail.bytes);
  const last = observations.at(-1) as Observation;
  return {
    tail: { ...input.tail, ...EMPTY_BYTES, runsUntilSeconds: last.atSeconds },
    appended: null,
    changed: stored.changed,
    intoRuns: [...late, ...observations],
    moved: observations.length,
  };
}

/** The usual case: all observations are newer than the tail. Returns null if they are not. */
function appendToTail(
  log: Log,
  input: StoreInput,
  newer: readonly Observation[],
): StoredTail | null {
  const bytes = intactTail(log, input);
  const cursor = new PackedCursor(bytes);
  while (cursor.next());
  const first = newer[0] as Observation;
  if (cursor.count > 0 && cursor.state.atSeconds >= first.atSeconds) return null;
  const step = first.atSeconds - (input.tail.runsUntilSeconds ?? first.atSeconds);
  const appended = packAppended(cursor, newer, step);
  const checksum = checksumOf(appended, cursor.count === 0 ? 0 : input.tail.checksum);
  const isWhole = bytes.length === input.tail.bytes.length;
  return {
    tail: { ...input.tail, bytes: Buffer.concat([bytes, appended]), checksum },
    appended: isWhole ? appended : null,
    changed: newer.length,
  };
}

function rewriteTail(input: StoreInput, newer: readonly Observation[]): StoredTail {
  const { observations, changed } = mergeObservations(unpackObservations(input.tail.bytes), newer);
  const [run] = packRuns(observations, Number.POSITIVE_INFINITY);
  const bytes = run?.bytes ?? Buffer.alloc(0);
  return {
    tail: { ...input.tail, bytes, checksum: checksumOf(bytes) },
    appended: null,
    changed,
  };
}

/** The bytes of the tail; none if it is damaged. */
function intactTail(log: Log, { code, tail }: StoreInput): Buffer {
  if (isTailIntact(tail)) return tail.bytes;
  log.error(
    { code, damaged: tail.bytes.toString('base64') },
    'damaged tail replaced; its bytes are in this line',
  );
  return Buffer.alloc(0);
}

/** atEnd: the observations include the newest of the product. */
type RunInput = { code: string; observations: readonly Observation[]; atEnd: boolean };

/** Merges observations into the runs around them. Returns the number of changes by product. */
async function mergeIntoRuns(
  tx: Transaction,
  log: Log,
  runInputs: readonly RunInput[],
): Promise<Map<string, number>> {
  const changed = new Map<string, number>();
  if (runInputs.length === 0) return changed;
  const around = await runsAround(
    tx,
    runInputs.map(({ code, observations }) => ({
      code,
      fromAtSeconds: (observations[0] as Observation).atSeconds,
      toAtSeconds: (observations.at(-1) as Observation).atSeconds,
    })),
  );
  const byProduct = Map.groupBy(around, (run) => run.code);
  const replaced: RunKey[] = [];
  const damaged: RunKey[] = [];
  const written: Parameters<typeof insertRuns>[1][number][] = [];
  for (const { code, observations, atEnd } of runInputs) {
    const opened = openRuns(log, byProduct.get(code) ?? []);
    damaged.push(...opened.damaged);
    const merged = mergeStreams(opened.observations, observations);
    changed.set(code, merged.changed);
    if (merged.changed === 0) continue;
    replaced.push(...opened.intact);
    const pack = atEnd ? packRuns : packEvenRuns;
    for (const stream of ['box', 'shelf'] as const) {
      for (const run of pack(merged.observations[stream], RUN_BYTES_MAX)) {
        written.push({ code, stream, run });
      }
    }
  }
  await setRunsAside(tx, damaged);
  await deleteRuns(tx, replaced);
  await insertRuns(tx, written);
  return changed;
}

type Streams = Record<Stream, Observation[]>;

function openRuns(log: Log, runs: readonly Run[]) {
  const observations: Streams = { box: [], shelf: [] };
  const intact: RunKey[] = [];
  const damaged: RunKey[] = [];
  for (const run of runs) {
    try {
      if (!isIntact(run)) throw new DamagedBlock('its checksum differs');
      observations[run.stream].push(...unpackObservations(run.packed));
      intact.push(run);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      const { code, stream, firstAtSeconds } = run;
      log.error({ code, stream, firstAtSeconds, reason: error.message }, 'damaged run set aside');
      damaged.push(run);
    }
  }
  return { observations, intact, damaged };
}

const hasBox = (observation: Observation) => observation.buybox !== undefined;
const hasShelf = (observation: Observation) =>
  observation.rank !== undefined || observation.offers !== undefined;

const boxPart = (observation: Observation): Observation => ({
  ...observation,
  rank: undefined,
  offers: undefined,
  offersComplete: false,
});
const shelfPart = (observation: Observation): Observation => ({
  ...observation,
  buybox: undefined,
});

/**
 * Merges observations into both streams. The parts that the streams hold of one observation are
 * joined before they are compared with an incoming one.
 */
function mergeStreams(
  stored: Streams,
  incoming: readonly Observation[],
): { observations: Streams; changed: number } {
  const boxes = new Map(stored.box.map((observation) => [observation.atSeconds, observation]));
  const shelves = new Map(stored.shelf.map((observation) => [observation.atSeconds, observation]));
  const winners: Observation[] = [];
  const replaced = new Set<number>();
  for (const observation of incoming) {
    const box = boxes.get(observation.atSeconds);
    const shelf = shelves.get(observation.atSeconds);
    if (box === undefined && shelf === undefined) winners.push(observation);
    else {
      const rival = { ...(shelf ?? (box as Observation)), buybox: box?.buybox };
      if (greater(rival, observation) === rival) continue;
      winners.push(observation);
      replaced.add(observation.atSeconds);
    }
  }
  const remaining = (observations: readonly Observation[]) =>
    replaced.size === 0
      ? observations
      : observations.filter((observation) => !replaced.has(observation.atSeconds));
  return {
    observations: {
      box: mergeObservations(remaining(stored.box), winners.filter(hasBox).map(boxPart))
        .observations,
      shelf: mergeObservations(remaining(stored.shelf), winners.filter(hasShelf).map(shelfPart))
        .observations,
    },
    changed: winners.length,
  };
}
