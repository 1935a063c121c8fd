// Operator commands: in this process, which is fast, or as an operator runs them.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/cli/run-command.ts';
import { childEnvironment } from './child-service.ts';

export type Done = { code: number | null; out: string; err: string };

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export async function runInProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Done> {
  const done = { code: 0, out: '', err: '' };
  done.code = await runCommand(words, {
    env,
    out: (text) => {
      done.out += text;
    },
    err: (text) => {
      done.err += text;
    },
  });
  return done;
}

/** Runs a child process from the sources, without the settings of this process. */
export async function runAsProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Done> {
  const child = spawn(process.execPath, [CLI, ...words], {
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}
