// Keeps one bad item from stopping the others: a failing batch is split until the bad item is
// alone, which is quarantined with its reason; the rest is done in the same round. See
// docs/decisions/0014-one-bad-item.md.
import { blameFor } from '../database/blame.ts';
import { allOrFirstError, cutByGroup } from '../database/lane-groups.ts';
import type { Log } from '../foundation/log.ts';
import { withoutSecrets } from '../foundation/secret.ts';

export type Isolation<Item, Result> = {
  /** The slug of the work in the quarantine and the log. */
  loop: string;
  log: Log;
  /** Names an item in the log. */
  keyOf: (item: Item) => string;
  /** Processes items, all or none: in one transaction, or in one savepoint of a larger one. */
  run: (batch: readonly Item[]) => Promise<Result>;
  /**
   * Quarantines a bad item in the transaction that keeps it from being claimed again. If this
   * fails, the item counts as busy. Returns `opened` for an item of several parts that were
   * isolated in turn.
   */
  setAside: (item: Item, reason: string) => Promise<unknown>;
};

export type Isolated<Item, Result> = {
  /** What `run` returned for the batches that succeeded, in the order of the items. */
  results: Result[];
  done: Item[];
  quarantined: { item: Item; reason: string }[];
  /** Not done because of a lock or a timeout. Tried again in a later round. */
  left: Item[];
};

/**
 * Processes items in order. A sound batch costs one `run`; one bad item among n costs about
 * 2·log2(n) more. Throws if the service is to blame (blame.ts); what was not done is then
 * unchanged.
 */
export async function isolate<Item, Result>(
  items: readonly Item[],
  isolation: Isolation<Item, Result>,
): Promise<Isolated<Item, Result>> {
  const outcome: Isolated<Item, Result> = { results: [], done: [], quarantined: [], left: [] };
  if (items.length > 0) await attempt(items, isolation, outcome);
  return outcome;
}

/**
 * The same for items of many lanes: cut by the group of their owner (the key of their lane), so
 * that each `run` stays in one group. Groups run side by side, and an unreachable one fails alone:
 * its error is thrown after the others are done.
 */
export async function isolateByGroup<Item, Result>(
  db: Parameters<typeof cutByGroup>[0],
  items: readonly Item[],
  { ownerOf, ...isolation }: Isolation<Item, Result> & { ownerOf: (item: Item) => string },
): Promise<Isolated<Item, Result>> {
  const parts = cutByGroup(db, items, ownerOf);
  const outcomes = await allOrFirstError(parts.map((part) => isolate(part, isolation)));
  return {
    results: outcomes.flatMap(({ results }) => results),
    done: outcomes.flatMap(({ done }) => done),
    quarantined: outcomes.flatMap(({ quarantined }) => quarantined),
    left: outcomes.flatMap(({ left }) => left),
  };
}

async function attempt<Item, Result>(
  batch: readonly Item[],
  isolation: Isolation<Item, Result>,
  outcome: Isolated<Item, Result>,
): Promise<void> {
  try {
    outcome.results.push(await isolation.run(batch));
    outcome.done.push(...batch);
    return;
  } catch (error) {
    const blame = blameFor(error);
    if (blame === 'service') throw error;
    if (batch.length === 1) {
      await handleSingle(batch[0] as Item, { error, isBusy: blame === 'busy' }, isolation, outcome);
      return;
    }
  }
  const middle = Math.ceil(batch.length / 2);
  await attempt(batch.slice(0, middle), isolation, outcome);
  await attempt(batch.slice(middle), isolation, outcome);
}

async function handleSingle<Item, Result>(
  item: Item,
  { error, isBusy }: { error: unknown; isBusy: boolean },
  { loop, log, keyOf, setAside }: Isolation<Item, Result>,
  outcome: Isolated<Item, Result>,
): Promise<void> {
  const reason = reasonOf(error);
  const line = { loop, item: keyOf(item), reason };
  if (isBusy) {
    log.warn(line, 'item left for a later round');
    outcome.left.push(item);
    return;
  }
  try {
    if ((await setAside(item, reason)) === 'opened') return;
  } catch (failure) {
    if (blameFor(failure) === 'service') throw failure;
    log.error({ ...line, failure: reasonOf(failure) }, 'item could not be quarantined');
    outcome.left.push(item);
    return;
  }
  log.error(line, 'item quarantined');
  outcome.quarantined.push({ item, reason });
}

const REASON_CHARS_MAX = 500;

/**
 * What went wrong in words that PostgreSQL stores; never a row's contents, which the server puts
 * into `detail`.
 */
export function reasonOf(error: unknown): string {
  const parts = error instanceof Error ? (error as Error & Record<string, unknown>) : {};
  const text = error instanceof Error ? error.message : String(error);
  const where = ['code', 'table', 'column', 'constraint'].flatMap((name) =>
    typeof parts[name as keyof typeof parts] === 'string'
      ? [`${name} ${parts[name as keyof typeof parts]}`]
      : [],
  );
  const whole = `${text}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
  const stored = withoutSecrets(whole).replaceAll('\0', ' ').toWellFormed().trim();
  return stored.slice(0, REASON_CHARS_MAX).toWellFormed() || 'no reason given';
}
