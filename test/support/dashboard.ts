// Before all tests: the dashboard is built from the sources at hand, so that browsers see what is in the tree.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.ts';

export default async function prepareDashboard(): Promise<void> {
  const script = fileURLToPath(new URL('../../scripts/build-dashboard.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
  await prepareBrowser();
}
