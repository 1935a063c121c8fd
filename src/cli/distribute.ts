// Command distribute: spreads the tables of a Citus database over its nodes.
import { distribute } from '../database/distribute.ts';
import { withMigrationTurn } from '../database/migrate.ts';
import { migrateStore } from '../store.ts';
import { type Command, wholeNumber } from './command.ts';

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
      await migrateStore(store);
      const onTable = (table: string, done: number, of: number) =>
        process.stderr.write(`${done}/${of} ${table}\n`);
      const result = await withMigrationTurn(store.direct, (client) =>
        distribute(client, { shards: shards === 0 ? null : shards, onTable }),
      );
      const what =
        result.tables.length === 0
          ? 'All tables were distributed already'
          : `Distributed ${result.tables.length} tables`;
      return { json: result, text: `${what}: ${result.shards} shards. Start the processes now.` };
    },
  },
];
