// Lane groups: the lanes whose rows lie together. On one server that is one group of all lanes; on
// Citus each shard is one. Batches are cut by group before their transaction begins, so that a hot
// transaction touches one shard, needs no two-phase commit, and groups run side by side.
import { LANES, lane } from './families.ts';

export type LaneGroups = ReturnType<typeof createLaneGroups>;

/**
 * Starts with one group; `set` replaces it by what the database says. `onFailure` is called for a
 * group that failed while the others went on, so that it is seen.
 */
export function createLaneGroups(onFailure: (error: unknown) => void = () => {}) {
  let groupOfLane: readonly number[] = [];
  let lanesOfGroup: readonly (readonly number[])[] = [];
  const groups = {
    /** `groupNumbers[lane]` names the group of each lane; any numbers will do. */
    set(groupNumbers: readonly number[]): void {
      const byNumber = Map.groupBy(ALL_LANES, (number) => groupNumbers[number] ?? 0);
      lanesOfGroup = [...byNumber.values()];
      const position = new Map([...byNumber.keys()].map((number, index) => [number, index]));
      groupOfLane = ALL_LANES.map((number) => position.get(groupNumbers[number] ?? 0) as number);
    },
    count: (): number => lanesOfGroup.length,
    groupOf: (laneNumber: number): number => groupOfLane[laneNumber] as number,
    lanesOf: (group: number): readonly number[] => lanesOfGroup[group] as readonly number[],
    onFailure,
  };
  groups.set([]);
  return groups;
}

const ALL_LANES: readonly number[] = Array.from({ length: LANES }, (_, number) => number);

/**
 * Reads which lanes lie together: the shard of each lane on Citus, one group elsewhere. Splitting a
 * shard needs a restart of the processes; moving one does not change its lanes.
 */
export async function readLaneGroups(db: {
  query<Row>(text: string): Promise<Row[]>;
}): Promise<number[]> {
  const [citus] = await db.query<{ exists: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`,
  );
  if (citus?.exists !== true) return [];
  const hashed = await db.query(
    `select from pg_catalog.pg_dist_partition
      where logicalrelid = to_regclass('accounts') and partmethod = 'h'`,
  );
  if (hashed.length === 0) return [];
  const rows = await db.query<{ shard: number }>(
    `select get_shard_id_for_distribution_column('accounts', lane::smallint) as shard
       from generate_series(0, ${LANES - 1}) as lanes(lane) order by lane`,
  );
  return rows.map(({ shard }) => shard);
}

/** A transaction has no groups: its items were cut before it began. */
type MayHaveGroups = { readonly groups?: LaneGroups };
type HasGroups = { readonly groups: LaneGroups };

/** Cuts items by the group of their key, in order; on one server nothing is hashed. */
export function cutByGroup<Item>(
  { groups }: MayHaveGroups,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (readonly Item[])[] {
  if (items.length === 0) return [];
  if (items.length === 1 || groups === undefined || groups.count() === 1) return [items];
  return [...Map.groupBy(items, (item) => groups.groupOf(lane(keyOf(item)))).values()];
}

/**
 * Runs `work` on each group's items, side by side; returns the results in the order of the parts.
 * All parts end before the first error is thrown, so that no statement is left running.
 */
export async function inGroups<Item, Result>(
  db: MayHaveGroups,
  items: readonly Item[],
  input: { keyOf: (item: Item) => string; work: (part: readonly Item[]) => Promise<Result> },
): Promise<Result[]> {
  const parts = cutByGroup(db, items, input.keyOf);
  if (parts.length < 2) return parts[0] === undefined ? [] : [await input.work(parts[0])];
  return allOrFirstError(parts.map((part) => input.work(part)));
}

/** The same for work that returns one result per item: all results, in the order of the items. */
export async function mapInGroups<Item, Result>(
  db: MayHaveGroups,
  items: readonly Item[],
  input: { keyOf: (item: Item) => string; work: (part: readonly Item[]) => Promise<Result[]> },
): Promise<Result[]> {
  if (db.groups === undefined || db.groups.count() === 1) return input.work(items);
  const results = new Array<Result>(items.length);
  const numbered = items.map((item, index) => ({ item, index }));
  await inGroups(db, numbered, {
    keyOf: ({ item }) => input.keyOf(item),
    work: async (part) => {
      const partResults = await input.work(part.map(({ item }) => item));
      part.forEach(({ index }, position) => {
        results[index] = partResults[position] as Result;
      });
    },
  });
  return results;
}

/** Reads rows of all lanes, one group after the other; fails if one of them fails. */
export async function readAllGroups<Row>(
  { groups }: HasGroups,
  read: (lanes: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let group = 0; group < groups.count(); group++) {
    rows.push(...(await read(groups.lanesOf(group))));
  }
  return rows;
}

/** Reads the rows of many keys with one statement per group. */
export async function readInGroups<Row>(
  db: MayHaveGroups,
  keys: readonly string[],
  read: (part: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  return (await inGroups(db, keys, { keyOf: (key) => key, work: read })).flat();
}

export async function allOrFirstError<Result>(running: Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(running);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<Result>).value);
}

/** A group's turn in a round of claims: its lanes as a parameter, and the room that is left. */
export type GroupTurn = { lanes: readonly number[]; limit: number };

/**
 * Asks one group after the other until `limit` items are found. Each call starts one group further,
 * so that no lane starves behind a full one. A group that fails does not stop the others: the error
 * is thrown only if nothing was found, and reported otherwise.
 */
export function createGroupRotation({ groups }: HasGroups) {
  let start = Math.floor(Math.random() * groups.count());
  return async <Item>(
    limit: number,
    ask: (turn: GroupTurn) => Promise<readonly Item[]>,
  ): Promise<Item[]> => {
    const items: Item[] = [];
    let failure: { error: unknown } | undefined;
    const count = groups.count();
    start = (start + 1) % count;
    for (let turn = 0; turn < count && items.length < limit; turn++) {
      const lanes = groups.lanesOf((start + turn) % count);
      try {
        items.push(...(await ask({ lanes, limit: limit - items.length })));
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure === undefined) return items;
    if (items.length === 0) throw failure.error;
    groups.onFailure(failure.error);
    return items;
  };
}

const rotations = new WeakMap<LaneGroups, Map<string, ReturnType<typeof createGroupRotation>>>();

/** The rotation of a named poll: it continues where the process's last round ended. */
export function rotationOf(db: HasGroups, name: string): ReturnType<typeof createGroupRotation> {
  const byName = rotations.get(db.groups) ?? new Map();
  rotations.set(db.groups, byName);
  const rotation = byName.get(name) ?? createGroupRotation(db);
  byName.set(name, rotation);
  return rotation;
}

/**
 * Runs `work` for the lanes of each group, side by side: for changes of rows whose lane is not
 * known. All end before the first error is thrown.
 */
export function inEachGroup<Result>(
  { groups }: HasGroups,
  work: (lanes: readonly number[]) => Promise<Result>,
): Promise<Result[]> {
  const all = Array.from({ length: groups.count() }, (_, group) => groups.lanesOf(group));
  return allOrFirstError(all.map((lanes) => work(lanes)));
}

/** Reads from each group; reports and skips a group that fails, unless all of them fail. */
export async function fromEachGroup<Row>(
  db: HasGroups,
  read: (lanes: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const failures: unknown[] = [];
  const parts = await inEachGroup(db, (lanes) =>
    read(lanes).catch((error): readonly Row[] => {
      failures.push(error);
      return [];
    }),
  );
  if (failures.length === parts.length) throw failures[0];
  for (const failure of failures) db.groups.onFailure(failure);
  return parts.flat();
}
