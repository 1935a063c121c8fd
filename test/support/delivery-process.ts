// The notifying part of a worker as a separate process that can be killed: fan-out, deliveries and
// retries of abandoned attempts. Its one argument is a DeliveryWork as JSON.
import { createSignal } from '../../src/background/signal.ts';
import { LEDGER_TABLE } from '../../src/credits/ledger.ts';
import { createPlans } from '../../src/credits/plans.ts';
import { type ConnectionSettings, openDatabase } from '../../src/database/database.ts';
import { createPartitionKeeper } from '../../src/database/partitions.ts';
import { EVENTS_TABLE } from '../../src/events/events.ts';
import { type ClockAnchor, lapseClock } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics } from '../../src/foundation/metrics.ts';
import { startDeliveryLoops } from '../../src/loops.ts';
import { resolveByDns } from '../../src/outbound/checked-connect.ts';
import { ATTEMPTS_TABLE } from '../../src/webhooks/attempts.ts';
import type { DeliverLimits } from '../../src/webhooks/deliver-due.ts';
import { DELIVERIES_TABLE } from '../../src/webhooks/deliveries.ts';

export type DeliveryWork = {
  connection: ConnectionSettings;
  anchor: ClockAnchor;
  encryptionKey: string;
  limits: Partial<DeliverLimits> & { lostEveryMs: number };
};

const work = JSON.parse(process.argv[2] ?? '') as DeliveryWork;
const log = createLog('warn');
const db = openDatabase(work.connection, log);
startDeliveryLoops(
  {
    db,
    log,
    clock: lapseClock(work.anchor),
    metrics: createMetrics(),
    plans: createPlans(db),
    ledgerPartitions: createPartitionKeeper(db, LEDGER_TABLE),
    webhookMonths: createPartitionKeeper(db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE),
    outboxSignal: createSignal(),
    deliverySignal: createSignal(),
    targetRules: { allowPrivateTargets: true, service: { addresses: [], port: 1 } },
    resolveName: resolveByDns,
    encryptionKeys: [Buffer.from(work.encryptionKey, 'base64')],
  },
  work.limits,
);
process.stdout.write('delivering\n');
