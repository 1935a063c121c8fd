// Operator commands: `npm run -s oversight -- COMMAND`. Exit 0 done, 1 refused, 2 wrong usage.
import { parseArgs } from 'node:util';
import { buildApp } from './app.ts';
import { accountCommands, keyCommands } from './cli/accounts.ts';
import { backupCommands } from './cli/backup.ts';
import { closingCommands } from './cli/closing.ts';
import {
  type Command,
  type CommandInput,
  type Result,
  type Say,
  WrongUsage,
} from './cli/command.ts';
import { creditCommands } from './cli/credits.ts';
import { doctorCommands } from './cli/doctor.ts';
import { evaluateSalesCommands } from './cli/evaluate-sales.ts';
import { ingestCommands } from './cli/ingest.ts';
import { encryptionKeyCommands } from './cli/keys.ts';
import { listenCommands } from './cli/listen.ts';
import { marketplaceCommands } from './cli/marketplace.ts';
import { productCommands } from './cli/products.ts';
import { quarantineCommands } from './cli/quarantine.ts';
import { tokenCommands } from './cli/tokens.ts';
import { openSource } from './collection/open-source.ts';
import { BadSetting, readSettings } from './config.ts';
import { commandClock } from './database/time-lapse.ts';
import { createLog } from './foundation/log.ts';
import { createMetrics } from './foundation/metrics.ts';
import { Problem } from './foundation/problem.ts';
import { withoutSecrets } from './foundation/secret.ts';
import { migrateStore, openStore } from './store.ts';

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

async function runCommand(command: Command, input: CommandInput, say: Say): Promise<Result> {
  if (command.on === 'nothing') return command.run(say, input);
  const settings = readSettings();
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

async function main(argv: readonly string[]): Promise<number> {
  try {
    if (argv[0] === 'help' || argv.includes('--help')) {
      process.stdout.write(`${usage()}\n`);
      return 0;
    }
    // --json may stand anywhere.
    const { command, rest } = findCommand(argv.filter((word) => word !== '--json'));
    const input = readInput(command, rest);
    const say: Say = ({ json, text }) => {
      process.stdout.write(`${argv.includes('--json') ? JSON.stringify(json) : text}\n`);
    };
    const result = await runCommand(command, input, say);
    say(result);
    return result.exitCode ?? 0;
  } catch (error) {
    if (error instanceof WrongUsage) {
      process.stderr.write(`${error.message}\n\n${usage()}\n`);
      return 2;
    }
    const known = error instanceof Problem || error instanceof BadSetting;
    const text = error instanceof Error ? error.message || String(error) : String(error);
    process.stderr.write(`${withoutSecrets(known ? text : `Failed: ${text}`)}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
