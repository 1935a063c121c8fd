// Creates the demo account and catalogue on the first start.
import type { Account } from './accounts/accounts.ts';
import { createApiKey } from './accounts/api-keys.ts';
import type { App } from './app.ts';
import { noteBackfilled } from './catalog/products.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { recordSnapshots } from './collection/record-snapshot.ts';
import { readFact, writeFact } from './database/service-facts.ts';
import { DEMO_DAYS, DEMO_TRACKED, openDemoAccount } from './demo-account.ts';
import { isoTime } from './foundation/clock.ts';
import { newToken } from './foundation/secret.ts';
import { DAY_MS } from './foundation/time.ts';
import { learnMarket } from './sales/learn-market.ts';
import { refreshFacts } from './search/refresh-facts.ts';
import {
  createSimulatedSource,
  type SimulatedSource,
} from './sources/simulated/simulated-source.ts';

const FACT = 'demo';
const DEMO_PRODUCTS = 200;
const FACTS_AT_ONCE = 25;
const HISTORY_DAYS = 3 * 365;

export type Demo = { email: string; password: string; apiKey: string; productCode: string };

type Filling = {
  onProgress?: (done: number, total: number) => void;
  /** A stop does not wait for the rest. */
  stopping?: AbortSignal;
};

/**
 * Fills the database once; null if it is already filled, or when stopped. After a stop or a crash
 * the next start finishes.
 */
export async function fillDemo(app: App, filling: Filling = {}): Promise<Demo | null> {
  if ((await readFact(app.db, FACT)) !== undefined) return null;
  const source = createSimulatedSource({ clock: app.clock });
  const codes = Array.from({ length: DEMO_PRODUCTS }, (_, index) => source.productAt(index).code);
  // The best sellers after the samples, which are opened for free.
  const tracked = codes.filter((code) => !app.sampleCodes.has(code)).slice(0, DEMO_TRACKED);
  await fillCatalogue(app, { source, codes, tracked: new Set(tracked) }, filling);
  if (filling.stopping?.aborted) return null;
  const account = await openDemoAccount(app, tracked);
  // Search and finder have something to find at once; units sold follow in the background.
  for (let first = 0; first < codes.length; first += FACTS_AT_ONCE) {
    await refreshFacts(app, codes.slice(first, first + FACTS_AT_ONCE), () => false);
  }
  await learnMarket(app);
  const { apiKey } = await createApiKey(app.db, {
    accountId: account.accountId,
    name: 'Demo',
    now: app.clock.nowMs(),
  });
  const password = await demoPassword(app, account);
  await writeFact(app.db, FACT, isoTime(app.clock.nowMs()));
  return { email: account.email, password, apiKey, productCode: codes[0] ?? '' };
}

/** Records the best sellers' last three years, one snapshot a day, and their current state. */
async function fillCatalogue(
  app: App,
  input: { source: SimulatedSource; codes: readonly string[]; tracked: ReadonlySet<string> },
  { onProgress = () => {}, stopping }: Filling,
): Promise<void> {
  const nowMs = app.clock.nowMs();
  const { source, codes, tracked } = input;
  let done = 0;
  for (const code of codes) {
    // The last days of a tracked product are collected for its account.
    const untilMs = tracked.has(code) ? nowMs - DEMO_DAYS * DAY_MS : nowMs;
    const range = { fromMs: nowMs - HISTORY_DAYS * DAY_MS, toMs: untilMs + 1 };
    if (stopping?.aborted) return;
    const snapshots: Snapshot[] = [];
    for await (const snapshot of source.history(code, range)) snapshots.push(snapshot);
    await recordSnapshots(app, snapshots);
    await noteBackfilled(app.db, { code, nowMs });
    onProgress(++done, codes.length);
  }
}

/**
 * Sets a new password even if an earlier start was killed after it had set one: nobody saw that.
 */
async function demoPassword(app: App, { accountId, email }: Account): Promise<string> {
  const password = newToken().slice(0, 16);
  const token = await app.signIn.newResetToken(email);
  if (token === null) await app.signIn.addPerson({ email, password, accountId });
  else await app.signIn.resetPassword({ token, password });
  return password;
}
