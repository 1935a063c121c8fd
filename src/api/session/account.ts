// The owner's own data: GET /session/account/export, and POST /session/account/delete and /restore.
import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Account } from '../../accounts/accounts.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import { countAttempt } from '../../accounts/sign-in-attempts.ts';
import { requestDeletion, restoreAccount } from '../../closing/close-account.ts';
import { createExportQueue, exportAccount } from '../../closing/export-account.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { Problem } from '../../foundation/problem.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { DateTime, isoTime, nullable } from '../wire.ts';
import {
  enterSession,
  limitSession,
  SESSION_PATH,
  type SessionDeps,
  signedOut,
} from './session-endpoint.ts';

const PATH = `${SESSION_PATH}/account`;
export const EXPORT_PATH = `${PATH}/export`;

const DeletionRecord = Type.Object(
  {
    delete_at: nullable(DateTime('When the account is deleted; null if no deletion is scheduled')),
  },
  { title: 'AccountDeletion' },
);

type Deps = { db: Database; clock: Clock; signIn: SignIn };

const common = { tag: 'Session', bucket: 'account' } as const;
const record = ({ deleteAtMs }: Account) => ({
  delete_at: deleteAtMs === null ? null : isoTime(deleteAtMs),
});

export function accountEndpoints(deps: Deps): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'POST',
      path: `${PATH}/delete`,
      operation: 'session-account-delete',
      operationId: 'session.deleteAccount',
      summary: 'Close the account now and delete it after 30 days',
      body: Type.Object(
        {
          password: Type.String({ maxLength: 1_000, description: 'your password' }),
          confirm_email: Type.String({
            maxLength: 254,
            description: 'the e-mail of the account, to confirm',
          }),
        },
        { title: 'DeleteAccountRequest' },
      ),
      responses: { 200: DeletionRecord },
      async respond({ body, caller, person }) {
        if (person === null) throw signedOut();
        const { account } = caller;
        if (body.confirm_email.trim().toLowerCase() !== account.email) {
          throw new Problem(
            'confirmation_mismatch',
            `Body member confirm_email must be ${account.email}.`,
            {
              field: 'confirm_email',
            },
          );
        }
        await countAttempt(deps.db, [{ kind: 'passwordPerson', of: person.userId }]);
        if (!(await deps.signIn.isPassword(person.userId, body.password))) {
          throw new Problem('password_incorrect', 'The password is incorrect.', {
            field: 'password',
          });
        }
        return { json: record(await requestDeletion(deps, account.accountId)) };
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: `${PATH}/restore`,
      operation: 'session-account-restore',
      operationId: 'session.restoreAccount',
      summary: 'Cancel the deletion of the account',
      body: Type.Object({}, { title: 'EmptyBody' }),
      responses: { 200: DeletionRecord },
      errors: [409],
      worksWhileWaiting: true,
      async respond({ caller }) {
        return { json: record(await restoreAccount(deps, caller.account.accountId)) };
      },
    }),
  ];
}

/**
 * Streams the export, so that the size of an account does not matter. A failure after the start
 * ends the download.
 */
export function openExport(
  app: FastifyInstance,
  deps: SessionDeps & { clock: Clock; log: Log },
): void {
  const turns = createExportQueue();
  app.get(
    EXPORT_PATH,
    {
      schema: { hide: true },
      onRequest: async (request, reply) => {
        await enterSession(deps, request, reply, { worksWhileWaiting: true });
        await limitSession(deps, request);
      },
    },
    async (request, reply) => {
      const accountId = request.caller?.account.accountId as string;
      const end = turns.take(accountId);
      const out = new PassThrough();
      reply.raw.once('close', () => out.destroy());
      const day = isoTime(deps.clock.nowMs()).slice(0, 10);
      exportAccount(deps, { accountId, out })
        .then(
          () => out.end(),
          (error) => {
            deps.log.warn({ accountId, reason: String(error) }, 'export aborted');
            out.destroy(error as Error);
          },
        )
        .finally(end);
      return reply
        .header('content-type', 'application/zip')
        .header('content-disposition', `attachment; filename="oversight-export-${day}.zip"`)
        .send(out);
    },
  );
}
