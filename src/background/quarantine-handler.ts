// How a loop retries or drops its quarantined items.
import type { Database, Transaction } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { type QuarantinedItem, removeQuarantined } from './quarantined-items.ts';

export type HandlerDeps = { db: Database; clock: Clock; log: Log };

export type QuarantineHandler = {
  loop: string;
  /** Schedules the item to be tried now and removes it from the quarantine (`release`). */
  retry: (deps: HandlerDeps, item: QuarantinedItem) => Promise<void>;
  drop:
    | {
        /** What is lost for good, in a sentence for the operator. */
        means: string;
        /** The money lost with this item, in words; null if none. */
        losesMoney?: (item: QuarantinedItem) => string | null;
        /** Further changes. Without it, the item is only removed. */
        run?: (tx: Transaction, item: QuarantinedItem) => Promise<void>;
      }
    | { refusedBecause: string };
};

/** Removes an item from the quarantine in the transaction that reschedules or ends it. */
export function release(
  { db }: Pick<HandlerDeps, 'db'>,
  item: QuarantinedItem,
  alongside: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await removeQuarantined(tx, item))) {
      throw new Problem(
        'quarantine_item_changed',
        `Item ${item.quarantineId} has changed in the meantime. List the items again.`,
      );
    }
    await alongside(tx);
  });
}
