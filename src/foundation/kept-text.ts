// Small texts that the program makes once and keeps in a file: secrets, the name of its database's home.
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text kept in a file, made once: written whole or not at all, and the first writer wins. */
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

/** For `catch`: what is not there is null, every other error stays one. */
export function absentAsNull(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
