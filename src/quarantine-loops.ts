// The quarantine handlers of all loops: how their items are retried and dropped.
import type { QuarantineHandler } from './background/quarantine-handler.ts';
import { backfillHandler } from './collection/backfill.ts';
import { collectDueHandler, serveWatchersHandler } from './collection/quarantine-collected.ts';
import { refreshEstimatesHandler } from './sales/estimate-sales.ts';
import { learnMarketHandler } from './sales/learn-market.ts';
import { refreshFactsHandler } from './search/refresh-facts.ts';
import { endTrackedHandler } from './tracking/end-tracked.ts';
import { fanOutHandler } from './tracking/quarantine-outbox-row.ts';
import { resumeSuspendedHandler } from './tracking/resume-suspended.ts';
import { scheduleHighVolumeHandler } from './tracking/schedule-high-volume.ts';
import { settleDaysHandler } from './tracking/settle-days.ts';
import { syncWatchersHandler } from './tracking/sync-watchers.ts';
import { dropOldEventsHandler } from './webhooks/drop-old-events.ts';
import { deliverHandler } from './webhooks/quarantine-delivery.ts';

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
  endTrackedHandler,
  refreshEstimatesHandler,
  learnMarketHandler,
  refreshFactsHandler,
  scheduleHighVolumeHandler,
];
