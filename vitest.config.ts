// How the tests run: one real PostgreSQL for all files, a database of its own for each.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'dashboard/src/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/dashboard.ts'],
    setupFiles: ['test/support/bounded-properties.ts', 'test/support/patient-waits.ts'],
    pool: 'forks',
    // Each file in a process of its own: sharing them saves 50 s, but the connections that files leave to the end of
    // their process then add up to more than the server takes.
    // Two cores: more files at once only make each slower.
    maxWorkers: 2,
    // For a machine that does five other things; what waits for ever is found all the same.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
