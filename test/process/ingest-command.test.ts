// The command ingest, interrupted: what it says is taken in is there, and the same input again loses and
// doubles nothing.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/foundation/log.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { cloneDatabase } from '../support/database.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const { db, url } = await cloneDatabase();
const deps = { db, log: createLog('silent') };

function start() {
  const child = spawn(process.execPath, [CLI, 'ingest', '-', '--json'], {
    env: { DATABASE_URL: url },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {}); // it stops reading when it is interrupted
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { child, ended };
}

/** Long lines: after some of them a part is recorded, and the test can see that it is under way. */
const PADDING = 'x'.repeat(900_000);
const codeFor = { SIGINT: '870000001', SIGTERM: '870000002' } as const;
const line = (code: string, hour: number) =>
  `${JSON.stringify({
    retailer_product_code: code,
    observed_at: new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000).toISOString(),
    buybox: { price: 10 + hour, seller_name: null },
    padding: PADDING,
  })}\n`;
const linesOf = (code: string) => Array.from({ length: 40 }, (_, hour) => line(code, hour));

test.each(['SIGINT', 'SIGTERM'] as const)(
  'at %s, also twice and while nothing comes, what was read is recorded; again adds the rest',
  async (signal) => {
    const product = codeFor[signal];
    const lines = linesOf(product);
    const { child, ended } = start();
    for (const one of lines.slice(0, 25)) child.stdin.write(one);
    const recorded = async () => (await readObservations(deps, product)).length;
    await vi.waitFor(async () => expect(await recorded()).toBeGreaterThan(0), { timeout: 20_000 });
    child.kill(signal);
    child.kill(signal); // as npm does with what the terminal has sent already
    const [code, out, err] = await ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const said = /^Interrupted: the input was not read to its end\. (\d+) lines are taken in;/.exec(
      err,
    );
    const known = Number(said?.[1]);
    expect(await recorded()).toBe(known);

    const again = start();
    for (const one of lines) again.child.stdin.write(one);
    again.child.stdin.end();
    const [codeAgain, outAgain] = await again.ended;
    expect(codeAgain).toBe(0);
    const done = JSON.parse(outAgain);
    expect(done).toMatchObject({ lines: 40, accepted: 40 - known, unchanged: known });
    expect(
      (await readObservations(deps, product)).map((observation) => observation.buybox?.priceCents),
    ).toEqual(lines.map((_, hour) => 1_000 + hour * 100));
  },
);
