// Operator commands: `npm run -s oversight -- COMMAND`. Exit 0 done, 1 refused, 2 wrong usage.
import { runCommand } from './cli/run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
