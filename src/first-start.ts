// What a first start leaves behind so that there is something to try: a demo account and a catalogue.
import { accountNamed } from './accounts/accounts.ts';
import { createApiKey } from './accounts/api-keys.ts';
import type { App } from './app.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { recordSnapshots } from './collection/record-snapshot.ts';
import { createSimulatedSource } from './collection/simulated-source/simulated-source.ts';
import { openAccount } from './credits/open-account.ts';
import { readFact, writeFact } from './database/service-facts.ts';
import { isoTime } from './foundation/clock.ts';
import { Problem } from './foundation/problem.ts';

const FACT = 'demo';
const DEMO_EMAIL = 'demo@oversight.example';
const DEMO_PLAN = 'Pro';
const DEMO_PRODUCTS = 200;

export type Demo = { email: string; apiKey: string; productCode: string };

/** Fills the database once; null when it was done before. Killed halfway, the next start finishes. */
export async function fillDemo(app: App): Promise<Demo | null> {
  if ((await readFact(app.db, FACT)) !== undefined) return null;
  const looks = demoLooks(app);
  await recordSnapshots(app, looks);
  const account = await demoAccount(app);
  const { apiKey } = await createApiKey(app.db, {
    accountId: account.accountId,
    name: 'Demo',
    now: app.clock.nowMs(),
  });
  await writeFact(app.db, FACT, isoTime(app.clock.nowMs()));
  return { email: account.email, apiKey, productCode: looks[0]?.code ?? '' };
}

/** The best sellers of the simulated marketplace as they are now. */
function demoLooks(app: App): Snapshot[] {
  const source = createSimulatedSource({ clock: app.clock });
  return Array.from({ length: DEMO_PRODUCTS }, (_, index) => {
    const { code } = source.productAt(index);
    const look = source.snapshotAt(code, app.clock.nowMs());
    if (look === null) throw new Error(`The simulated marketplace does not know its own ${code}.`);
    return look;
  });
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
