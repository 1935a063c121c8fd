// The check of doctor that says whether a distributed database is complete and balanced.
import { surveyDistribution } from '../database/distribute.ts';
import type { Check, StoreContext } from './command.ts';

/** Unequal by more than this: nodes were added and nothing was moved to them. */
const SHARDS_UNEQUAL_BY = 2;

export async function checkDistribution({ store }: StoreContext): Promise<Check> {
  const survey = await surveyDistribution(store.direct);
  if (survey === null) return { name: 'distribution', ok: true, detail: 'one server' };
  const { shards, notDistributed, nodes } = survey;
  const counts = nodes.map((node) => node.shards);
  const isBalanced = Math.max(...counts) - Math.min(...counts) < SHARDS_UNEQUAL_BY;
  const perNode = nodes.map(
    ({ node, shards: held, bytes }) => `${node} ${held} (${Math.round(bytes / 2 ** 20)} MB)`,
  );
  const isComplete = notDistributed.length === 0;
  return {
    name: 'distribution',
    ok: isComplete && isBalanced,
    detail: isComplete
      ? `all tables in ${shards} shards: ${perNode.join(', ')}`
      : `not distributed: ${notDistributed.join(', ')}`,
    ...(isComplete ? {} : { advice: 'Stop the processes and run: oversight distribute' }),
    ...(isComplete && !isBalanced
      ? { advice: 'Move shards to the emptier nodes: select citus_rebalance_start();' }
      : {}),
  };
}
