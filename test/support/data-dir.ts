// A separate DATA_DIR for a test file and the processes that use it; removed after the file.
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { atEnd } from './at-end.ts';

/** Call it at the top of a file, before anything uses it: hooks run in reverse order. */
export async function newDataDir(): Promise<string> {
  const dataDir = realpathSync(await mkdtemp(join(tmpdir(), 'ov-')));
  await chmod(dataDir, 0o755); // the database user must pass, though mkdtemp makes folders private
  atEnd(async () => {
    await endServer(dataDir);
    const outside = readLine(join(dataDir, 'postgres-location'));
    if (outside !== null) await rm(outside, { recursive: true, force: true });
    const id = readLine(join(dataDir, 'postgres-id'));
    if (id !== null) await rm(join(tmpdir(), `oversight-${id}`), { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

function readLine(path: string): string | null {
  return existsSync(path) ? (readFileSync(path, 'utf8').split('\n')[0] ?? '').trim() : null;
}

export function clusterFolder(dataDir: string): string {
  const home = readLine(join(dataDir, 'postgres-location')) ?? join(dataDir, 'postgres');
  return join(home, 'data');
}

/** Returns the pid of the database server's first process; null if there is none. */
export function serverPid(dataDir: string): number | null {
  return Number(readLine(join(clusterFolder(dataDir), 'postmaster.pid'))) || null;
}

/** Returns every process of this cluster, even orphans: they all work in its folder. */
export function serverProcesses(dataDir: string): number[] {
  const folder = clusterFolder(dataDir);
  if (!existsSync('/proc/self/cwd')) return [serverPid(dataDir) ?? []].flat().filter(isAlive);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(name) === folder)
    .map(Number);
}

function worksIn(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // ended meanwhile, or another user's
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Removes what a failed test left behind. */
async function endServer(dataDir: string): Promise<void> {
  const processes = serverProcesses(dataDir);
  for (const pid of processes) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(serverProcesses(dataDir)).toEqual([]), { timeout: 10_000 });
}
