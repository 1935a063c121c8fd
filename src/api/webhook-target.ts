// Whether a webhook may go to an address, asked when it is registered: what is refused then would never be delivered.
// It is asked again at each connect.
import { isIP } from 'node:net';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { ErrorCode } from '../foundation/error-codes.ts';
import { Problem } from '../foundation/problem.ts';
import { findAddresses, NAME_REFUSED, type ResolveName } from '../outbound/checked-connect.ts';
import { plainHost, readTarget, type TargetRules } from '../outbound/target-address.ts';

export type TargetDeps = { targetRules: TargetRules; resolveName: ResolveName };

/** Of this, a part is for the name: somebody waits for the answer. */
const CONNECT_MS = 5_000;

/** A name of our own network is found at once, one that is nowhere a little later: both are refused after this. */
const NAME_REFUSED_AFTER_MS = 150;

/** Throws unless the address may be called, and every address its name resolves to. */
export async function refuseBadTarget(deps: TargetDeps, text: string): Promise<void> {
  const rules = deps.targetRules;
  const target = readTarget(text, rules);
  if ('refused' in target) {
    throw refusal(target.isAddress ? PRIVATE : 'webhook_url_invalid', target.refused);
  }
  const options = { rules, connectMs: CONNECT_MS, resolve: deps.resolveName };
  const startMs = monotonicMs();
  const found = await findAddresses(target.url, options);
  if ('addresses' in found) return;
  if (isIP(plainHost(target.url.hostname)) !== 0) throw refusal(PRIVATE, found.refused);
  await sleepMs(Math.max(0, NAME_REFUSED_AFTER_MS - (monotonicMs() - startMs)));
  throw refusal('webhook_target_unresolvable', NAME_REFUSED);
}

const PRIVATE = 'webhook_target_private';

const refusal = (code: ErrorCode, reason: string) =>
  new Problem(code, `Body member url cannot be a webhook's target: ${reason}.`, { field: 'url' });
