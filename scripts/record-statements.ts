// Records the SQL of this release in test/fixtures, for the tests of the next one: every statement
// must still work after the next release's migrations. Run it at each release, before its tag:
// `npm run record-statements`. Takes as long as the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listMigrations } from '../src/database/migrate.ts';
import {
  RELEASED_STATEMENTS,
  type ReleasedStatements,
} from '../test/support/released-statements.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const READS_THE_RECORD = 'test/flows/upgrade.test.ts';

/** What can be explained; the rest (begin, set, lock, create) names no column. */
const EXPLAINABLE = /^\s*(?:--[^\n]*\n\s*)*(select|insert|update|delete|with|values)\b/i;

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'oversight-statements-'));
  const sent = join(folder, 'sent');
  writeFileSync(sent, '');
  const tests = spawn('vitest', ['run', 'test/api', 'test/flows', '--exclude', READS_THE_RECORD], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, RECORD_STATEMENTS: sent },
  });
  const [code] = await once(tests, 'close');
  const texts = readFileSync(sent, 'utf8').split('\n').slice(0, -1);
  rmSync(folder, { recursive: true });
  if (code !== 0) process.stderr.write('Tests failed: their statements may be missing.\n');
  const recorded: ReleasedStatements = {
    release: JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version,
    newestMigration: (await listMigrations()).at(-1)?.version ?? 0,
    statements: [...new Set(texts)]
      .map((text) => JSON.parse(text) as string)
      .filter((text) => EXPLAINABLE.test(text))
      .sort(),
  };
  if (recorded.statements.length === 0) throw new Error('The tests recorded no statement.');
  writeFileSync(RELEASED_STATEMENTS, `${JSON.stringify(recorded, null, 2)}\n`);
  process.stdout.write(`${recorded.statements.length} statements\n`);
  return code;
}

process.exitCode = await main();
