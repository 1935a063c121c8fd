// Batches items of concurrent requests into one statement (group commit, batched look-ups). No
// timer: the first item goes out at the end of the current turn of the event loop; items that
// arrive while the allowed statements run go out together with the next one.
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { DatabaseAway, isBusy } from './failure.ts';
import { lane } from './families.ts';
import type { LaneGroups } from './lane-groups.ts';

/** The result of an item that failed alone; only its caller gets the error. */
export class Failed {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

export type BatchResult<Result> = Result | Failed | Promise<Result>;

export type BatchSettings<Item, Result> = {
  /** Name of the items for messages: "charges". */
  name: string;
  /**
   * Returns one result per item, in order; a slow one may be a promise. If it throws, it must have
   * had no effect: it is called again with each half of the items until the failing item is alone.
   * An unreachable database fails the whole batch.
   */
  run(items: readonly Item[]): Promise<readonly BatchResult<Result>[]>;
  itemsMax: number;
  waitingMax: number;
  /** An item that waited longer is refused without an attempt. */
  waitMaxMs: number;
  inFlightMax: number;
};

export type Batch<Item, Result> = {
  add(item: Item): Promise<Result>;
  waiting(): number;
  /** Age of the oldest item that is still queued. */
  oldestWaitMs(): number;
  /** Resolves when everything added so far has its result. */
  drain(): Promise<void>;
};

type Waiting<Item, Result> = {
  item: Item;
  sinceMs: number;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
};

/** What decides about an item's group: its key, or its lane where that is known. */
type Grouping<Item> =
  | { keyOf: (item: Item) => string; laneOf?: undefined }
  | { keyOf?: undefined; laneOf: (item: Item) => number };

/**
 * One batch per lane group, each with its own queue and statements in flight: a slow or unreachable
 * shard delays only its own items.
 */
export function createGroupedBatch<Item, Result>(
  { groups }: { groups: LaneGroups },
  { keyOf, laneOf, ...settings }: BatchSettings<Item, Result> & Grouping<Item>,
): Batch<Item, Result> {
  const groupOf = (item: Item) => groups.groupOf(keyOf ? lane(keyOf(item)) : laneOf(item));
  const batches = new Map<number, Batch<Item, Result>>();
  const batchOf = (group: number) => {
    const existing = batches.get(group);
    if (existing !== undefined) return existing;
    const created = createBatch(settings);
    batches.set(group, created);
    return created;
  };
  const all = () => [...batches.values()];
  return {
    add: (item) => batchOf(groups.count() === 1 ? 0 : groupOf(item)).add(item),
    waiting: () => all().reduce((sum, batch) => sum + batch.waiting(), 0),
    oldestWaitMs: () => Math.max(0, ...all().map((batch) => batch.oldestWaitMs())),
    drain: async () => {
      await Promise.all(all().map((batch) => batch.drain()));
    },
  };
}

export function createBatch<Item, Result>(
  settings: BatchSettings<Item, Result>,
): Batch<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let dispatchPlanned = false;
  let drained: (() => void)[] = [];

  const overloaded = () =>
    new Problem(
      'overloaded',
      'The service is overloaded at the moment. Nothing was charged; try again shortly.',
      { cause: new Error(`the queue of ${settings.name} is full or too old`) },
    );

  const planDispatch = () => {
    if (dispatchPlanned || queue.length === 0 || inFlight >= settings.inFlightMax) return;
    dispatchPlanned = true;
    setImmediate(dispatch);
  };

  const dispatch = () => {
    dispatchPlanned = false;
    const oldestAllowedMs = monotonicMs() - settings.waitMaxMs;
    const taken: Waiting<Item, Result>[] = [];
    let index = 0;
    for (; index < queue.length && taken.length < settings.itemsMax; index++) {
      const waiting = queue[index] as Waiting<Item, Result>;
      if (waiting.sinceMs < oldestAllowedMs) waiting.reject(overloaded());
      else taken.push(waiting);
    }
    queue = index === queue.length ? [] : queue.slice(index);
    if (taken.length > 0) void runTaken(taken);
    planDispatch();
    settleDrained();
  };

  const runTaken = async (taken: Waiting<Item, Result>[]) => {
    inFlight += 1;
    try {
      await runOrSplit(taken);
    } finally {
      inFlight -= 1;
      planDispatch();
      settleDrained();
    }
  };

  const runOrSplit = async (taken: Waiting<Item, Result>[]): Promise<void> => {
    let results: readonly BatchResult<Result>[];
    try {
      results = await settings.run(taken.map((waiting) => waiting.item));
    } catch (error) {
      if (taken.length === 1 || (error instanceof DatabaseAway && !isBusy(error))) {
        for (const waiting of taken) waiting.reject(error);
        return;
      }
      const half = Math.ceil(taken.length / 2);
      await runOrSplit(taken.slice(0, half));
      await runOrSplit(taken.slice(half));
      return;
    }
    const isWhole = results.length === taken.length;
    taken.forEach((waiting, index) => {
      const result = results[index] as BatchResult<Result>;
      if (!isWhole)
        waiting.reject(new Error(`impossible state: ${settings.name}: a result for each item`));
      else if (result instanceof Failed) waiting.reject(result.error);
      else waiting.resolve(result);
    });
  };

  const settleDrained = () => {
    if (queue.length > 0 || inFlight > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  };

  return {
    add(item) {
      if (queue.length >= settings.waitingMax) return Promise.reject(overloaded());
      return new Promise((resolve, reject) => {
        queue.push({ item, sinceMs: monotonicMs(), resolve, reject });
        planDispatch();
      });
    },
    waiting: () => queue.length,
    oldestWaitMs: () => (queue[0] === undefined ? 0 : monotonicMs() - queue[0].sinceMs),
    drain: () =>
      new Promise((resolve) => {
        drained.push(resolve);
        settleDrained();
      }),
  };
}
