// Sign-up, sign-in, sign-out and passwords: the routes that create, change or end a session. Their
// responses do not reveal whether an e-mail is registered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { accountNamed, hasAccount } from '../../accounts/accounts.ts';
import type { LinkMail, LinkPurpose } from '../../accounts/link-mail.ts';
import {
  type Cookies,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  personEmail,
  refuseCommonPassword,
  refuseUnfitPassword,
  type SignIn,
} from '../../accounts/sign-in.ts';
import { countAttempt, networkOf } from '../../accounts/sign-in-attempts.ts';
import { openAccount } from '../../credits/open-account.ts';
import type { Plans } from '../../credits/plans.ts';
import type { Database } from '../../database/database.ts';
import { isOutcomeUnknown } from '../../database/failure.ts';
import type { PartitionKeeper } from '../../database/partitions.ts';
import { type Clock, isoTime } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { Problem } from '../../foundation/problem.ts';
import { errorResponses, jsonResponse } from '../describe-endpoint.ts';
import { camelCase } from '../event-payload.ts';
import { type AllowedOrigins, refuseForeignPage } from './allowed-origin.ts';
import { countLink, countSignIn } from './count-tries.ts';
import { enterSession, keepPrivate, SESSION_PATH } from './session-endpoint.ts';

export type SignInDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  plans: Plans;
  ledgerPartitions: PartitionKeeper;
  signIn: SignIn;
  linkMail: LinkMail;
  allowedOrigins: AllowedOrigins;
  /** TRUST_PROXY is missing, so requests seem to come from the proxy. */
  isBehindUnknownProxy: boolean;
};

const FIRST_PLAN = 'Free';

const Email = Type.String({ maxLength: 254, description: 'an e-mail address' });
const NewPassword = Type.String({
  minLength: PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_CHARS_MAX,
  description: `a password of ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`,
});
const CurrentPassword = Type.String({ maxLength: 1_000, description: 'a password' });
const Token = Type.String({ minLength: 1, maxLength: 200, description: 'the token of a link' });
const LinkSent = Type.Object(
  {
    sent_to: Type.String(),
    mail: Type.String({
      enum: ['smtp', 'log', 'none'],
      description: 'How this service sends links.',
    }),
  },
  { title: 'LinkSent' },
);
const Nothing = Type.Null({ description: 'Done.' });

type SignInRoute<Body extends TObject> = {
  path: string;
  summary: string;
  body: Body;
  responses: Readonly<Record<number, TSchema>>;
  /** Whether the route requires a session. */
  needsSession?: boolean;
  respond(input: {
    body: Static<Body>;
    request: FastifyRequest;
    reply: FastifyReply;
  }): Promise<unknown>;
};

export function openSignIn(app: FastifyInstance, deps: SignInDeps): void {
  for (const route of signInRoutes(deps)) {
    app.route({
      method: 'POST',
      url: SESSION_PATH + route.path,
      schema: {
        operationId: `session.${camelCase(route.path.slice(1))}`,
        tags: ['Session'],
        summary: route.summary,
        description: `${route.summary}.`,
        security: route.needsSession ? [{ session: [] }] : [],
        body: route.body,
        response: {
          ...Object.fromEntries(
            Object.entries(route.responses).map(([status, schema]) => [
              status,
              jsonResponse(schema, { description: route.summary }),
            ]),
          ),
          ...errorResponses([400, 401, 403, 429]),
        },
      },
      onRequest: async (request, reply) => {
        keepPrivate(reply);
        if (route.needsSession) await enterSession(deps, request, reply);
        else refuseForeignPage(deps.allowedOrigins, request);
      },
      handler: (request, reply) =>
        route.respond({ body: request.body as never, request, reply }).catch(asAway),
    });
  }
}

/**
 * The sign-in library passes on database errors: a restarting database is a temporary failure, not
 * an internal error.
 */
function asAway(error: unknown): never {
  if (!isOutcomeUnknown(error)) throw error;
  throw new Problem(
    'temporarily_unavailable',
    'Temporarily unavailable. Try again in a few seconds.',
    {
      cause: error,
    },
  );
}

const signInRoute = <Body extends TObject>(definition: SignInRoute<Body>) =>
  definition as unknown as SignInRoute<TObject>;

function signInRoutes(deps: SignInDeps): SignInRoute<TObject>[] {
  return [
    signInRoute({
      path: '/sign-up',
      summary: 'Request a link to sign up',
      body: Type.Object({ email: Email }, { title: 'SignUpRequest' }),
      responses: { 202: LinkSent },
      respond: ({ body, request, reply }) =>
        respondWithLink(deps, { email: body.email, request, reply }, async (email) => {
          if (!(await deps.signIn.isRegistered(email))) {
            const token = await deps.signIn.newSignUpToken(email);
            const purpose = (await hasAccount(deps.db, email)) ? 'join' : 'sign-up';
            return { purpose, path: `/finish-sign-up?token=${token}` };
          }
          const token = await deps.signIn.newResetToken(email);
          return { purpose: 'already-signed-up', path: `/reset-password?token=${token}` };
        }),
    }),
    signInRoute({
      path: '/finish-sign-up',
      summary: 'Choose a password, create the account and sign in',
      body: Type.Object({ token: Token, password: NewPassword }, { title: 'FinishSignUpRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        // Before the link is redeemed.
        refuseUnfitPassword(body.password);
        await refuseClosedLink(deps, { purpose: 'sign-up', token: body.token, request });
        await refuseCommonPassword(body);
        const email = await deps.signIn.redeemSignUpToken(body.token);
        if (email === null) throw await wrongToken(deps, request);
        await addPersonOnce(deps, { email, password: body.password });
        return withCookies(
          reply,
          await cookiesFor(deps, { email, password: body.password, request }),
        );
      },
    }),
    signInRoute({
      path: '/sign-in',
      summary: 'Sign in',
      body: Type.Object({ email: Email, password: CurrentPassword }, { title: 'SignInRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        const email = personEmail(body.email);
        const counted = await countSignIn(deps, { email, request });
        const cookies = await cookiesFor(deps, { email, password: body.password, request });
        // Before the response: the next attempt must not be counted with the forgiven ones.
        await counted.succeeded();
        return withCookies(reply, cookies);
      },
    }),
    signInRoute({
      path: '/sign-out',
      summary: 'Sign out',
      body: Type.Object({}, { title: 'EmptyBody' }),
      responses: { 204: Nothing },
      async respond({ request, reply }) {
        return withCookies(reply, await deps.signIn.signOut(request.headers.cookie));
      },
    }),
    ...passwordRoutes(deps),
  ];
}

function passwordRoutes(deps: SignInDeps): SignInRoute<TObject>[] {
  return [
    signInRoute({
      path: '/check-link',
      summary: 'Check whether a link still works, before a password is typed',
      body: Type.Object(
        { token: Token, purpose: Type.String({ enum: ['sign-up', 'reset-password'] }) },
        { title: 'CheckLinkRequest' },
      ),
      responses: { 200: Type.Object({ works: Type.Boolean() }, { title: 'CheckedLink' }) },
      async respond({ body, request, reply }) {
        const purpose = body.purpose === 'sign-up' ? 'sign-up' : 'reset-password';
        const works = await deps.signIn.isLinkOpen(purpose, body.token);
        if (!works) await countWrongToken(deps, request);
        return reply.send({ works });
      },
    }),
    signInRoute({
      path: '/request-password-reset',
      summary: 'Request a link to choose a new password',
      body: Type.Object({ email: Email }, { title: 'RequestPasswordResetRequest' }),
      responses: { 202: LinkSent },
      respond: ({ body, request, reply }) =>
        respondWithLink(deps, { email: body.email, request, reply }, async (email) => {
          const token = await deps.signIn.newResetToken(email);
          return token === null
            ? null
            : { purpose: 'reset', path: `/reset-password?token=${token}` };
        }),
    }),
    signInRoute({
      path: '/reset-password',
      summary: 'Choose a new password; ends every session but the new one',
      body: Type.Object({ token: Token, password: NewPassword }, { title: 'ResetPasswordRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        refuseUnfitPassword(body.password);
        await refuseClosedLink(deps, { purpose: 'reset-password', token: body.token, request });
        await refuseCommonPassword(body);
        const reset = await deps.signIn.resetPassword(body);
        if (reset === null) throw await wrongToken(deps, request);
        const { email } = reset;
        return withCookies(
          reply,
          await cookiesFor(deps, { email, password: body.password, request }),
        );
      },
    }),
    signInRoute({
      path: '/change-password',
      summary: 'Change the password; ends the other sessions',
      body: Type.Object(
        { current_password: CurrentPassword, new_password: NewPassword },
        { title: 'ChangePasswordRequest' },
      ),
      responses: { 204: Nothing },
      needsSession: true,
      async respond({ body, request, reply }) {
        refuseUnfitPassword(body.new_password, 'new_password');
        const userId = request.person?.userId as string;
        await countAttempt(deps.db, [{ kind: 'passwordPerson', of: userId }]);
        await refuseCommonPassword({
          password: body.new_password,
          email: request.person?.email,
          field: 'new_password',
        });
        const cookies = await deps.signIn.changePassword({
          userId,
          cookie: request.headers.cookie,
          current: body.current_password,
          next: body.new_password,
        });
        if (cookies === null) {
          throw new Problem('password_incorrect', 'The current password is incorrect.', {
            field: 'current_password',
          });
        }
        return withCookies(reply, cookies);
      },
    }),
  ];
}

/**
 * If two sign-up links are opened, perhaps at once, the second fails: the person exists already and
 * can only reset the password.
 */
async function addPersonOnce(
  deps: SignInDeps,
  input: { email: string; password: string },
): Promise<void> {
  const { email } = input;
  if (await deps.signIn.isRegistered(email)) throw expiredLink();
  try {
    await deps.signIn.addPerson({ ...input, accountId: await accountFor(deps, email) });
  } catch (error) {
    throw (await deps.signIn.isRegistered(email)) ? expiredLink() : error;
  }
}

/** The account of a proven e-mail: created by an operator, left by a crash, or new. */
async function accountFor(deps: SignInDeps, email: string): Promise<string> {
  const account = await accountNamed(deps.db, email).catch(() => null);
  if (account !== null && account.deleteAtMs !== null) {
    throw new Problem(
      'email_of_deleted_account',
      `The account of this e-mail is being deleted. Sign up again after ${isoTime(account.deleteAtMs)}.`,
      { field: 'email' },
    );
  }
  try {
    return (await openAccount(deps, { email, plan: await deps.plans.named(FIRST_PLAN) })).accountId;
  } catch (error) {
    // The account exists already, or another request has just created it.
    const existing = await accountNamed(deps.db, email).catch(() => null);
    if (existing === null) throw error;
    return existing.accountId;
  }
}

async function cookiesFor(
  deps: SignInDeps,
  input: { email: string; password: string; request: FastifyRequest },
): Promise<Cookies> {
  const { email, password, request } = input;
  const from = { ip: request.ip, userAgent: request.headers['user-agent'] };
  const cookies = await deps.signIn.signIn({ email, password, from });
  if (cookies === null) {
    throw new Problem('credentials_incorrect', 'The e-mail or the password is incorrect.');
  }
  // From now on this is a known device: attempts from elsewhere do not count against it.
  return [...cookies, deps.signIn.devices.cookieFor({ cookie: request.headers.cookie, email })];
}

function withCookies(reply: FastifyReply, cookies: Cookies): FastifyReply {
  for (const cookie of cookies) reply.header('set-cookie', cookie);
  return reply.code(204).send();
}

type Link = { purpose: LinkPurpose; path: string };

/**
 * Responds at once and always alike; the work that depends on whether the e-mail is registered
 * happens afterwards.
 */
async function respondWithLink(
  deps: SignInDeps,
  input: { email: string; request: FastifyRequest; reply: FastifyReply },
  makeLink: (email: string) => Promise<Link | null>,
): Promise<FastifyReply> {
  const email = personEmail(input.email);
  await countLink(deps, { email, request: input.request });
  const sent = async () => {
    const link = await makeLink(email);
    if (link === null) return;
    const url = deps.allowedOrigins.publicUrl + link.path;
    await deps.linkMail.send({ to: email, purpose: link.purpose, url });
  };
  void sent().catch((error) => deps.log.error({ reason: String(error) }, 'link not sent'));
  return input.reply.code(202).send({ sent_to: email, mail: deps.linkMail.way });
}

async function refuseClosedLink(
  deps: SignInDeps,
  input: { purpose: 'sign-up' | 'reset-password'; token: string; request: FastifyRequest },
): Promise<void> {
  if (await deps.signIn.isLinkOpen(input.purpose, input.token)) return;
  throw await wrongToken(deps, input.request);
}

/** Counts only wrong tokens: a valid one always works, whoever shares the address. */
async function wrongToken(deps: SignInDeps, request: FastifyRequest): Promise<Problem> {
  await countWrongToken(deps, request);
  return expiredLink();
}

const countWrongToken = (deps: SignInDeps, request: FastifyRequest) =>
  countAttempt(deps.db, [{ kind: 'tokenAddress', of: networkOf(request.ip) }]);

const expiredLink = () =>
  new Problem('link_expired', 'This link was already used or has expired. Request a new one.');
