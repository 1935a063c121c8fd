// The journal of unresolved charges: entries to refund when the database is reachable again. Files
// in DATA_DIR, because the database is what is missing; one file per batch, written atomically.
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { newId } from '../foundation/id.ts';
import { absentAsNull, syncFolder } from '../foundation/kept-text.ts';
import type { LedgerEntry } from './settlement.ts';

export type UnresolvedBatch = {
  /** Name of its file. */
  name: string;
  /** The database that the charges were sent to. They are refunded only there. */
  databaseId: string;
  entries: readonly LedgerEntry[];
};

export type UnresolvedJournal = ReturnType<typeof openUnresolvedJournal>;

export type JournalContents = {
  batches: UnresolvedBatch[];
  /** Names of files that cannot be read, because they are damaged or foreign. */
  unreadable: string[];
};

const FILE_NAME = /^[0-9a-f-]{36}\.json$/;

/** The journal's folder. */
export const journalFolder = (dataDir: string): string => join(dataDir, 'unresolved-charges');

export function openUnresolvedJournal(folder: string, databaseId: string) {
  return {
    /** Resolves once the entries are on disk; only then may their requests be refused. */
    async write(entries: readonly LedgerEntry[]): Promise<UnresolvedBatch> {
      const batch = { name: `${newId()}.json`, databaseId, entries };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, batch.name);
      const temporary = `${path}.new`;
      try {
        const file = await open(temporary, 'wx', 0o600);
        try {
          const stored = { databaseId, entries: entries.map(storedEntry) };
          await file.writeFile(`${JSON.stringify(stored)}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
      await syncFolder(folder);
      return batch;
    },
    /** Removes a refunded batch. */
    remove: ({ name }: UnresolvedBatch): Promise<void> => rm(join(folder, name), { force: true }),
    /** Batches that this or another process owes in this database. */
    async list(): Promise<UnresolvedBatch[]> {
      const { batches } = await readJournal(folder);
      return batches.filter((batch) => batch.databaseId === databaseId);
    },
  };
}

/** Reads every batch. An unreadable file does not affect the others. */
export async function readJournal(folder: string): Promise<JournalContents> {
  const names = ((await readdir(folder).catch(absentAsNull)) ?? []).filter((name) =>
    FILE_NAME.test(name),
  );
  const contents: JournalContents = { batches: [], unreadable: [] };
  for (const name of names.sort()) {
    // Another process refunded it in the meantime.
    const text = await readFile(join(folder, name), 'utf8').catch(absentAsNull);
    if (text === null) continue;
    const batch = parseBatch(text);
    if (batch === null) contents.unreadable.push(name);
    else contents.batches.push({ name, ...batch });
  }
  return contents;
}

const BATCH = Type.Object({
  databaseId: Type.String(),
  entries: Type.Array(
    Type.Object({
      accountId: Type.String(),
      id: Type.String(),
      at: Type.Integer(),
      kind: Type.Union([Type.Literal('request'), Type.Literal('tracking'), Type.Literal('grant')]),
      credits: Type.Integer(),
      operation: Type.Union([Type.String(), Type.Null()]),
      productCode: Type.Union([Type.String(), Type.Null()]),
      reference: Type.String(),
    }),
  ),
});

/** An entry as the file holds it. Older releases read and write the same files. */
const storedEntry = ({ atMs, ...entry }: LedgerEntry) => ({ ...entry, at: atMs });

function parseBatch(text: string): Pick<UnresolvedBatch, 'databaseId' | 'entries'> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Check(BATCH, value)) return null;
    const entries = value.entries.map(({ at, ...entry }) => ({ ...entry, atMs: at }));
    return { databaseId: value.databaseId, entries };
  } catch {
    return null;
  }
}
