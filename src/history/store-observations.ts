// Keeping looks: newer ones are written behind the tail in the product's row, a long tail is moved into
// runs, and late ones are put where they belong. The caller holds the lock on the products' rows.
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
  RUN_BYTES_MAX,
  type Run,
  type RunKey,
  runsAround,
  type Stream,
  setRunsAside,
} from './runs.ts';

/** A tail longer than this is moved into runs. */
export const TAIL_BYTES_MAX = 1_200;

/** All looks in runs are at or before `runsUntil`, all in the tail after it. */
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
  /** Ascending, one for each second. */
  observations: readonly Observation[];
};

export type StoredTail = {
  tail: Tail;
  /** What to write behind the stored bytes; null: the tail is written anew. */
  appended: Buffer | null;
  /** Looks that were not known as they are now. */
  changed: number;
};

/** Keeps looks of different products; answers in order. Damage is reported and set aside, not thrown. */
export async function storeObservations(
  tx: Transaction,
  log: Log,
  inputs: readonly StoreInput[],
): Promise<StoredTail[]> {
  const plans = inputs.map((input) => planTail(log, input));
  const moving = plans.flatMap(({ intoRuns, moved }, index) =>
    intoRuns.length === 0
      ? []
      : [{ code: (inputs[index] as StoreInput).code, observations: intoRuns, atEnd: moved > 0 }],
  );
  const changedInRuns = await putIntoRuns(tx, log, moving);
  return plans.map((plan, index) => ({
    tail: plan.tail,
    appended: plan.appended,
    // Looks that were in the tail before and only moved were counted when they came.
    changed:
      plan.changed + (changedInRuns.get((inputs[index] as StoreInput).code) ?? 0) - plan.moved,
  }));
}

type TailPlan = StoredTail & {
  intoRuns: readonly Observation[];
  /** How many of those came out of the tail. */
  moved: number;
};

function planTail(log: Log, input: StoreInput): TailPlan {
  const { runsUntilSeconds } = input.tail;
  const firstNew =
    runsUntilSeconds === null
      ? 0
      : input.observations.findIndex((observation) => observation.atSeconds > runsUntilSeconds);
  const late = firstNew === -1 ? input.observations : input.observations.slice(0, firstNew);
  const coming = firstNew === -1 ? [] : input.observations.slice(firstNew);
  const unchanged = { tail: input.tail, appended: Buffer.alloc(0), changed: 0 };
  if (coming.length === 0) return { ...unchanged, intoRuns: late, moved: 0 };

  const behind = writeBehind(log, input, coming);
  const whole = behind ?? writeAnew(input, coming);
  if (whole.tail.bytes.length <= TAIL_BYTES_MAX) return { ...whole, intoRuns: late, moved: 0 };
  const observations = unpackObservations(whole.tail.bytes);
  const last = observations.at(-1) as Observation;
  return {
    tail: { ...input.tail, ...EMPTY_BYTES, runsUntilSeconds: last.atSeconds },
    appended: null,
    changed: whole.changed,
    intoRuns: [...late, ...observations],
    moved: observations.length,
  };
}

/** The usual way: all looks are newer than the tail. null when they are not. */
function writeBehind(
  log: Log,
  input: StoreInput,
  coming: readonly Observation[],
): StoredTail | null {
  const bytes = soundTail(log, input);
  const cursor = new PackedCursor(bytes);
  while (cursor.next());
  const first = coming[0] as Observation;
  if (cursor.count > 0 && cursor.state.atSeconds >= first.atSeconds) return null;
  const step = first.atSeconds - (input.tail.runsUntilSeconds ?? first.atSeconds);
  const appended = packAppended(cursor, coming, step);
  const checksum = checksumOf(appended, cursor.count === 0 ? 0 : input.tail.checksum);
  const isWhole = bytes.length === input.tail.bytes.length;
  return {
    tail: { ...input.tail, bytes: Buffer.concat([bytes, appended]), checksum },
    appended: isWhole ? appended : null,
    changed: coming.length,
  };
}

function writeAnew(input: StoreInput, coming: readonly Observation[]): StoredTail {
  const { observations, changed } = mergeObservations(unpackObservations(input.tail.bytes), coming);
  const [run] = packRuns(observations, Number.POSITIVE_INFINITY);
  const bytes = run?.bytes ?? Buffer.alloc(0);
  return {
    tail: { ...input.tail, bytes, checksum: checksumOf(bytes) },
    appended: null,
    changed,
  };
}

/** The tail's bytes, or none where they are not what was written. */
function soundTail(log: Log, { code, tail }: StoreInput): Buffer {
  if (checksumOf(tail.bytes) === tail.checksum) return tail.bytes;
  log.error(
    { code, damaged: tail.bytes.toString('base64') },
    'the tail of a product is damaged; it begins anew, what it held is in this line',
  );
  return Buffer.alloc(0);
}

/** atEnd: the newest of the looks are the newest of the product. */
type Moving = { code: string; observations: readonly Observation[]; atEnd: boolean };

/** Merges looks into the runs around them; answers how many of each product were not known before. */
async function putIntoRuns(
  tx: Transaction,
  log: Log,
  moving: readonly Moving[],
): Promise<Map<string, number>> {
  const changed = new Map<string, number>();
  if (moving.length === 0) return changed;
  const around = await runsAround(
    tx,
    moving.map(({ code, observations }) => ({
      code,
      fromAtSeconds: (observations[0] as Observation).atSeconds,
      toAtSeconds: (observations.at(-1) as Observation).atSeconds,
    })),
  );
  const byProduct = Map.groupBy(around, (run) => run.code);
  const gone: RunKey[] = [];
  const damaged: RunKey[] = [];
  const written: Parameters<typeof insertRuns>[1][number][] = [];
  for (const { code, observations, atEnd } of moving) {
    const opened = openRuns(log, byProduct.get(code) ?? []);
    damaged.push(...opened.damaged);
    const merged = mergeStreams(opened.observations, observations);
    changed.set(code, merged.changed);
    if (merged.changed === 0) continue;
    gone.push(...opened.sound);
    const pack = atEnd ? packRuns : packEvenRuns;
    for (const stream of ['box', 'shelf'] as const) {
      for (const run of pack(merged.observations[stream], RUN_BYTES_MAX)) {
        written.push({ code, stream, run });
      }
    }
  }
  await setRunsAside(tx, damaged);
  await deleteRuns(tx, gone);
  await insertRuns(tx, written);
  return changed;
}

type Streams = Record<Stream, Observation[]>;

function openRuns(log: Log, runs: readonly Run[]) {
  const observations: Streams = { box: [], shelf: [] };
  const sound: RunKey[] = [];
  const damaged: RunKey[] = [];
  for (const run of runs) {
    try {
      if (!isIntact(run)) throw new DamagedBlock('its checksum differs');
      observations[run.stream].push(...unpackObservations(run.packed));
      sound.push(run);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      const { code, stream, firstAtSeconds } = run;
      log.error(
        { code, stream, firstAtSeconds, reason: error.message },
        'a run is damaged; set aside',
      );
      damaged.push(run);
    }
  }
  return { observations, sound, damaged };
}

const isBoxSeen = (observation: Observation) => observation.buybox !== undefined;
const isShelfSeen = (observation: Observation) =>
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

/** Looks are compared whole, also where the two streams hold them in two parts. */
function mergeStreams(
  kept: Streams,
  coming: readonly Observation[],
): { observations: Streams; changed: number } {
  const boxes = new Map(kept.box.map((observation) => [observation.atSeconds, observation]));
  const shelves = new Map(kept.shelf.map((observation) => [observation.atSeconds, observation]));
  const winners: Observation[] = [];
  const replaced = new Set<number>();
  for (const observation of coming) {
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
      box: mergeObservations(remaining(kept.box), winners.filter(isBoxSeen).map(boxPart))
        .observations,
      shelf: mergeObservations(remaining(kept.shelf), winners.filter(isShelfSeen).map(shelfPart))
        .observations,
    },
    changed: winners.length,
  };
}
