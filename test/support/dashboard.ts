// Before all tests: the dashboard is built from the sources at hand, so that browsers see what is in the tree.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function buildDashboard(): void {
  const script = fileURLToPath(new URL('../../scripts/build-dashboard.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
}
