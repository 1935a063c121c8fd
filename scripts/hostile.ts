// Sends hostile requests to a test service and prints the findings. Run it with
// `npm run hostile -- --requests 1000000 --seed 7`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    /** Index of the first request; with --requests 1 it repeats one finding. */
    from: { type: 'string', default: '0' },
    raw: { type: 'string', default: '2000' },
  },
});

process.stderr.write(`${values.requests} requests with --seed ${values.seed}\n`);
const child = spawn('vitest', ['run', 'test/hostile', '--disable-console-intercept'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: {
    ...process.env,
    HOSTILE_REQUESTS: values.requests,
    HOSTILE_SEED: values.seed,
    HOSTILE_FROM: values.from,
    HOSTILE_RAW: values.raw,
  },
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
