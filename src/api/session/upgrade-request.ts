// POST /session/upgrade-request: asks the operator for another plan; the service takes no payments.
import { Type } from 'typebox';
import type { LinkMail } from '../../accounts/link-mail.ts';
import { countAttempt } from '../../accounts/sign-in-attempts.ts';
import type { Charging } from '../../credits/charge.ts';
import type { Plans } from '../../credits/plans.ts';
import type { Database } from '../../database/database.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { SESSION_PATH } from './session-endpoint.ts';

type Deps = { db: Database; charging: Charging; plans: Plans; linkMail: LinkMail };

export function upgradeRequestEndpoint(deps: Deps): Endpoint {
  return endpoint({
    tag: 'Session',
    bucket: 'account',
    method: 'POST',
    path: `${SESSION_PATH}/upgrade-request`,
    operation: 'session-upgrade-request',
    operationId: 'session.requestUpgrade',
    summary: 'Ask the operator for another plan; at most three times a day',
    body: Type.Object(
      { plan: Type.String({ minLength: 1, maxLength: 100, description: 'the name of a plan' }) },
      { title: 'UpgradeRequest' },
    ),
    responses: {
      202: Type.Object({ plan: Type.String() }, { title: 'RequestedUpgrade' }),
    },
    async respond({ body, caller }) {
      const { accountId, email } = caller.account;
      const { name: requestedPlan } = await deps.plans.named(body.plan);
      await countAttempt(deps.db, [{ kind: 'upgradeRequest', of: accountId }]);
      const balance = await deps.charging.freshBalance(accountId);
      await deps.linkMail.requestUpgrade({
        email,
        accountId,
        plan: balance?.plan ?? 'none',
        requestedPlan,
      });
      return { status: 202, json: { plan: requestedPlan } };
    },
  });
}
