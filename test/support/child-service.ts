// Runs the real program as a separate process that can be killed, and operator commands. From the
// bundle, unless the test asks for the sources, which is what an operator runs.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atEnd } from './at-end.ts';
import { bundled } from './program.ts';

const sourceFolder = fileURLToPath(new URL('../../src/', import.meta.url));

export type ChildService = {
  address: string;
  pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Kills it as a crash would, and waits for its exit. */
  kill(): Promise<void>;
  /** Stops it with a signal; returns its exit code. */
  stop(): Promise<number | null>;
};

export type Program = {
  /** Resolves when the service has printed its address. `more` settings are for this start only. */
  start(more?: Readonly<Record<string, string>>): Promise<ChildService>;
  /** Starts the service and kills it after a while, ready or not. */
  startAndKill(afterMs: number): Promise<void>;
  /** Starts the service and stops it after a while, ready or not; returns its exit code. */
  startAndStop(afterMs: number): Promise<number | null>;
  /** Runs an operator command and returns what --json prints. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped JSON
  command(...words: string[]): Promise<{ exitCode: number; json: any }>;
};

/** Without this process's environment: a setting there would change the program. */
export function childEnvironment(): Record<string, string> {
  const names = ['PATH', 'TMPDIR', 'NODE_COMPILE_CACHE'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export function programOn(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  { fromSources = false } = {},
): Program {
  const scriptOf = (name: 'main' | 'cli') =>
    fromSources ? `${sourceFolder}${name}.ts` : bundled(name);
  const children = new Set<ChildProcess>();
  atEnd(async () => {
    for (const child of children) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
  });
  const env = { ...childEnvironment(), ...settings, DATA_DIR: dataDir };

  const spawnProgram = (more: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [scriptOf('main')], {
      env: { ...env, PORT: '0', LOG_LEVEL: 'warn', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    return { child, exit: once(child, 'exit'), output: () => output };
  };

  return {
    async start(more) {
      const { child, exit, output } = spawnProgram(more);
      const address = await new Promise<string>((resolve, reject) => {
        const observation = () => {
          // The announcement ends with an empty line.
          const announced = /^ {2}Oversight {2}(\S+)\n[\s\S]*\n\n$/m.exec(output());
          if (announced?.[1] !== undefined) resolve(announced[1]);
        };
        child.stdout.on('data', observation);
        void exit.then(([code]) => reject(new Error(`ended with ${code}: ${output()}`)));
      });
      return {
        address,
        pid: child.pid as number,
        output,
        async kill() {
          child.kill('SIGKILL');
          await exit;
        },
        async stop() {
          child.kill('SIGTERM');
          return (await exit)[0];
        },
      };
    },
    async startAndKill(afterMs) {
      const { child, exit } = spawnProgram();
      const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
      await exit;
      clearTimeout(timer);
    },
    async startAndStop(afterMs) {
      const { child, exit } = spawnProgram();
      const timer = setTimeout(() => child.kill('SIGINT'), afterMs);
      const [code] = await exit;
      clearTimeout(timer);
      return code;
    },
    command: (...words) =>
      new Promise((resolve, reject) => {
        const args = [scriptOf('cli'), ...words, '--json'];
        execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
          const exitCode = error === null ? 0 : error.code;
          if (typeof exitCode !== 'number' || stdout === '') {
            reject(new Error(`${words.join(' ')}: ${stderr || error?.message}`));
          } else resolve({ exitCode, json: JSON.parse(stdout) });
        });
      }),
  };
}
