// Checks the target of a webhook when it is registered: a refused one would never be delivered to.
// The check is repeated at each connect.
import { isIP } from 'node:net';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { ErrorCode } from '../foundation/error-codes.ts';
import { Problem } from '../foundation/problem.ts';
import { findAddresses, NAME_REFUSED, type ResolveName } from '../outbound/checked-connect.ts';
import { plainHost, readTarget, type TargetRules } from '../outbound/target-address.ts';

export type TargetDeps = { targetRules: TargetRules; resolveName: ResolveName };

/** Includes the name lookup; kept short because a client waits for the response. */
const CONNECT_MS = 5_000;

/**
 * Internal names resolve at once and unknown names a little later: refusing both after the same
 * time does not reveal which names exist.
 */
const NAME_REFUSED_AFTER_MS = 150;

/** Throws unless the URL, and every address its name resolves to, may be called. */
export async function refuseBadTarget(deps: TargetDeps, text: string): Promise<void> {
  const rules = deps.targetRules;
  const target = readTarget(text, rules);
  if ('refused' in target) {
    throw refusal(target.isAddress ? PRIVATE : 'webhook_url_invalid', target.refused);
  }
  // Never sent to a server: whoever writes one expects something else.
  if (text.includes('#')) throw refusal('webhook_url_invalid', 'the address must not have a #');
  const options = { rules, connectMs: CONNECT_MS, resolve: deps.resolveName };
  const startMs = monotonicMs();
  const lookup = await findAddresses(target.url, options);
  if ('addresses' in lookup) return;
  if (isIP(plainHost(target.url.hostname)) !== 0) throw refusal(PRIVATE, lookup.refused);
  await sleepMs(Math.max(0, NAME_REFUSED_AFTER_MS - (monotonicMs() - startMs)));
  throw refusal('webhook_target_unresolvable', NAME_REFUSED);
}

const PRIVATE = 'webhook_target_private';

const refusal = (code: ErrorCode, reason: string) =>
  new Problem(code, `Body member url cannot be a webhook's target: ${reason}.`, { field: 'url' });
