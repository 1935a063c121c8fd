// Counts sign-in attempts and link requests so that strangers cannot lock anyone out (decision 10):
// a browser that has signed in before has separate limits; all others share the limits of their
// network, of the e-mail, and of both together.
import type { FastifyRequest } from 'fastify';
import { isLocalAddress } from '../../accounts/proxy-trust.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import {
  countAttempt,
  forgetAttempts,
  networkOf,
  type Subject,
  uncountAttempts,
} from '../../accounts/sign-in-attempts.ts';
import type { Database } from '../../database/database.ts';

type Deps = { db: Database; signIn: SignIn; isBehindUnknownProxy: boolean };
type Try = { email: string; request: FastifyRequest };

/** Throws if there were too many attempts. Call `succeeded` after a correct password. */
export async function countSignIn(
  deps: Deps,
  { email, request }: Try,
): Promise<{ succeeded(): Promise<void> }> {
  const network = networkOf(request.ip);
  const deviceId = deps.signIn.devices.idOf({ cookie: request.headers.cookie, email });
  const work: Subject = { kind: 'signInWork', of: `${email} ${network}` };
  if (deviceId !== null) {
    const device: Subject = { kind: 'signInDevice', of: `${email} ${deviceId}` };
    await countAttempt(deps.db, [work, device]);
    return { succeeded: () => forgetAttempts(deps.db, device) };
  }
  const pair: Subject = { kind: 'signInPair', of: `${email} ${network}` };
  const shared: Subject[] = [
    // The address first: one over its limit must not add rows for ever more e-mails.
    { kind: isShared(deps, request) ? 'signInProxy' : 'signInAddress', of: network },
    { kind: 'signInEmail', of: email },
    { kind: 'signInEmailDay', of: email },
  ];
  await countAttempt(deps.db, [shared[0] as Subject, work, pair, ...shared.slice(1)]);
  return {
    async succeeded() {
      await forgetAttempts(deps.db, pair);
      await uncountAttempts(deps.db, shared);
    },
  };
}

/**
 * A limit reached by somebody else's requests locks nobody out: the links they caused are in the
 * owner's inbox and work.
 */
export async function countLink(deps: Deps, { email, request }: Try): Promise<void> {
  const deviceId = deps.signIn.devices.idOf({ cookie: request.headers.cookie, email });
  if (deviceId !== null) {
    await countAttempt(deps.db, [{ kind: 'linkDevice', of: `${email} ${deviceId}` }]);
    return;
  }
  const network = networkOf(request.ip);
  await countAttempt(deps.db, [
    { kind: isShared(deps, request) ? 'linkProxy' : 'linkAddress', of: network },
    { kind: 'linkPair', of: `${email} ${network}` },
    { kind: 'linkEmail', of: email },
  ]);
}

/** Whether the address is that of a proxy, which all visitors share. */
const isShared = (deps: Deps, request: FastifyRequest) =>
  deps.isBehindUnknownProxy && isLocalAddress(request.ip);
