// Command distribute: spreads the tables of a Citus database over its nodes.
import { isServiceRunning } from '../background/leases.ts';
import { distribute } from '../database/distribute.ts';
import { withMigrationTurn } from '../database/migrate.ts';
import { Problem } from '../foundation/problem.ts';
import { migrateStore } from '../store.ts';
import { type Command, WrongUsage, wholeNumber } from './command.ts';

const RUNNING =
  'Processes of the service are running. Stop them all first (a killed one counts for 12 seconds): a running process would go on with the old lane groups.';

export const distributeCommands: readonly Command[] = [
  {
    name: 'distribute',
    words: [],
    usage: 'distribute [--shards N]',
    options: { shards: { type: 'string' } },
    on: 'store',
    async run({ store }, { options }) {
      const shards =
        options.shards === undefined ? null : wholeNumber(String(options.shards), '--shards', 256);
      if (shards === 0) throw new WrongUsage('--shards must be from 1 to 256.');
      await migrateStore(store);
      if (await isServiceRunning(store.direct))
        throw new Problem('distribution_impossible', RUNNING);
      const onTable = (table: string, done: number, of: number) =>
        process.stderr.write(`${done}/${of} ${table}\n`);
      const result = await withMigrationTurn(store.direct, (client) =>
        distribute(client, { shards, onTable }),
      );
      const what =
        result.tables.length === 0
          ? 'All tables were distributed already'
          : `Distributed ${result.tables.length} tables`;
      return { json: result, text: `${what}: ${result.shards} shards. Start the processes now.` };
    },
  },
];
