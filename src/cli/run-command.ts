// Runs one operator command: finds it, opens what it works on, prints its result. Exit 0 done, 1 refused, 2 wrong usage.
import { parseArgs } from 'node:util';
import { buildApp } from '../app.ts';
import { BadSetting, type Environment, readSettings } from '../config.ts';
import { commandClock } from '../database/time-lapse.ts';
import { createLog } from '../foundation/log.ts';
import { createMetrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { withoutSecrets } from '../foundation/secret.ts';
import { openSource } from '../sources/open-source.ts';
import { migrateStore, openStore } from '../store.ts';
import { accountCommands, keyCommands } from './accounts.ts';
import { backupCommands } from './backup.ts';
import { closingCommands } from './closing.ts';
import { type Command, type CommandInput, type Result, type Say, WrongUsage } from './command.ts';
import { creditCommands } from './credits.ts';
import { doctorCommands } from './doctor.ts';
import { evaluateSalesCommands } from './evaluate-sales.ts';
import { ingestCommands } from './ingest.ts';
import { encryptionKeyCommands } from './keys.ts';
import { listenCommands } from './listen.ts';
import { marketplaceCommands } from './marketplace.ts';
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
  ...listenCommands,
  ...backupCommands,
  ...quarantineCommands,
  ...doctorCommands,
];

function usage(): string {
  const lines = COMMANDS.map((command) => `  ${command.usage}`).join('\n');
  return `Usage: npm run -s oversight -- COMMAND [--json]\n\n${lines}\n\nACCOUNT is an id or an e-mail.`;
}

/** The command that the words begin with, and what follows. */
function findCommand(argv: readonly string[]): { command: Command; rest: string[] } {
  for (const command of COMMANDS) {
    const name = command.name.split(' ');
    if (name.every((word, index) => argv[index] === word)) {
      return { command, rest: argv.slice(name.length) };
    }
  }
  throw new WrongUsage(argv.length === 0 ? 'A command is missing.' : `Unknown: ${argv.join(' ')}.`);
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
  // Standard output is for the answer alone; only what went wrong is worth a line here.
  const log = createLog('silent');
  const store = await openStore(settings, log, 'command');
  try {
    if (command.on === 'store') return await command.run({ store, settings, log }, input);
    await migrateStore(store);
    const clock = await commandClock(store.db);
    const metrics = createMetrics();
    const source = openSource(settings, { clock, log, metrics });
    const alone = { REDIS_URL: null }; // nothing that is rate-limited goes through a command
    const app = buildApp({ db: store.db, clock, log, source, metrics, settings: alone });
    try {
      return await command.run(app, input);
    } finally {
      await app.close();
    }
  } finally {
    await store.close();
  }
}

/** Where a command reads its settings, and where it writes to. */
export type Terminal = {
  /** That of the process unless given. */
  env?: Environment;
  out: (text: string) => unknown;
  err: (text: string) => unknown;
};

/** Runs what the words say to its end; returns the exit code. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (argv[0] === 'help' || argv.includes('--help')) {
      terminal.out(`${usage()}\n`);
      return 0;
    }
    // --json may stand anywhere.
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
    const known = error instanceof Problem || error instanceof BadSetting;
    const text = error instanceof Error ? error.message || String(error) : String(error);
    terminal.err(`${withoutSecrets(known ? text : `Failed: ${text}`)}\n`);
    return 1;
  }
}
