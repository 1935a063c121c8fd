// What each loop says about its quarantined items: how one is tried again, and what dropping it means.
import type { Database, Transaction } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { type QuarantinedItem, removeQuarantined } from './quarantined-items.ts';

export type HandlerDeps = { db: Database; clock: Clock; log: Log };

export type QuarantineHandler = {
  loop: string;
  /** Puts the item back to be tried now, and takes it out of the quarantine (`release`). */
  retry: (deps: HandlerDeps, item: QuarantinedItem) => Promise<void>;
  drop:
    | {
        /** What is gone for good afterwards, in a sentence for the operator. */
        means: string;
        /** The money that would be lost with this item, in words; null when none would. */
        losesMoney?: (item: QuarantinedItem) => string | null;
        /** Further changes; without, the item is only forgotten. */
        run?: (tx: Transaction, item: QuarantinedItem) => Promise<void>;
      }
    | { refusedBecause: string };
};

/** Takes an item out of the quarantine in the transaction that puts it back or ends it. */
export function release(
  { db }: Pick<HandlerDeps, 'db'>,
  item: QuarantinedItem,
  alongside: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await removeQuarantined(tx, item))) {
      throw new Problem(
        'quarantine_item_changed',
        `Item ${item.quarantineId} has changed meanwhile. List again.`,
      );
    }
    await alongside(tx);
  });
}
