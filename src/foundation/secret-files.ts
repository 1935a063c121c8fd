// Secrets that the program makes for itself, each in a file that only its user can read.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from './id.ts';

/** The content of a secret's file; made once, also when two programs start at the same moment. */
export function secretFile(dataDir: string, name: string, make: () => string): string {
  const folder = join(dataDir, 'secrets');
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const known = readIfThere(path);
  if (known !== null) return known;
  const draft = join(folder, `.${name}.${newId()}`);
  writeFileSync(draft, make(), { mode: 0o600, flush: true });
  try {
    linkSync(draft, path); // fails when another was first
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
