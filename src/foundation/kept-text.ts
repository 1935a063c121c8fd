// Small texts that the program creates once and stores in a file: secrets, the database's location.
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Reads the file, or creates it atomically with new text; the first writer wins. */
export async function keepText(path: string, make: () => string): Promise<string> {
  const kept = await readText(path);
  if (kept !== null) return kept;
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${make()}\n`);
    await file.sync();
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return keepText(path, make);
}

export async function readText(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(absentAsNull);
  return text === null ? null : text.trim();
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

export function errorCode(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

/** For `catch`: returns null if the file does not exist, rethrows other errors. */
export function absentAsNull(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
