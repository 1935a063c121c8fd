// Lints the description of the API, public and with the dashboard's endpoints, by the recommended
// rules of Redocly and Spectral. Any error or warning fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describedApi } from './generated.ts';

const folder = mkdtempSync(join(tmpdir(), 'oversight-openapi-'));
const write = (name: string, content: object) => {
  writeFileSync(join(folder, name), JSON.stringify(content, null, 2));
  return name;
};

function run(command: string, args: readonly string[]): boolean {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const done = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
  const output = `${done.stdout}${done.stderr}`;
  const isClean = done.status === 0 && !/\bwarning/i.test(output.replace(/0 warnings/g, ''));
  if (!isClean) process.stderr.write(`${command} ${args.join(' ')}\n${output}\n`);
  return isClean;
}

try {
  const documents = [
    write('public.json', await describedApi({ describeSession: false })),
    write('session.json', await describedApi({ describeSession: true })),
  ];
  const ruleset = write('ruleset.json', { extends: ['spectral:oas'] });
  const clean = [
    run('redocly', ['lint', '--extends', 'recommended', ...documents]),
    run('spectral', ['lint', '--fail-severity', 'warn', '--ruleset', ruleset, ...documents]),
  ];
  process.exitCode = clean.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
