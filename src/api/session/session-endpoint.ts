// The door for people who are signed in: own page → session → account → validate → the same steps
// as with a key. No rate limit of the API is touched, and a key opens nothing here.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Account, findAccount } from '../../accounts/accounts.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import type { Database } from '../../database/database.ts';
import { isOutcomeUnknown } from '../../database/failure.ts';
import { sleepMs } from '../../foundation/clock.ts';
import { Problem } from '../../foundation/problem.ts';
import { endpointSchema } from '../describe-endpoint.ts';
import { type Endpoint, type MeteredDeps, respondFrom } from '../metered.ts';
import { type AllowedOrigins, refuseForeignPage } from './allowed-origin.ts';

export const SESSION_PATH = '/session';

export type SessionDeps = MeteredDeps & {
  db: Database;
  signIn: SignIn;
  allowedOrigins: AllowedOrigins;
};

/** Opens a door to sessions: one of the API's under the prefix, or one of the dashboard's own. */
export function openSessionEndpoint(app: FastifyInstance, deps: SessionDeps, own: Endpoint): void {
  const isOwn = own.path.startsWith(SESSION_PATH);
  const opened = isOwn ? own : { ...own, respond: leadingBack(own.respond) };
  app.route({
    method: own.method,
    url: isOwn ? own.path : SESSION_PATH + own.path,
    schema: sessionSchema(own, isOwn),
    onRequest: async (request, reply) => {
      await enterSession(deps, request, reply, own);
      await limitSession(deps, request);
    },
    handler: (request, reply) => respondFrom(deps, opened, request, reply),
  });
}

/**
 * Apart from the API's buckets, which the dashboard leaves alone, and far above what its pages ask:
 * only against a program that would use a session to ask without end.
 */
const SESSION_REQUESTS_PER_SECOND = 100;

export async function limitSession(deps: SessionDeps, request: FastifyRequest): Promise<void> {
  const accountId = request.caller?.account.accountId as string;
  const limit = { bucket: 'session', perSecond: SESSION_REQUESTS_PER_SECOND };
  const admission = await deps.limiter.take(accountId, limit);
  if (admission.admitted) {
    if (admission.holdMs > 0) await sleepMs(Math.ceil(admission.holdMs));
    return;
  }
  deps.metrics.rateLimited.inc({ bucket: limit.bucket });
  throw new Problem(
    'rate_limited',
    `More than ${limit.perSecond} requests in a second; nothing was charged.`,
    { details: { retry_after_ms: admission.retryAfterMs } },
  );
}

/** The next page of a list is behind this door as well, not behind the one for keys. */
function leadingBack(respond: Endpoint['respond']): Endpoint['respond'] {
  return async (request) => {
    const response = await respond(request);
    const link = response.headers?.link;
    if (link === undefined) return response;
    return {
      ...response,
      headers: { ...response.headers, link: link.replace('<', `<${SESSION_PATH}`) },
    };
  };
}

/** The description for the dashboard's types; a door of the API is described there already. */
function sessionSchema(own: Endpoint, isOwn: boolean): Record<string, unknown> {
  const schema = endpointSchema(own, {
    isPaid: own.price !== undefined,
    security: [{ session: [] }],
  });
  return isOwn ? schema : { ...schema, hide: true };
}

/** Who is signed in, for a request that comes from our own page. */
export async function enterSession(
  deps: Pick<SessionDeps, 'db' | 'signIn' | 'allowedOrigins'>,
  request: FastifyRequest,
  reply: FastifyReply,
  /** Whether an account that waits for its deletion may come here. */
  { worksWhileWaiting = false }: { worksWhileWaiting?: boolean | undefined } = {},
): Promise<void> {
  keepPrivate(reply);
  refuseForeignPage(deps.allowedOrigins, request);
  const found = await deps.signIn.personOf(request.headers.cookie).catch((error) => {
    if (!isOutcomeUnknown(error)) throw error;
    throw new Problem('temporarily_unavailable', 'The database does not answer at the moment.', {
      cause: error,
    });
  });
  const account = found && (await findAccount(deps.db, found.person.accountId));
  if (!found || !account) throw signedOut();
  refuseOtherAccount(request, account.accountId);
  const mayEnter = account.closedAtMs === null || (worksWhileWaiting && canRestore(account));
  if (!mayEnter) throw new Problem('account_closed', 'This account is closed.');
  reply.header('x-request-id', request.id);
  for (const cookie of found.cookies) reply.header('set-cookie', cookie);
  request.person = found.person;
  request.caller = { keyId: null, account };
}

/** Its owner asked for its deletion and may take that back. */
const canRestore = (account: Account) => account.closedBy === 'deletion' && !account.isDeleting;

/**
 * A tab that was left open still shows one account when another has signed in beside it: what it
 * asks for, and pays for, must not be the other's. An EventSource cannot send headers, so that it
 * says it in its address.
 */
function refuseOtherAccount(request: FastifyRequest, accountId: string): void {
  const { account } = request.query as { account?: unknown };
  const meant = request.headers['x-account-id'] ?? account;
  if (meant === undefined || meant === accountId) return;
  throw new Problem(
    'other_account_signed_in',
    'Another account is signed in here now: load the page again.',
    {
      details: { signed_in_as_other: true },
    },
  );
}

export const signedOut = () => new Problem('unauthenticated', 'You are not signed in.');

/** What belongs to one person is kept by no cache. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('vary', 'cookie');
}
