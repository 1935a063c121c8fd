// Starting and stopping the service: a stop at any moment stops everything it has started.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { programOn } from '../support/child-service.ts';
import { newDataDir, serverProcesses } from '../support/data-dir.ts';

const dataDir = await newDataDir();
const program = programOn(dataDir);
const fromSources = programOn(dataDir, {}, { fromSources: true });

test.each([50, 300, 600, 900, 1300, 2000])(
  'leaves no database running when stopped %d ms after its start',
  async (afterMs) => {
    const code = await program.startAndStop(afterMs);
    // Before the handler is installed, the signal ends the process, which has started nothing yet.
    expect([0, null]).toContain(code);
    expect(serverProcesses(dataDir)).toEqual([]);
  },
);

// Starts with the demo data: three years of history take a minute on a busy machine.
test('stops cleanly beside idle connections and incomplete requests', {
  timeout: 180_000,
}, async () => {
  const service = await fromSources.start();
  const port = Number(new URL(service.address).port);
  const silent = connect(port, '127.0.0.1');
  const halfway = connect(port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  halfway.write('GET /healthz HTTP/1.1\r\nhost');
  for (const socket of [silent, halfway]) socket.on('error', () => {});
  expect(await service.stop()).toBe(0);
  expect(serverProcesses(dataDir)).toEqual([]);
});
