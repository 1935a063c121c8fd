// All session endpoints: those of the API, and those of the dashboard alone.
import type { LinkMail } from '../../accounts/link-mail.ts';
import type { Products } from '../../catalog/read-batched.ts';
import type { Plans } from '../../credits/plans.ts';
import type { Log } from '../../foundation/log.ts';
import type { TargetRules } from '../../outbound/target-address.ts';
import type { Endpoint } from '../metered.ts';
import { accountEndpoints } from './account.ts';
import { costsEndpoint, periodCheckEndpoint } from './costs.ts';
import { deliveryEndpoint } from './delivery.ts';
import { eventsCsvEndpoint, movesEndpoint, recentEventsEndpoint } from './event-log.ts';
import { keyEndpoints } from './keys.ts';
import { libraryEndpoints } from './library.ts';
import { planEndpoint, pricesEndpoint } from './prices.ts';
import { profileEndpoints } from './profile.ts';
import type { SessionDeps } from './session-endpoint.ts';
import { trackedEndpoints } from './tracked.ts';
import { upgradeRequestEndpoint } from './upgrade-request.ts';
import { ledgerCsvEndpoint, ledgerEndpoint, usageEndpoint } from './usage.ts';

/** API endpoints for which the dashboard has a richer one. */
const NOT_FOR_SESSIONS: ReadonlySet<string> = new Set(['oversight-list']);

export function sessionEndpoints(
  deps: SessionDeps & {
    log: Log;
    plans: Plans;
    linkMail: LinkMail;
    targetRules: TargetRules;
    products: Products;
  },
  apiEndpoints: readonly Endpoint[],
): Endpoint[] {
  return [
    ...apiEndpoints.filter(({ operation }) => !NOT_FOR_SESSIONS.has(operation)),
    ...profileEndpoints(deps),
    ...keyEndpoints(deps),
    ...accountEndpoints(deps),
    pricesEndpoint(deps),
    planEndpoint(deps),
    usageEndpoint(deps),
    ledgerEndpoint(deps),
    ledgerCsvEndpoint(deps),
    costsEndpoint(deps),
    periodCheckEndpoint(deps),
    upgradeRequestEndpoint(deps),
    ...libraryEndpoints(deps),
    ...trackedEndpoints(deps),
    recentEventsEndpoint(deps),
    eventsCsvEndpoint(deps),
    movesEndpoint(deps),
    deliveryEndpoint(deps),
  ];
}
