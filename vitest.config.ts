// How the tests run: one real PostgreSQL for all files, a database of its own for each. Projects by
// what a file needs: the service with its database, processes and browser; pure rules; the
// dashboard's rules.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ByProject } from './test/support/by-project.ts';
import { SlowestFiles } from './test/support/slowest-files.ts';

const usingDatabase = [
  'src/database/{array-parameter,database,library-pool}.test.ts',
  'src/sales/{day-estimate,day-sums}.test.ts',
];

// Children and workers reuse compiled code: a start takes 0.9 s of CPU instead of 1.7 s.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const common = {
  setupFiles: ['test/support/bounded-properties.ts'],
  // For a machine that does five other things; what waits for ever is found all the same.
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

/** Node runs TypeScript itself; only the dashboard's JSX needs to be transformed. */
const native = { viteModuleRunner: false };
const nativeSetup = [...common.setupFiles, 'test/support/plain-stacks.ts'];

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/postgres.ts',
      'test/support/dashboard.ts',
      'test/support/program.ts',
    ],
    // Some files wait for processes and timeouts: on two cores, three at once take 356 s instead of
    // 403 s, with the same CPU time (602 s).
    maxWorkers: 3,
    sequence: { sequencer: ByProject },
    reporters: ['default', new SlowestFiles()],
    projects: [
      {
        test: {
          ...common,
          name: 'service',
          experimental: native,
          include: [
            'test/{api,browser,conformance,flows,hostile,process}/**/*.test.ts',
            ...usingDatabase,
          ],
          // One process for many files: importing the program takes longer than most files do.
          pool: 'forks',
          isolate: false,
          // A shared process keeps the services of all its files: without room for them, a tenth of
          // its time goes into searching them for garbage.
          execArgv: [
            '--min-semi-space-size=32',
            '--max-semi-space-size=32',
            '--initial-old-space-size=1000',
          ],
          setupFiles: [
            ...nativeSetup,
            'test/support/nothing-left-open.ts',
            'test/support/cheap-passwords.ts',
          ],
        },
      },
      {
        test: {
          ...common,
          name: 'citus',
          experimental: native,
          include: ['test/citus/**/*.test.ts'],
          pool: 'forks',
        },
      },
      {
        test: {
          ...common,
          name: 'unit',
          experimental: native,
          setupFiles: nativeSetup,
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/support/*.test.ts'],
          exclude: usingDatabase,
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'dashboard',
          include: ['dashboard/src/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
    ],
  },
});
