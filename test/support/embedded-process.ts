// A separate process that starts the embedded PostgreSQL, as a service or a command does, and stops
// it when its input ends. Prints one line of JSON. Arguments: DATA_DIR and purpose.
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { createLog } from '../../src/foundation/log.ts';

const [dataDir = '', purpose] = process.argv.slice(2);
const report = (line: object) => console.log(JSON.stringify(line));
try {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    purpose: purpose === 'service' ? 'service' : 'command',
    log: createLog('silent'),
  });
  report({ startedHere: postgres.startedHere, location: postgres.location });
  process.stdin.resume().on('end', () => postgres.stop());
} catch (error) {
  report({ refused: (error as Error).message });
  process.exit();
}
