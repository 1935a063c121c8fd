// Whether a webhook may go to an address, asked when it is registered: what is refused then would never be delivered.
// It is asked again at each connect.
import { Problem } from '../foundation/problem.ts';
import { findAddresses, type ResolveName } from '../webhooks/checked-connect.ts';
import { readTarget, type TargetRules } from '../webhooks/target-address.ts';

export type TargetDeps = { targetRules: TargetRules; resolveName: ResolveName };

/** Of this, a part is for the name: somebody waits for the answer. */
const CONNECT_MS = 5_000;

/** Throws unless the address may be called, and every address its name resolves to. */
export async function refuseBadTarget(deps: TargetDeps, text: string): Promise<void> {
  const rules = deps.targetRules;
  const target = readTarget(text, rules);
  if ('refused' in target) throw refusal(target.refused);
  const options = { rules, connectMs: CONNECT_MS, resolve: deps.resolveName };
  const found = await findAddresses(target.url, options);
  if ('refused' in found) throw refusal(found.refused);
}

const refusal = (reason: string) =>
  new Problem('invalid_request', `Body member url cannot be a webhook's target: ${reason}.`);
