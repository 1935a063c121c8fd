// Bearer tokens of the operator's tools: one scope each, stored as SHA-256, revocable.
import type { Database } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { newSecret, secretHash } from '../foundation/secret.ts';
import { createGuardedLookUp, type From } from './guarded-look-up.ts';

export const TOKEN_SCOPES = ['ingest', 'metrics'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Creates a token and returns it: the only time that it can be read. */
export async function createOperatorToken(
  db: Database,
  input: { scope: TokenScope; now: number },
): Promise<{ tokenId: string; token: string }> {
  const token = newSecret('ovt_');
  const tokenId = newId();
  await db.query(
    'insert into operator_tokens (token_id, token_hash, scope, created_at) values ($1, $2, $3, $4)',
    [tokenId, secretHash(token), input.scope, isoTime(input.now)],
  );
  return { tokenId, token };
}

export async function revokeOperatorToken(
  db: Database,
  input: { tokenId: string; now: number },
): Promise<void> {
  const revoked = isId(input.tokenId)
    ? await db.query(
        `update operator_tokens set revoked_at = coalesce(revoked_at, $2) where token_id = $1
         returning token_id`,
        [input.tokenId, isoTime(input.now)],
      )
    : [];
  if (revoked.length === 0)
    throw new Problem('operator_token_not_found', `There is no token ${input.tokenId}.`);
}

export type OperatorTokens = ReturnType<typeof createOperatorTokens>;

export function createOperatorTokens(db: Database) {
  const lookUp = createGuardedLookUp<TokenScope>({
    name: 'token-look-ups',
    prefix: 'ovt_',
    load: (hashes) => readScopes(db, hashes),
  });
  return {
    /** Whether this token grants that scope. Never cached: a revoked token stops at once. */
    opens: async ({
      token,
      scope,
      from,
    }: {
      token: string;
      scope: TokenScope;
      from: From;
    }): Promise<boolean> => (await lookUp.find(token, from)) === scope,
  };
}

async function readScopes(db: Database, hashes: readonly Buffer[]): Promise<(TokenScope | null)[]> {
  const rows = await db.read<{ token_hash: Buffer; scope: TokenScope }>(
    `select token_hash, scope from operator_tokens
      where token_hash = any($1::bytea[]) and revoked_at is null`,
    [hashes],
  );
  const scopes = new Map(rows.map((row) => [row.token_hash.toString('hex'), row.scope]));
  return hashes.map((tokenHash) => scopes.get(tokenHash.toString('hex')) ?? null);
}
