// Runs a measured part in a process of its own: told its work as JSON, it prints its result as JSON.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Starts a script of this folder and answers the one JSON line it prints. */
export async function runChild<Result>(
  file: string,
  work: unknown,
  flags: readonly string[] = [],
): Promise<Result> {
  const child = spawn(process.execPath, [...flags, pathOf(file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(work));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return JSON.parse(out) as Result;
}

/** What this process was told to do. */
export async function readWork<Work>(): Promise<Work> {
  return (await json(process.stdin)) as Work;
}

/** Starts a server that writes to a file, and waits until it says the address it listens on. */
export async function startServer(
  file: string,
  env: Record<string, string>,
): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'oversight-bench-'));
  const output = join(folder, 'output');
  const fd = openSync(output, 'w');
  const child = spawn(process.execPath, [pathOf(file)], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', fd, 'inherit'],
  });
  closeSync(fd);
  let ended = false;
  const end = new Promise<void>((resolve) => child.on('close', () => resolve())).then(() => {
    ended = true;
  });
  for (;;) {
    const said = readFileSync(output, 'utf8');
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) {
      return {
        port: Number(port),
        async stop() {
          child.kill('SIGTERM');
          await end;
          rmSync(folder, { recursive: true });
        },
      };
    }
    if (ended) throw new Error(`${file} ended before it listened: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
