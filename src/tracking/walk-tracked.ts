// Reads all tracked products of an account, page by page.
import type { Database } from '../database/database.ts';
import type { TrackedProduct } from './tracked-product.ts';
import { listTracked, type TrackedFilter, type TrackedPosition } from './tracked-products.ts';

const PAGE = 1_000;

/** Walks an account's list page by page: it can have a hundred thousand rows. */
export async function* walkTracked(
  db: Database,
  input: {
    accountId: string;
    before?: TrackedPosition | undefined;
    filter?: TrackedFilter | undefined;
  },
  queued: <T>(part: () => Promise<T>) => Promise<T> = (part) => part(),
): AsyncGenerator<TrackedProduct[], void, undefined> {
  let { before } = input;
  for (;;) {
    const page = { ...input, before, limit: PAGE };
    const rows: TrackedProduct[] = await queued(() => listTracked(db, page));
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    before = rows.at(-1);
  }
}
