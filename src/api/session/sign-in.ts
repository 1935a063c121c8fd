// Signing up, in and out, and passwords: the routes that need no session yet, or change the one
// there is. What they answer does not tell whether an e-mail is known.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { accountNamed, hasAccount } from '../../accounts/accounts.ts';
import type { LinkMail, LinkPurpose } from '../../accounts/link-mail.ts';
import {
  type Cookies,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  personEmail,
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
  /** Requests seem to come from the proxy: TRUST_PROXY is missing. */
  isBehindUnknownProxy: boolean;
};

const FIRST_PLAN = 'Free';

const Email = Type.String({ maxLength: 254, description: 'an e-mail address' });
const NewPassword = Type.String({
  minLength: PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_CHARS_MAX,
  description: `a password of ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`,
});
const GivenPassword = Type.String({ maxLength: 1_000, description: 'a password' });
const Token = Type.String({ minLength: 1, maxLength: 200, description: 'the token of a link' });
const LinkSent = Type.Object(
  {
    sent_to: Type.String(),
    mail: Type.String({ enum: ['smtp', 'log', 'none'], description: 'How links are sent here.' }),
  },
  { title: 'LinkSent' },
);
const Nothing = Type.Null({ description: 'Done.' });

type Entrance<Body extends TObject> = {
  path: string;
  summary: string;
  body: Body;
  responses: Readonly<Record<number, TSchema>>;
  /** Whether somebody must be signed in already. */
  needsSession?: boolean;
  respond(input: {
    body: Static<Body>;
    request: FastifyRequest;
    reply: FastifyReply;
  }): Promise<unknown>;
};

export function openSignIn(app: FastifyInstance, deps: SignInDeps): void {
  for (const entrance of entrances(deps)) {
    app.route({
      method: 'POST',
      url: SESSION_PATH + entrance.path,
      schema: {
        operationId: `session.${camelCase(entrance.path.slice(1))}`,
        tags: ['Session'],
        summary: entrance.summary,
        description: `${entrance.summary}.`,
        security: entrance.needsSession ? [{ session: [] }] : [],
        body: entrance.body,
        response: {
          ...Object.fromEntries(
            Object.entries(entrance.responses).map(([status, schema]) => [
              status,
              jsonResponse(schema, { description: entrance.summary }),
            ]),
          ),
          ...errorResponses([400, 401, 403, 429]),
        },
      },
      onRequest: async (request, reply) => {
        keepPrivate(reply);
        if (entrance.needsSession) await enterSession(deps, request, reply);
        else refuseForeignPage(deps.allowedOrigins, request);
      },
      handler: (request, reply) =>
        entrance.respond({ body: request.body as never, request, reply }).catch(asAway),
    });
  }
}

/**
 * The library passes on what its statements met: a database that restarts is no fault of the
 * request's.
 */
function asAway(error: unknown): never {
  if (!isOutcomeUnknown(error)) throw error;
  throw new Problem('temporarily_unavailable', 'Not possible at the moment; try again shortly.', {
    cause: error,
  });
}

const entrance = <Body extends TObject>(own: Entrance<Body>) => own as unknown as Entrance<TObject>;

function entrances(deps: SignInDeps): Entrance<TObject>[] {
  return [
    entrance({
      path: '/sign-up',
      summary: 'Asks for a link to sign up',
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
    entrance({
      path: '/finish-sign-up',
      summary: 'Chooses a password, makes the account and signs in',
      body: Type.Object({ token: Token, password: NewPassword }, { title: 'FinishSignUpRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        // Before the link is used up.
        refuseUnfitPassword(body.password);
        const email = await deps.signIn.redeemSignUpToken(body.token);
        if (email === null) throw await wrongToken(deps, request);
        await addPersonOnce(deps, { email, password: body.password });
        return withCookies(
          reply,
          await cookiesFor(deps, { email, password: body.password, request }),
        );
      },
    }),
    entrance({
      path: '/sign-in',
      summary: 'Signs in',
      body: Type.Object({ email: Email, password: GivenPassword }, { title: 'SignInRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        const email = personEmail(body.email);
        const counted = await countSignIn(deps, { email, request });
        const cookies = await cookiesFor(deps, { email, password: body.password, request });
        // Before the answer: the next try must not be counted with those that are forgiven.
        await counted.succeeded();
        return withCookies(reply, cookies);
      },
    }),
    entrance({
      path: '/sign-out',
      summary: 'Signs out',
      body: Type.Object({}, { title: 'EmptyBody' }),
      responses: { 204: Nothing },
      async respond({ request, reply }) {
        return withCookies(reply, await deps.signIn.signOut(request.headers.cookie));
      },
    }),
    ...passwordEntrances(deps),
  ];
}

function passwordEntrances(deps: SignInDeps): Entrance<TObject>[] {
  return [
    entrance({
      path: '/request-password-reset',
      summary: 'Asks for a link to choose a new password',
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
    entrance({
      path: '/reset-password',
      summary: 'Chooses a new password; every session ends but the new one',
      body: Type.Object({ token: Token, password: NewPassword }, { title: 'ResetPasswordRequest' }),
      responses: { 204: Nothing },
      async respond({ body, request, reply }) {
        refuseUnfitPassword(body.password);
        const reset = await deps.signIn.resetPassword(body);
        if (reset === null) throw await wrongToken(deps, request);
        const { email } = reset;
        return withCookies(
          reply,
          await cookiesFor(deps, { email, password: body.password, request }),
        );
      },
    }),
    entrance({
      path: '/change-password',
      summary: 'Changes the password; other sessions end',
      body: Type.Object(
        { current_password: GivenPassword, new_password: NewPassword },
        { title: 'ChangePasswordRequest' },
      ),
      responses: { 204: Nothing },
      needsSession: true,
      async respond({ body, request, reply }) {
        refuseUnfitPassword(body.new_password, 'new_password');
        const userId = request.person?.userId as string;
        await countAttempt(deps.db, [{ kind: 'passwordPerson', of: userId }]);
        const cookies = await deps.signIn.changePassword({
          userId,
          cookie: request.headers.cookie,
          current: body.current_password,
          next: body.new_password,
        });
        if (cookies === null) {
          throw new Problem('password_incorrect', 'The current password is not right.', {
            field: 'current_password',
          });
        }
        return withCookies(reply, cookies);
      },
    }),
  ];
}

/**
 * Two links, both opened, perhaps at once: the second finds somebody there and only may reset the
 * password.
 */
async function addPersonOnce(
  deps: SignInDeps,
  input: { email: string; password: string },
): Promise<void> {
  const { email } = input;
  if (await deps.signIn.isRegistered(email)) throw deadLink();
  try {
    await deps.signIn.addPerson({ ...input, accountId: await accountFor(deps, email) });
  } catch (error) {
    throw (await deps.signIn.isRegistered(email)) ? deadLink() : error;
  }
}

/** The account of a proven e-mail: an operator's, one left by a crash, or a new one. */
async function accountFor(deps: SignInDeps, email: string): Promise<string> {
  const there = await accountNamed(deps.db, email).catch(() => null);
  if (there !== null && there.deleteAtMs !== null) {
    throw new Problem(
      'email_of_deleted_account',
      `The account of this e-mail is being deleted; sign up again after ${isoTime(there.deleteAtMs)}.`,
      { field: 'email' },
    );
  }
  try {
    return (await openAccount(deps, { email, plan: await deps.plans.named(FIRST_PLAN) })).accountId;
  } catch (error) {
    // There already, or made by another request at this moment.
    const known = await accountNamed(deps.db, email).catch(() => null);
    if (known === null) throw error;
    return known.accountId;
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
    throw new Problem('credentials_incorrect', 'The e-mail or the password is not right.');
  }
  // From now on this browser is known, and no stranger's tries count against it.
  return [...cookies, deps.signIn.devices.cookieFor({ cookie: request.headers.cookie, email })];
}

function withCookies(reply: FastifyReply, cookies: Cookies): FastifyReply {
  for (const cookie of cookies) reply.header('set-cookie', cookie);
  return reply.code(204).send();
}

type Link = { purpose: LinkPurpose; path: string };

/** Answers at once and alike; what depends on whether the e-mail is known happens afterwards. */
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
  void sent().catch((error) => deps.log.error({ reason: String(error) }, 'a link was not sent'));
  return input.reply.code(202).send({ sent_to: email, mail: deps.linkMail.way });
}

/** Only wrong tokens are counted: a right one always works, whoever shares the address. */
async function wrongToken(deps: SignInDeps, request: FastifyRequest): Promise<Problem> {
  await countAttempt(deps.db, [{ kind: 'tokenAddress', of: networkOf(request.ip) }]);
  return deadLink();
}

const deadLink = () =>
  new Problem('link_expired', 'This link was used already, or it has expired: ask for a new one.');
