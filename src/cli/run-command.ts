// Runs one operator command: finds it, opens the store or app it needs, prints its result.
// Exit code 0: done, 1: refused or failed, 2: wrong usage.
import { parseArgs } from 'node:util';
import { buildApp } from '../app.ts';
import { BadSetting, type Environment, readSettings } from '../config.ts';
import { commandClock } from '../database/time-lapse.ts';
import { createLog } from '../foundation/log.ts';
import { createMetrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { withoutSecrets } from '../foundation/secret.ts';
import { openSource } from '../sources/open-source.ts';
import { learnLaneGroups, migrateStore, openStore } from '../store.ts';
import { accountCommands, keyCommands } from './accounts.ts';
import { backupCommands } from './backup.ts';
import { closingCommands } from './closing.ts';
import { type Command, type CommandInput, type Result, type Say, WrongUsage } from './command.ts';
import { creditCommands } from './credits.ts';
import { distributeCommands } from './distribute.ts';
import { doctorCommands } from './doctor.ts';
import { evaluateSalesCommands } from './evaluate-sales.ts';
import { ingestCommands } from './ingest.ts';
import { encryptionKeyCommands } from './keys.ts';
import { listenCommands } from './listen.ts';
import { marketplaceCommands } from './marketplace.ts';
import { pageMapCommands } from './page-map.ts';
import { productCommands } from './products.ts';
import { quarantineCommands } from './quarantine.ts';
import { tokenCommands } from './tokens.ts';

const COMMANDS: readonly Command[] = [
  ...accountCommands,
  ...closingCommands,
  ...keyCommands,
  ...encryptionKeyCommands,
  ...creditCommands,
  ...tokenCommands,
  ...productCommands,
  ...ingestCommands,
  ...evaluateSalesCommands,
  ...marketplaceCommands,
  ...pageMapCommands,
  ...listenCommands,
  ...backupCommands,
  ...quarantineCommands,
  ...distributeCommands,
  ...doctorCommands,
];

function usage(): string {
  const lines = COMMANDS.map((command) => `  ${command.usage}`).join('\n');
  return `Usage: npm run -s oversight -- COMMAND [--json]\n\n${lines}\n\nACCOUNT is an id or an e-mail.`;
}

/** Returns the command that `argv` starts with, and the remaining arguments. */
function findCommand(argv: readonly string[]): { command: Command; rest: string[] } {
  for (const command of COMMANDS) {
    const name = command.name.split(' ');
    if (name.every((word, index) => argv[index] === word)) {
      return { command, rest: argv.slice(name.length) };
    }
  }
  throw new WrongUsage(
    argv.length === 0 ? 'Pass a command.' : `Unknown command: ${argv.join(' ')}.`,
  );
}

function readInput(command: Command, rest: string[]): CommandInput {
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: command.options ?? {},
      allowPositionals: true,
    });
    if (positionals.length !== command.words.length) {
      throw new WrongUsage(`Usage: ${command.usage}`);
    }
    return { words: positionals, options: values as CommandInput['options'] };
  } catch (error) {
    if (error instanceof WrongUsage) throw error;
    throw new WrongUsage(`${(error as Error).message}\nUsage: ${command.usage}`);
  }
}

async function runOn(
  { command, input, say }: { command: Command; input: CommandInput; say: Say },
  env: Environment | undefined,
): Promise<Result> {
  if (command.on === 'nothing') return command.run(say, input);
  const settings = readSettings(env);
  // Standard output holds only the result; errors go to standard error.
  const log = createLog('silent');
  const store = await openStore(settings, log, 'command');
  try {
    if (command.on === 'store') {
      // A database that cannot be reached is for the command to report.
      await learnLaneGroups(store).catch(() => {});
      return await command.run({ store, settings, log }, input);
    }
    await migrateStore(store);
    const clock = await commandClock(store.db);
    const metrics = createMetrics();
    const source = openSource(settings, { clock, log, metrics });
    const withoutRedis = { REDIS_URL: null }; // commands are not rate-limited
    const app = buildApp({ db: store.db, clock, log, source, metrics, settings: withoutRedis });
    try {
      return await command.run(app, input);
    } finally {
      await app.close();
    }
  } finally {
    await store.close();
  }
}

/** The environment and the output streams of a command. */
export type Terminal = {
  /** The process environment by default. */
  env?: Environment;
  out: (text: string) => unknown;
  err: (text: string) => unknown;
};

/** Runs the command named by `argv` and returns the exit code. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (argv[0] === 'help' || argv.includes('--help')) {
      terminal.out(`${usage()}\n`);
      return 0;
    }
    // --json is accepted at any position.
    const { command, rest } = findCommand(argv.filter((word) => word !== '--json'));
    const input = readInput(command, rest);
    const say: Say = ({ json, text }) => {
      terminal.out(`${argv.includes('--json') ? JSON.stringify(json) : text}\n`);
    };
    const result = await runOn({ command, input, say }, terminal.env);
    say(result);
    return result.exitCode ?? 0;
  } catch (error) {
    if (error instanceof WrongUsage) {
      terminal.err(`${error.message}\n\n${usage()}\n`);
      return 2;
    }
    const isExpected = error instanceof Problem || error instanceof BadSetting;
    const text = error instanceof Error ? error.message || String(error) : String(error);
    terminal.err(`${withoutSecrets(isExpected ? text : `Failed: ${text}`)}\n`);
    return 1;
  }
}
