// Routes for signed-in people: check origin → session → account → validate → the same steps as with
// an API key. They have their own rate limit, and API keys do not work here.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Account, findAccount } from '../../accounts/accounts.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import type { Database } from '../../database/database.ts';
import { isOutcomeUnknown } from '../../database/failure.ts';
import { bounds } from '../../foundation/bounds.ts';
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

/** Registers a session route: an API endpoint under the prefix, or one of the dashboard's own. */
export function openSessionEndpoint(
  app: FastifyInstance,
  deps: SessionDeps,
  route: Endpoint,
): void {
  const isSessionOnly = route.path.startsWith(SESSION_PATH);
  const opened = isSessionOnly ? route : { ...route, respond: withSessionLinks(route.respond) };
  app.route({
    method: route.method,
    url: isSessionOnly ? route.path : SESSION_PATH + route.path,
    schema: sessionSchema(route, isSessionOnly),
    bodyLimit: route.bodyBytesMax ?? bounds.bodyBytesMax,
    onRequest: async (request, reply) => {
      try {
        await enterSession(deps, request, reply, route);
      } catch (error) {
        if (!isSignedOut(error) || !mayBeSignedOut(route, request)) throw error;
        return reply.code(204).send();
      }
      await limitSession(deps, request);
    },
    handler: (request, reply) => respondFrom(deps, opened, request, reply),
  });
}

/** A page that only asks who is signed in gets no error for nobody: browsers log every 401. */
const mayBeSignedOut = (route: Endpoint, request: FastifyRequest) =>
  route.path === SESSION_PATH && (request.query as { optional?: unknown }).optional === 'true';

const isSignedOut = (error: unknown) =>
  error instanceof Problem && error.code === 'unauthenticated';

/**
 * Separate from the API's buckets, and far above what the dashboard's pages need: it only stops
 * programs that use a session to send requests without end.
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
    `Rate limit exceeded: at most ${limit.perSecond} requests per second. Nothing was charged.`,
    { details: { retry_after_ms: admission.retryAfterMs } },
  );
}

/** Rewrites the next-page link to the session route. */
function withSessionLinks(respond: Endpoint['respond']): Endpoint['respond'] {
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

/** The description for the dashboard's types; API endpoints are described without a session. */
function sessionSchema(route: Endpoint, isSessionOnly: boolean): Record<string, unknown> {
  const schema = endpointSchema(route, {
    isPaid: route.price !== undefined,
    security: [{ session: [] }],
  });
  return isSessionOnly ? schema : { ...schema, hide: true };
}

/** Checks the origin and the session of a request, and sets its person and caller. */
export async function enterSession(
  deps: Pick<SessionDeps, 'db' | 'signIn' | 'allowedOrigins'>,
  request: FastifyRequest,
  reply: FastifyReply,
  /** Whether an account that is scheduled for deletion may use the route. */
  { worksWhileWaiting = false }: { worksWhileWaiting?: boolean | undefined } = {},
): Promise<void> {
  keepPrivate(reply);
  refuseForeignPage(deps.allowedOrigins, request);
  const session = await deps.signIn.personOf(request.headers.cookie).catch((error) => {
    if (!isOutcomeUnknown(error)) throw error;
    throw new Problem(
      'temporarily_unavailable',
      'The database is unreachable. Try again in a few seconds.',
      {
        cause: error,
      },
    );
  });
  const account = session && (await findAccount(deps.db, session.person.accountId));
  if (!session || !account) throw signedOut();
  refuseOtherAccount(request, account.accountId);
  const mayEnter = account.closedAtMs === null || (worksWhileWaiting && canRestore(account));
  if (!mayEnter) throw new Problem('account_closed', 'This account is closed.');
  reply.header('x-request-id', request.id);
  for (const cookie of session.cookies) reply.header('set-cookie', cookie);
  request.person = session.person;
  request.caller = { keyId: null, account };
}

/** The owner requested the deletion and may still cancel it. */
const canRestore = (account: Account) => account.closedBy === 'deletion' && !account.isDeleting;

/**
 * A tab left open still shows one account after another account has signed in. Its requests must
 * not read from, or charge, the other account. An EventSource cannot send headers, so it passes the
 * account in the query.
 */
function refuseOtherAccount(request: FastifyRequest, accountId: string): void {
  const { account } = request.query as { account?: unknown };
  const expected = request.headers['x-account-id'] ?? account;
  if (expected === undefined || expected === accountId) return;
  throw new Problem(
    'other_account_signed_in',
    'Another account is signed in now. Reload the page.',
    {
      details: { signed_in_as_other: true },
    },
  );
}

export const signedOut = () =>
  new Problem('unauthenticated', 'You are not signed in. Sign in and try again.');

/** Personal responses must not be cached. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('vary', 'cookie');
}
