// Builds the dashboard when its sources differ from those of the last build. Runs before the
// service and its tests, on whatever Node the machine has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}dashboard/`;
const stampPath = `${folder}dist/.built-from`;

/** Hashes the sources of the dashboard and the versions of its build tools. */
function sourceHash() {
  const hash = createHash('sha256').update(readFileSync(`${root}package-lock.json`));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^dist\b/.test(name) && !name.endsWith('.test.ts'))
    .filter((name) => statSync(folder + name).isFile())
    .sort();
  for (const name of files) hash.update(`${name}\0`).update(readFileSync(folder + name));
  return hash.digest('hex');
}

const currentHash = sourceHash();
if (!existsSync(stampPath) || readFileSync(stampPath, 'utf8') !== currentHash) {
  process.stderr.write('Building the dashboard (once) …\n');
  const bundled = `${root}node_modules/.bin/node`;
  const build = spawnSync(
    existsSync(bundled) ? bundled : process.execPath,
    [
      `${root}node_modules/vite/bin/vite.js`,
      'build',
      '-c',
      `${folder}vite.config.ts`,
      '--logLevel',
      'error',
    ],
    { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (build.status !== 0) {
    process.stderr.write(
      `The dashboard could not be built (${build.error?.message ?? `exit ${build.status}`}).\n`,
    );
    process.exit(1);
  }
  writeFileSync(stampPath, currentHash);
}
