// The demo account as if it had been in use for days: tracked products, a webhook to the built-in
// receiver, events and a ledger. The days are run through the service's own acts on a clock in the
// past, so that everything adds up as it would for a customer.
import { type Account, accountNamed } from './accounts/accounts.ts';
import type { App } from './app.ts';
import type { Product } from './catalog/product.ts';
import { collectDue } from './collection/collect-due.ts';
import { openAccount } from './credits/open-account.ts';
import { readRules } from './events/read-rules.ts';
import { manualClock } from './foundation/clock.ts';
import { newId } from './foundation/id.ts';
import { Problem } from './foundation/problem.ts';

import { DAY_MS, HOUR_MS } from './foundation/time.ts';
import { createSimulatedSource } from './sources/simulated/simulated-source.ts';
import { fanOut } from './tracking/fan-out.ts';
import type { Tier } from './tracking/tier.ts';
import { trackProducts } from './tracking/track.ts';
import { firstState } from './tracking/watcher-change.ts';
import { BUILT_IN_RECEIVER } from './webhooks/post.ts';
import { newWebhookSecret } from './webhooks/signature.ts';
import { insertSubscription } from './webhooks/subscriptions.ts';

const DEMO_EMAIL = 'demo@oversight.example';
const DEMO_PLAN = 'Pro';

/** Days that the demo account is old; long enough for a few events. */
export const DEMO_DAYS = 2;
/** The finest tier of a demo product: every slot is served in each step. */
const STEP_MS = 6 * HOUR_MS;
const TIERS: readonly Tier[] = [2, 2, 2, 3, 3, 4];
const RULES = { price: { percent: 1, usd: 0.1 } };
const TAGS = [['kitchen'], ['kitchen'], ['home'], ['home'], ['audio'], []];

/** How many products the demo account tracks. */
export const DEMO_TRACKED = TIERS.length;

/** Opens the account. Its past is made once: after a crash in it, the account has less of one. */
export async function openDemoAccount(app: App, codes: readonly string[]): Promise<Account> {
  const nowMs = app.clock.nowMs();
  const clock = manualClock(nowMs - DEMO_DAYS * DAY_MS);
  const past = { ...app, clock, source: createSimulatedSource({ clock }) };
  const plan = await app.plans.named(DEMO_PLAN);
  try {
    const account = await openAccount(past, { email: DEMO_EMAIL, plan });
    await addWebhook(past, account);
    await track(past, account, codes);
    while (clock.nowMs() + STEP_MS <= nowMs) {
      clock.advanceMs(STEP_MS);
      while ((await collectDue(past, { isTracked: true })) > 0);
      while ((await fanOut(past)) > 0);
    }
    return account;
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'conflict')) throw error;
    return accountNamed(app.db, DEMO_EMAIL);
  }
}

/** The only webhook with this target: the API accepts no URL without http. */
async function addWebhook(app: App, { accountId }: Account): Promise<void> {
  const webhook = {
    accountId,
    webhookId: newId(),
    name: 'Built-in receiver',
    url: BUILT_IN_RECEIVER,
    kinds: null,
    secret: newWebhookSecret(),
    encryptionKeys: app.encryptionKeys,
    now: app.clock.nowMs(),
  };
  await app.db.transaction((tx) => insertSubscription(tx, webhook));
}

async function track(app: App, { accountId }: Account, codes: readonly string[]): Promise<void> {
  const products = await Promise.all(codes.map((code) => app.products.byCode(code)));
  const items = products
    .filter((product): product is Product => product !== undefined)
    .map((product, index) => ({
      code: product.code,
      changes: { tier: TIERS[index], rules: RULES, tags: TAGS[index] },
      first: {
        seenAtMs: product.observedAtMs,
        state: firstState(product, { rules: readRules(RULES), estimatedUnitsPerDay: null }),
      },
    }));
  await trackProducts(app, { accountId, items });
}
