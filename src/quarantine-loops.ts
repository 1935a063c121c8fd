// Every loop that sets items aside, with how its items are retried and dropped.
import type { QuarantineHandler } from './background/quarantine-handler.ts';
import { backfillHandler } from './collection/backfill.ts';
import { placeHighVolumeHandler } from './collection/place-high-volume.ts';
import { collectDueHandler, serveWatchersHandler } from './collection/quarantine-collected.ts';
import { refreshEstimatesHandler } from './history/estimate-sales.ts';
import { learnMarketHandler } from './history/learn-market.ts';
import { resumeSuspendedHandler } from './oversight/resume-suspended.ts';
import { settleDaysHandler } from './oversight/settle-days.ts';
import { syncWatchersHandler } from './oversight/sync-watchers.ts';
import { dropOldEventsHandler } from './webhooks/drop-old-events.ts';
import { deliverHandler } from './webhooks/quarantine-delivery.ts';
import { fanOutHandler } from './webhooks/quarantine-outgoing.ts';

export const QUARANTINE_HANDLERS: readonly QuarantineHandler[] = [
  collectDueHandler,
  serveWatchersHandler,
  backfillHandler,
  fanOutHandler,
  deliverHandler,
  dropOldEventsHandler,
  settleDaysHandler,
  syncWatchersHandler,
  resumeSuspendedHandler,
  refreshEstimatesHandler,
  learnMarketHandler,
  placeHighVolumeHandler,
];
