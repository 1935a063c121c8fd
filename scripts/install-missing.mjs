// Installs the packages of package-lock.json when node_modules differs from it. Runs before every
// command of package.json, on whatever Node the machine has, so it has no dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampPath = `${root}node_modules/.installed-from`;
const lockHash = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

const installed = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : '';
if (installed !== lockHash) {
  // Standard error only: `npm run -s oversight -- … --json` must print nothing but its JSON.
  process.stderr.write('Installing packages (once) …\n');
  // No package's install script is needed, so none is run.
  const ci = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (ci.status !== 0) {
    process.stderr.write(
      `npm ci failed (${ci.error?.message ?? `exit ${ci.status}`}); the lines above say why.\n`,
    );
    process.exit(1);
  }
  writeFileSync(stampPath, lockHash);
}

// The bundled Node or, where no package provides one (macOS), the installed Node.
const bundled = existsSync(`${root}node_modules/.bin/node`);
if (!bundled && Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Oversight runs on Node 24 or newer; this is ${process.version} and no packaged Node exists for ${process.platform} ${process.arch}. Install Node 24.\n`,
  );
  process.exit(1);
}
