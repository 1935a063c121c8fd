// Writes everything of an account as NDJSON into a zip archive: one file per kind and a manifest
// with counts. Cursors in one read-only transaction keep all files at one point in time and memory
// bounded.
import type { Writable } from 'node:stream';
import type { Database, Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { type Clock, isoTime, monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { MINUTE_MS } from '../foundation/time.ts';
import { EXPORTS } from './account-tables.ts';
import { createZipArchive, FILE_BYTES_MAX, STALLED_MAX_MS } from './zip-archive.ts';

const ROWS_AT_ONCE = 500;
/** The longest that an export may hold a snapshot of the database. */
const EXPORT_MAX_MS = 30 * MINUTE_MS;

export type Manifest = {
  format: 'oversight-account-export';
  version: 1;
  account_id: string;
  exported_at: string;
  /** Rows by file. */
  files: Record<string, number>;
};

type Deps = { db: Database; clock: Clock };

/**
 * Resolves when all is written; throws if the account does not exist or `out` is no longer read.
 */
export async function exportAccount(
  deps: Deps,
  { accountId, out }: { accountId: string; out: Writable },
): Promise<Manifest> {
  const now = deps.clock.nowMs();
  const archive = createZipArchive(out, now);
  const manifest: Manifest = {
    format: 'oversight-account-export',
    version: 1,
    account_id: accountId,
    exported_at: isoTime(now),
    files: {},
  };
  const endMs = monotonicMs() + EXPORT_MAX_MS;
  // Not repeatable: bytes that were sent cannot be undone.
  await deps.db.background.transaction(
    async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      await tx.query(`set local idle_in_transaction_session_timeout = ${STALLED_MAX_MS}`);
      // The first statement takes the snapshot, before anything is sent.
      await tx.query('select 1');
      for (const { kind, sql } of EXPORTS) {
        const lines = linesOf(tx, { accountId, kind, sql, endMs });
        await addFiles(lines, kind, async (name, content) => {
          await archive.add(name, content.pieces());
          manifest.files[name] = content.rows();
        });
      }
    },
    { repeat: false },
  );
  await archive.add('manifest.json', [`${JSON.stringify(manifest, null, 2)}\n`]);
  await archive.end();
  return manifest;
}

/** Yields pieces of some hundred lines. */
async function* linesOf(
  tx: Transaction,
  input: { accountId: string; kind: string; sql: string; endMs: number },
): AsyncGenerator<string[]> {
  const cursor = `export_${input.kind}`;
  await tx.query(
    `declare ${cursor} no scroll cursor for select row_to_json(t)::text as line from (${input.sql}) t`,
    [lane(input.accountId), input.accountId],
  );
  for (;;) {
    if (monotonicMs() > input.endMs) throw new Error('the export took too long');
    const rows = await tx.query<{ line: string }>(`fetch ${ROWS_AT_ONCE} from ${cursor}`);
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await tx.query(`close ${cursor}`);
}

type FileContent = { pieces(): AsyncGenerator<string>; rows(): number };

/** Writes one file, or several if one would be too long. */
async function addFiles(
  lines: AsyncGenerator<string[]>,
  kind: string,
  add: (name: string, content: FileContent) => Promise<void>,
): Promise<void> {
  let isOver = false;
  for (let part = 1; !isOver; part++) {
    let [rows, bytes] = [0, 0];
    const pieces = async function* () {
      while (bytes < FILE_BYTES_MAX) {
        const next = await lines.next();
        if (next.done) {
          isOver = true;
          return;
        }
        rows += next.value.length;
        const piece = `${next.value.join('\n')}\n`;
        bytes += Buffer.byteLength(piece);
        yield piece;
      }
    };
    await add(part === 1 ? `${kind}.ndjson` : `${kind}-${part}.ndjson`, {
      pieces,
      rows: () => rows,
    });
  }
}

/** Few at once, and one per account: each holds a connection and a snapshot of the database. */
export type ExportQueue = { take(accountId: string): () => void };

const EXPORTS_AT_ONCE = 2;

export function createExportQueue(): ExportQueue {
  const underWay = new Set<string>();
  return {
    take(accountId) {
      if (underWay.has(accountId) || underWay.size >= EXPORTS_AT_ONCE) {
        throw new Problem(
          'export_in_progress',
          underWay.has(accountId)
            ? 'An export of this account is in progress. Try again when it has ended.'
            : 'Other exports are in progress. Try again in a minute.',
          { details: { retry_after_ms: 60_000 } },
        );
      }
      underWay.add(accountId);
      return () => underWay.delete(accountId);
    },
  };
}
