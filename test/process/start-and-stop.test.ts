// Starting and stopping the program: whenever it is told to stop, it stops everything it started.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { programOn } from '../support/child-service.ts';
import { newDataDir, serverProcesses } from '../support/data-dir.ts';

const dataDir = await newDataDir();
const program = programOn(dataDir);

test.each([50, 300, 600, 900, 1300, 2000])(
  'told to stop %d ms after its start, it leaves no database running',
  async (afterMs) => {
    const code = await program.startAndStop(afterMs);
    // Before the program can hear it, the signal ends it like any other: then nothing was started.
    expect([0, null]).toContain(code);
    expect(serverProcesses(dataDir)).toEqual([]);
  },
);

// With its demo: three years of history take a busy machine a minute.
test('connections that say nothing, or not all, do not spoil the stop', {
  timeout: 180_000,
}, async () => {
  const service = await program.start();
  const port = Number(new URL(service.address).port);
  const silent = connect(port, '127.0.0.1');
  const halfway = connect(port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  halfway.write('GET /healthz HTTP/1.1\r\nhost');
  for (const socket of [silent, halfway]) socket.on('error', () => {});
  expect(await service.stop()).toBe(0);
  expect(serverProcesses(dataDir)).toEqual([]);
});
