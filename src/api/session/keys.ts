// /session/keys: the API keys of an account. A key is shown once, when it is created.
import { Type } from 'typebox';
import {
  createApiKey,
  isKeyOfAccount,
  listApiKeys,
  revokeApiKey,
} from '../../accounts/api-keys.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import { isId } from '../../foundation/id.ts';
import { Problem } from '../../foundation/problem.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

const PATH = `${SESSION_PATH}/keys`;

const KeyRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    hint: Type.String({ description: 'The first characters of the key.' }),
    created_at: DateTime('When the key was created'),
    last_used_at: nullable(DateTime('When the key was last used')),
    revoked_at: nullable(DateTime('When the key was revoked')),
  },
  { title: 'ApiKey' },
);

type Deps = { db: Database; clock: Clock };

const common = { tag: 'Session', bucket: 'account' } as const;
const timeOrNull = (atMs: number | null) => (atMs === null ? null : isoTime(atMs));

export function keyEndpoints(deps: Deps): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      path: PATH,
      operation: 'session-keys',
      operationId: 'session.listKeys',
      summary: 'API keys, newest first',
      responses: { 200: Type.Array(KeyRecord) },
      async respond({ caller }) {
        const keys = await listApiKeys(deps.db, caller.account.accountId);
        return {
          json: keys.reverse().map((key) => ({
            id: key.keyId,
            name: key.name,
            hint: key.hint,
            created_at: isoTime(key.createdAtMs),
            last_used_at: timeOrNull(key.lastUsedAtMs),
            revoked_at: timeOrNull(key.revokedAtMs),
          })),
        };
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: PATH,
      operation: 'session-key-create',
      operationId: 'session.createKey',
      summary: 'Create an API key',
      body: Type.Object(
        {
          name: Type.String({
            maxLength: 200,
            pattern: TEXT_PATTERN,
            description: 'a name of 1 to 100 characters',
          }),
        },
        { title: 'NewApiKey' },
      ),
      responses: {
        201: Type.Object(
          {
            id: Type.String(),
            name: Type.String(),
            api_key: Type.String({ description: 'Shown only here.' }),
          },
          { title: 'CreatedApiKey' },
        ),
      },
      errors: [409],
      async respond({ body, caller }) {
        const { accountId } = caller.account;
        const now = deps.clock.nowMs();
        const made = await createApiKey(deps.db, { accountId, name: body.name, now });
        return {
          status: 201,
          json: { id: made.keyId, name: body.name.trim(), api_key: made.apiKey },
        };
      },
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operation: 'session-key-revoke',
      operationId: 'session.revokeKey',
      summary: 'Revoke an API key',
      params: Type.Object({ id: Type.String({ maxLength: 100, description: 'the id of a key' }) }),
      responses: { 204: Type.Null({ description: 'Revoked.' }) },
      errors: [404],
      async respond({ params, caller }) {
        const { accountId } = caller.account;
        const keyId = params.id.toLowerCase();
        if (!isId(keyId) || !(await isKeyOfAccount(deps.db, { accountId, keyId }))) {
          throw new Problem('api_key_not_found', 'No API key has this id.');
        }
        await revokeApiKey(deps.db, { accountId, keyId, now: deps.clock.nowMs() });
        return { json: undefined };
      },
    }),
  ];
}
