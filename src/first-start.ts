// What a first start leaves behind so that there is something to try: a demo account and a catalogue.
import { type Account, accountNamed } from './accounts/accounts.ts';
import { createApiKey } from './accounts/api-keys.ts';
import type { App } from './app.ts';
import { noteBackfilled } from './catalog/products.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { recordSnapshots } from './collection/record-snapshot.ts';
import { openAccount } from './credits/open-account.ts';
import { readFact, writeFact } from './database/service-facts.ts';
import { isoTime } from './foundation/clock.ts';
import { Problem } from './foundation/problem.ts';
import { newToken } from './foundation/secret.ts';
import { learnMarket } from './sales/learn-market.ts';
import {
  createSimulatedSource,
  type SimulatedSource,
} from './sources/simulated/simulated-source.ts';

const FACT = 'demo';
const DEMO_EMAIL = 'demo@oversight.example';
const DEMO_PLAN = 'Pro';
const DEMO_PRODUCTS = 200;
const HISTORY_DAYS = 3 * 365;

export type Demo = { email: string; password: string; apiKey: string; productCode: string };

/** Fills the database once; null when it was done before. Killed halfway, the next start finishes. */
export async function fillDemo(
  app: App,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Demo | null> {
  if ((await readFact(app.db, FACT)) !== undefined) return null;
  const source = createSimulatedSource({ clock: app.clock });
  const codes = Array.from({ length: DEMO_PRODUCTS }, (_, index) => source.productAt(index).code);
  await fillCatalogue(app, { source, codes }, onProgress);
  await learnMarket(app);
  const account = await demoAccount(app);
  const { apiKey } = await createApiKey(app.db, {
    accountId: account.accountId,
    name: 'Demo',
    now: app.clock.nowMs(),
  });
  const password = await demoPassword(app, account);
  await writeFact(app.db, FACT, isoTime(app.clock.nowMs()));
  return { email: account.email, password, apiKey, productCode: codes[0] ?? '' };
}

/** The best sellers with the last three years, one look a day, and as they are now. */
async function fillCatalogue(
  app: App,
  { source, codes }: { source: SimulatedSource; codes: readonly string[] },
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const now = app.clock.nowMs();
  const range = { fromMs: now - HISTORY_DAYS * 86_400_000, toMs: now + 1 };
  let done = 0;
  for (const code of codes) {
    const observations: Snapshot[] = [];
    for await (const observation of source.history(code, range)) observations.push(observation);
    await recordSnapshots(app, observations);
    await noteBackfilled(app.db, { code, nowMs: now });
    onProgress(++done, codes.length);
  }
}

/** A start that was killed after this one's password was set cannot tell it any more: a new one is set. */
async function demoPassword(app: App, { accountId, email }: Account): Promise<string> {
  const password = newToken().slice(0, 16);
  const token = await app.signIn.newResetToken(email);
  if (token === null) await app.signIn.addPerson({ email, password, accountId });
  else await app.signIn.resetPassword({ token, password });
  return password;
}

async function demoAccount(app: App) {
  const plan = await app.plans.named(DEMO_PLAN);
  try {
    return await openAccount(app, { email: DEMO_EMAIL, plan });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'conflict') {
      return accountNamed(app.db, DEMO_EMAIL);
    }
    throw error;
  }
}
