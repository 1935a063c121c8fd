// Runs a measured part in a separate process, which reads its work and prints its result as JSON.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Runs a script of this folder and returns the JSON it prints. */
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

/** Reads the work of this process from standard input. */
export async function readWork<Work>(): Promise<Work> {
  return (await json(process.stdin)) as Work;
}

/** Starts a server whose output goes to a file, and waits until it prints its address. */
export async function startServer(
  file: string,
  env: Record<string, string>,
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
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
    const printed = readFileSync(output, 'utf8');
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) {
      return {
        port: Number(port),
        pid: child.pid as number,
        async stop() {
          child.kill('SIGTERM');
          await end;
          rmSync(folder, { recursive: true });
        },
      };
    }
    if (ended) throw new Error(`${file} ended before it listened: ${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
