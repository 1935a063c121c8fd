// The one table of what a person who is signed in may do: the API's own doors, and those of the dashboard alone.
import type { LinkMail } from '../../accounts/link-mail.ts';
import type { Plans } from '../../credits/plans.ts';
import type { Log } from '../../foundation/log.ts';
import type { TargetRules } from '../../outbound/target-address.ts';
import type { Door } from '../metered.ts';
import { accountDoors } from './account.ts';
import { deliveryDoor, recentEventsDoor } from './events.ts';
import { keyDoors } from './keys.ts';
import { planDoor, pricesDoor } from './prices.ts';
import { profileDoors } from './profile.ts';
import type { SessionDeps } from './session-door.ts';
import { trackedDoors } from './tracked.ts';
import { ledgerCsvDoor, ledgerDoor, usageDoor } from './usage.ts';

/** It would show less: the dashboard has its own. */
const NOT_FOR_SESSIONS: ReadonlySet<string> = new Set(['oversight-list']);

export function sessionDoors(
  deps: SessionDeps & { log: Log; plans: Plans; linkMail: LinkMail; targetRules: TargetRules },
  apiDoors: readonly Door[],
): Door[] {
  return [
    ...apiDoors.filter(({ operation }) => !NOT_FOR_SESSIONS.has(operation)),
    ...profileDoors(deps),
    ...keyDoors(deps),
    ...accountDoors(deps),
    pricesDoor(),
    planDoor(deps),
    usageDoor(deps),
    ledgerDoor(deps),
    ledgerCsvDoor(deps),
    ...trackedDoors(deps),
    recentEventsDoor(deps),
    deliveryDoor(deps),
  ];
}
