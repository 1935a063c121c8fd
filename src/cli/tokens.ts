// Commands token create and token revoke, for operator tokens.
import {
  createOperatorToken,
  revokeOperatorToken,
  TOKEN_SCOPES,
  type TokenScope,
} from '../accounts/operator-tokens.ts';
import { type Command, requiredOption, WrongUsage } from './command.ts';

export const tokenCommands: readonly Command[] = [
  {
    name: 'token create',
    words: [],
    usage: `token create --scope ${TOKEN_SCOPES.join('|')}`,
    options: { scope: { type: 'string' } },
    on: 'app',
    async run(app, { options }) {
      const scope = requiredOption(options, 'scope') as TokenScope;
      if (!TOKEN_SCOPES.includes(scope)) {
        throw new WrongUsage(`--scope must be one of ${TOKEN_SCOPES.join(', ')}.`);
      }
      const now = app.clock.nowMs();
      const { tokenId, token } = await createOperatorToken(app.db, { scope, now });
      return {
        json: { token_id: tokenId, token },
        text: `Token ${tokenId} for ${scope}.\nToken, shown only now: ${token}`,
      };
    },
  },
  {
    name: 'token revoke',
    words: ['ID'],
    usage: 'token revoke ID',
    on: 'app',
    async run(app, { words }) {
      const tokenId = words[0] as string;
      await revokeOperatorToken(app.db, { tokenId, now: app.clock.nowMs() });
      return { json: { token_id: tokenId, revoked: true }, text: `Token ${tokenId} is revoked.` };
    },
  },
];
