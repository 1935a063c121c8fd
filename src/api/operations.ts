// Operator routes: /healthz, /readyz and /metrics.
import type { FastifyInstance } from 'fastify';
import { createOperatorTokens } from '../accounts/operator-tokens.ts';
import type { Database } from '../database/database.ts';
import { type Metrics, type MetricsSnapshot, mergeSnapshots } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';

export type OperationsDeps = {
  db: Database;
  metrics: Metrics;
  /** Why the service is not ready yet, or null when it is. */
  notReadyReason: () => string | null;
  /** What is wrong with this process although it serves, as sentences without a full stop. */
  faults?: () => readonly string[];
  /** Whether this process only works in the background: then a failing loop makes it not ready. */
  isWorker?: boolean;
  /** The reports of all processes under one parent; without it this process is the only one. */
  collectReports?: (what: 'metrics' | 'faults') => Promise<readonly ProcessReport[]>;
};

type ProcessReport = { metrics: MetricsSnapshot; faults: readonly string[] };

export function openOperations(app: FastifyInstance, deps: OperationsDeps): void {
  const options = { schema: { hide: true }, exposeHeadRoute: true };
  const tokens = createOperatorTokens(deps.db);
  app.get('/healthz', options, async () => ({ status: 'ok' }));

  app.get('/readyz', options, async () => {
    const reason = deps.notReadyReason();
    if (reason !== null) throw new Problem('not_ready', `Not ready: ${reason}.`);
    await deps.db.query('select 1').catch((cause) => {
      throw new Problem('not_ready', 'Not ready: the database is unreachable.', {
        cause,
      });
    });
    const faults = await allFaults(deps);
    if (deps.isWorker && faults.length > 0) {
      throw new Problem('not_ready', `Not ready: ${faults.join('; ')}.`);
    }
    return faults.length === 0 ? { status: 'ready' } : { status: 'ready', faults };
  });

  app.get('/metrics', options, async (request, reply) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const isOpen =
      token !== undefined && (await tokens.opens({ token, scope: 'metrics', from: request }));
    if (!isOpen) {
      throw new Problem(
        'operator_token_required',
        'Header `authorization` must be "Bearer TOKEN" with a token of scope metrics. Create one with "token create --scope metrics".',
      );
    }
    return reply
      .header('content-type', deps.metrics.registry.contentType)
      .send(await metricsText(deps));
  });
}

async function metricsText({ metrics, collectReports }: OperationsDeps): Promise<string> {
  if (collectReports === undefined) return metrics.registry.metrics();
  const reports = await collectReports('metrics');
  return mergeSnapshots(reports.map((report) => report.metrics));
}

async function allFaults({ faults, collectReports }: OperationsDeps): Promise<readonly string[]> {
  if (collectReports === undefined) return faults?.() ?? [];
  return (await collectReports('faults')).flatMap((report) => report.faults);
}
