// Runs a measured part in a process of its own: told its work as JSON, it prints its result as JSON.
import { type ChildProcess, spawn } from 'node:child_process';
import { write } from 'node:fs';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Starts a script of this folder and answers the one JSON line it prints. */
export async function runChild<Result>(file: string, work: unknown): Promise<Result> {
  const child = spawn(process.execPath, [pathOf(file)], { stdio: ['pipe', 'pipe', 'inherit'] });
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

/** Starts a server and waits until its output holds the address it listens on. */
export async function startServer(
  file: string,
  env: Record<string, string>,
  outputFile: number,
): Promise<{ port: number; child: ChildProcess; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [pathOf(file)], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let out = '';
    const onData = (chunk: Buffer) => {
      out += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(out);
      if (found === null) return;
      resolve(Number(found[1]));
    };
    child.stdout?.on('data', onData);
    child.on('close', (code) => reject(new Error(`${file} ended with ${code}: ${out}`)));
  });
  // What it logs from now on is read and kept, as an operator's collector would.
  child.stdout?.removeAllListeners('data');
  child.stdout?.on('data', (chunk: Buffer) => write(outputFile, chunk, () => {}));
  return {
    port,
    child,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
