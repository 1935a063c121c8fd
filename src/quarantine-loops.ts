// Every loop that sets items aside, with how its items are retried and dropped.
import type { QuarantineHandler } from './background/quarantine-handler.ts';
import { backfillHandler } from './collection/backfill.ts';
import { collectDueHandler, serveWatchersHandler } from './collection/quarantine-collected.ts';
import { fanOutHandler } from './webhooks/quarantine-outgoing.ts';

export const QUARANTINE_HANDLERS: readonly QuarantineHandler[] = [
  collectDueHandler,
  serveWatchersHandler,
  backfillHandler,
  fanOutHandler,
];
