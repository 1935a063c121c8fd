import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDataDir } from '../../test/support/data-dir.ts';
import { newId } from '../foundation/id.ts';
import type { LedgerEntry } from './settlement.ts';
import { journalFolder, openUnresolvedJournal, readJournal } from './unresolved-journal.ts';

const dataDir = await newDataDir();
let folders = 0;
const newFolder = () => journalFolder(join(dataDir, `${folders++}`));

const charge = (): LedgerEntry => {
  const id = newId();
  return {
    accountId: newId(),
    id,
    reference: id,
    atMs: 1_790_000_000_000,
    kind: 'request',
    credits: -5,
    operation: 'offers',
    productCode: '123456789',
  };
};

describe('the journal of unresolved charges', () => {
  it('is empty if nothing was ever written', async () => {
    expect(await openUnresolvedJournal(newFolder(), 'one').list()).toEqual([]);
  });

  it('holds each batch until it is removed, also for the next process', async () => {
    const folder = newFolder();
    const journal = openUnresolvedJournal(folder, 'one');
    const [first, second] = [
      await journal.write([charge(), charge()]),
      await journal.write([charge()]),
    ];
    expect(await openUnresolvedJournal(folder, 'one').list()).toEqual([first, second]);
    await journal.remove(first);
    await journal.remove(first); // by another process as well
    expect(await journal.list()).toEqual([second]);
  });

  it('returns batches only for the database they were written for', async () => {
    const folder = newFolder();
    await openUnresolvedJournal(folder, 'one').write([charge()]);
    expect(await openUnresolvedJournal(folder, 'another').list()).toEqual([]);
    expect((await readJournal(folder)).batches).toHaveLength(1);
  });

  it.each([
    ['cut off', '{"databaseId":"one","entr'],
    ['empty', ''],
    ['of another shape', '{"databaseId":"one","entries":[{"credits":"5"}]}'],
  ])('names a file that is %s, and lists the others', async (_how, text) => {
    const folder = newFolder();
    const journal = openUnresolvedJournal(folder, 'one');
    const batch = await journal.write([charge()]);
    const name = `${newId()}.json`;
    await writeFile(join(folder, name), text);
    await writeFile(join(folder, `${newId()}.json.new`), text); // never finished, so no request was refused
    expect(await readJournal(folder)).toEqual({ batches: [batch], unreadable: [name] });
    expect(await journal.list()).toEqual([batch]);
  });

  it('leaves no file behind when the disk fails', async () => {
    const folder = newFolder();
    const journal = openUnresolvedJournal(folder, 'one');
    const batch = await journal.write([charge()]);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'not a folder');
    await expect(journal.write([charge()])).rejects.toThrow();
    await rm(folder);
    await journal.write([charge()]);
    expect(await readdir(folder)).not.toContain(batch.name);
  });
});
