// Runs before all tests: builds the dashboard from the current sources and prepares the browser.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.ts';

export default async function prepareDashboard(): Promise<void> {
  const script = fileURLToPath(new URL('../../scripts/build-dashboard.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
  await prepareBrowser();
}
