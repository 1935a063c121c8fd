// Counts tries to sign in and requests for links so that a stranger can lock nobody out (decision 10): a browser that
// has signed in before has limits of its own; all others share those of their address, of the e-mail, and of both.
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

/** Refuses one try too many; after a right password `succeeded` forgives. */
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
    // The address first: one that has had too many leaves no traces of ever more e-mails.
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

/** A link sent because of somebody else's request is in the owner's inbox and works: waiting is not the only way. */
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

/** The address is that of a proxy, behind which is everybody. */
const isShared = (deps: Deps, request: FastifyRequest) =>
  deps.isBehindUnknownProxy && isLocalAddress(request.ip);
