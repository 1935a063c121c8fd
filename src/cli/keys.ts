// Command keys reseal: re-encrypts all secrets with the first key of ENCRYPTION_KEY, so that an
// older key can be removed.
import { commandClock } from '../database/time-lapse.ts';
import { realNowMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { openKeys, resealCanary } from '../store.ts';
import { resealSecrets, surveySecrets } from '../webhooks/reseal-secrets.ts';
import type { Command } from './command.ts';

export const encryptionKeyCommands: readonly Command[] = [
  {
    name: 'keys reseal',
    words: [],
    usage: 'keys reseal',
    on: 'store',
    async run({ store, settings }) {
      const encryptionKeys = await openKeys(store, settings);
      if (encryptionKeys === null) {
        throw new Problem(
          'encryption_key_mismatch',
          'ENCRYPTION_KEY does not match this database. Set it to "new,old": the new key first, then the one in use.',
        );
      }
      const { db } = store;
      const now = (await commandClock(db)).nowMs();
      const done = await resealSecrets(db, { encryptionKeys, realNow: realNowMs(), now });
      const left = await surveySecrets(db, { encryptionKeys });
      // Last: until then a process that has only the old key can still start and read its secrets.
      if (left.older === 0) await resealCanary(db, encryptionKeys);
      const unreadable = left.unreadable.map(({ accountId, webhookId }) => ({
        account_id: accountId,
        webhook_id: webhookId,
      }));
      const isDone = left.older === 0;
      return {
        json: {
          ok: isDone,
          resealed: done.resealed,
          resumed: done.resumed,
          older: left.older,
          webhooks: left.webhooks,
          unreadable,
        },
        text: [
          `Resealed ${done.resealed} of ${left.webhooks} webhooks with the first key.`,
          isDone
            ? 'No secret needs an older key; you can remove older keys from ENCRYPTION_KEY.'
            : `${left.older} secrets were meanwhile written with an older key; run this command again.`,
          ...unreadable.map(
            ({ webhook_id, account_id }) =>
              `No key decrypts the secret of webhook ${webhook_id} of account ${account_id}. The customer must rotate it.`,
          ),
          ...(done.resumed === 0 ? [] : [`Active again: ${done.resumed}.`]),
        ].join('\n'),
        exitCode: isDone ? 0 : 1,
      };
    },
  },
];
