// GET /session and PATCH /session/profile: the signed-in person, their account, and their profile.
import { Type } from 'typebox';
import { findAccount } from '../../accounts/accounts.ts';
import type { LinkMail } from '../../accounts/link-mail.ts';
import type { Person, SignIn } from '../../accounts/sign-in.ts';
import type { Charging } from '../../credits/charge.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { TargetRules } from '../../outbound/target-address.ts';
import { changeSeller } from '../../tracking/change-seller.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from '../wire.ts';
import { SESSION_PATH, signedOut } from './session-endpoint.ts';

const SessionRecord = Type.Object(
  {
    user: Type.Object({ name: Type.String(), email: Type.String() }, { title: 'SessionUser' }),
    account: Type.Object(
      {
        id: Type.String(),
        email: Type.String(),
        seller_name: nullable(Type.String()),
        plan: nullable(Type.String()),
        created_at: DateTime('When the account was created'),
        delete_at: nullable(
          DateTime('When the account is deleted; null if no deletion is scheduled'),
        ),
      },
      { title: 'SessionAccount' },
    ),
    server: Type.Object(
      {
        now: DateTime('The clock of the service, which runs fast in time lapse'),
        clock_speed: Type.Number(),
        mail: Type.String({ enum: ['smtp', 'log', 'none'] }),
        allows_private_targets: Type.Boolean({
          description: 'Whether webhooks may target private addresses.',
        }),
      },
      { title: 'SessionServer' },
    ),
  },
  { title: 'Session' },
);

type Deps = {
  db: Database;
  clock: Clock;
  charging: Charging;
  signIn: SignIn;
  linkMail: LinkMail;
  targetRules: Pick<TargetRules, 'allowPrivateTargets'>;
};

const common = { tag: 'Session', bucket: 'account' } as const;

export function profileEndpoints(deps: Deps): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      path: SESSION_PATH,
      operation: 'session',
      operationId: 'session.get',
      summary: 'The signed-in person and their account',
      query: Type.Object({
        optional: Type.Optional(
          Type.Boolean({ description: 'Return 204 instead of 401 when nobody is signed in.' }),
        ),
      }),
      responses: { 200: SessionRecord, 204: Type.Null({ description: 'Nobody is signed in.' }) },
      worksWhileWaiting: true,
      respond: async ({ person, caller }) => ({
        json: await sessionRecord(deps, person, caller.account.accountId),
      }),
    }),
    endpoint({
      ...common,
      method: 'PATCH',
      path: `${SESSION_PATH}/profile`,
      operation: 'session-profile',
      operationId: 'session.updateProfile',
      summary: 'Change the name or the seller name',
      body: Type.Object(
        {
          name: Type.Optional(
            Type.String({
              maxLength: 100,
              pattern: TEXT_PATTERN,
              description: 'a name of at most 100 characters',
            }),
          ),
          seller_name: Type.Optional(
            nullable(
              Type.String({
                minLength: 1,
                maxLength: 500,
                pattern: TEXT_PATTERN,
                description: 'a seller name of 1 to 500 characters, or null',
              }),
            ),
          ),
        },
        { title: 'ProfileUpdate' },
      ),
      responses: { 200: SessionRecord },
      async respond({ person, body, caller }) {
        const { accountId } = caller.account;
        if (person === null) throw signedOut();
        if (body.name !== undefined) await deps.signIn.rename(person, body.name.trim());
        if (body.seller_name !== undefined) {
          await changeSeller(deps, { accountId, sellerName: body.seller_name });
        }
        const renamed = { ...person, name: body.name?.trim() ?? person.name };
        return { json: await sessionRecord(deps, renamed, accountId) };
      },
    }),
  ];
}

async function sessionRecord(deps: Deps, person: Person | null, accountId: string) {
  const account = await findAccount(deps.db, accountId);
  if (person === null || account === undefined) throw signedOut();
  const balance = await deps.charging.freshBalance(accountId);
  return {
    user: { name: person.name, email: person.email },
    account: {
      id: account.accountId,
      email: account.email,
      seller_name: account.sellerName,
      plan: balance?.plan ?? null,
      created_at: isoTime(account.createdAtMs),
      delete_at: account.deleteAtMs === null ? null : isoTime(account.deleteAtMs),
    },
    server: {
      now: isoTime(deps.clock.nowMs()),
      clock_speed: deps.clock.speed,
      mail: deps.linkMail.way,
      allows_private_targets: deps.targetRules.allowPrivateTargets,
    },
  };
}
