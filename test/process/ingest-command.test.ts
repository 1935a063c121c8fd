// The ingest command, interrupted: it has recorded the lines it reports, and a second run with the
// same input loses nothing and records nothing twice.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/foundation/log.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { childEnvironment } from '../support/child-service.ts';
import { cloneDatabase } from '../support/database.ts';
import { bundled } from '../support/program.ts';

const { db, url } = await cloneDatabase();
const deps = { db, log: createLog('silent') };

function start() {
  const child = spawn(process.execPath, [bundled('cli'), 'ingest', '-', '--json'], {
    env: { ...childEnvironment(), DATABASE_URL: url },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {}); // it stops reading when it is interrupted
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { child, ended };
}

/** Makes lines long, so that a batch is recorded after a few of them. */
const PADDING = 'x'.repeat(900_000);
const codeFor = { SIGINT: '870000001', SIGTERM: '870000002' } as const;
const line = (code: string, hour: number) =>
  `${JSON.stringify({
    retailer_product_code: code,
    observed_at: new Date(Date.UTC(2026, 0, 1) + hour * HOUR_MS).toISOString(),
    buybox: { price: 10 + hour, seller_name: null },
    padding: PADDING,
  })}\n`;
const linesOf = (code: string) => Array.from({ length: 40 }, (_, hour) => line(code, hour));

test.each(['SIGINT', 'SIGTERM'] as const)(
  'records the lines read before %s, even sent twice to an idle input; a second run adds the rest',
  async (signal) => {
    const product = codeFor[signal];
    const lines = linesOf(product);
    const { child, ended } = start();
    for (const one of lines.slice(0, 25)) child.stdin.write(one);
    const recorded = async () => (await readObservations(deps, product)).length;
    await vi.waitFor(async () => expect(await recorded()).toBeGreaterThan(0), { timeout: 20_000 });
    child.kill(signal);
    child.kill(signal); // npm forwards the signal that the terminal has already sent
    const [code, out, err] = await ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const report =
      /^Interrupted: the input was not read to its end\. (\d+) lines are ingested\./.exec(err);
    const ingested = Number(report?.[1]);
    expect(await recorded()).toBe(ingested);

    const again = start();
    for (const one of lines) again.child.stdin.write(one);
    again.child.stdin.end();
    const [codeAgain, outAgain] = await again.ended;
    expect(codeAgain).toBe(0);
    const done = JSON.parse(outAgain);
    expect(done).toMatchObject({ lines: 40, accepted: 40 - ingested, unchanged: ingested });
    expect(
      (await readObservations(deps, product)).map((observation) => observation.buybox?.priceCents),
    ).toEqual(lines.map((_, hour) => 1_000 + hour * 100));
  },
);
