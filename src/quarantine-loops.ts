// Every loop that sets items aside, with how its items are retried and dropped.
import type { QuarantineHandler } from './background/quarantine-handler.ts';
import { fanOutHandler } from './webhooks/quarantine-outgoing.ts';

export const QUARANTINE_HANDLERS: readonly QuarantineHandler[] = [fanOutHandler];
