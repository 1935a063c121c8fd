// The operating-system user that runs the embedded PostgreSQL: the caller, or, since PostgreSQL
// refuses root, another one that root can become. What that user can reach is tested, never derived
// from modes.

import { execFile } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { absentAsNull, errorCode } from '../../foundation/kept-text.ts';

export type DatabaseUser = { name: string; uid: number; gid: number };

const callerUid = process.getuid?.() ?? -1;
const callerGid = process.getgid?.() ?? -1;

export const callerIsRoot = callerUid === 0;

export function isCaller(user: DatabaseUser): boolean {
  return user.uid === callerUid;
}

/** Users that may run the server, best first; `owner` owns the home already. */
export async function databaseUsers(owner: DatabaseUser | null): Promise<DatabaseUser[]> {
  if (!callerIsRoot) return [{ name: `uid ${callerUid}`, uid: callerUid, gid: callerGid }];
  const entries = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'));
  const named = ['oversight', 'postgres', 'nobody'].flatMap((name) => {
    const entry = entries.find((fields) => fields[0] === name);
    const uid = Number(entry?.[2]);
    return entry !== undefined && uid !== 0 ? [{ name, uid, gid: Number(entry[3]) }] : [];
  });
  // The owner comes first: a user made after the first start must not lock the program out of its
  // data.
  const users = owner === null || owner.uid === 0 ? named : [owner, ...named];
  if (users.length > 0) return users;
  throw new Error(
    'PostgreSQL does not run as root and there is no user oversight, postgres or nobody to run it: ' +
      'add one (useradd --system oversight), start as an ordinary user, or set DATABASE_URL.',
  );
}

export async function ownerOf(path: string): Promise<DatabaseUser | null> {
  const stat = await lstat(path).catch(absentAsNull);
  return stat === null ? null : { name: `uid ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

/** Spawn options to run as that user, with none of our environment variables. */
export function asUser(user: DatabaseUser) {
  return {
    cwd: '/', // ours may be a folder that user cannot enter
    env: { LC_ALL: 'C', TZ: 'UTC' },
    ...(isCaller(user) ? {} : { uid: user.uid, gid: user.gid }),
  };
}

/** Runs a program as that user; returns its last error line, or null on success. */
export function failureOf(
  user: DatabaseUser,
  file: string,
  args: readonly string[],
): Promise<string | null> {
  return new Promise((resolve) => {
    // Detached: Ctrl-C in the terminal ends the program in order, not its half-done initdb.
    const options = { ...asUser(user), detached: true, maxBuffer: 1024 * 1024 };
    execFile(file, args, options, (error, _stdout, stderr) => {
      resolve(error === null ? null : lastLine(stderr) || error.message);
    });
  });
}

export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

/** Whether that user can write in the folder, which it must own; tested by such a process. */
export async function canUseFolder(user: DatabaseUser, folder: string): Promise<boolean> {
  if (isCaller(user)) return true;
  const probe = join(folder, `probe-${process.pid}`);
  const failure = await failureOf(user, '/bin/sh', ['-c', ': > "$1"', 'sh', probe]);
  await rm(probe, { force: true });
  return failure === null;
}

/**
 * Creates a folder that only the database user can enter, or adopts one that is ours already. Works
 * on the open folder: as root, a path that the user can rename must not be resolved twice.
 */
export async function makePrivateFolder(path: string, user: DatabaseUser): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const folder = await openFolder(path);
  try {
    const stat = await folder.stat();
    refuseShared(path, stat, user);
    if (stat.uid !== user.uid) await folder.chown(user.uid, user.gid);
    if ((stat.mode & 0o777) !== 0o700) await folder.chmod(0o700);
  } finally {
    await folder.close();
  }
}

function openFolder(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** A folder that others can write to could hold, for instance, a false server's socket. */
export function refuseShared(path: string, stat: Stats, user: DatabaseUser): void {
  // Owned by the caller: a start was killed between making the folder and giving it away.
  const isOurs = stat.isDirectory() && (stat.uid === user.uid || stat.uid === callerUid);
  if (isOurs && (stat.mode & 0o022) === 0) return;
  const mode = (stat.mode & 0o777).toString(8);
  throw new Error(
    `${path} is not a private folder of ${user.name}, the user that runs PostgreSQL (it belongs to ` +
      `uid ${stat.uid}, mode ${mode}): remove it, or put its owner and mode right.`,
  );
}

/** Writes a new file owned by the database user; never follows an existing link. */
export async function writePrivateFile(
  path: string,
  text: string,
  user: DatabaseUser,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (!isCaller(user)) await file.chown(user.uid, user.gid);
  } finally {
    await file.close();
  }
}
