// The operator's own fee schedule: the service uses it, and does not start with a bad one.
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { childEnvironment, programOn } from '../support/child-service.ts';
import { newDataDir, serverProcesses } from '../support/data-dir.ts';
import { bundled } from '../support/program.ts';

const dataDir = await newDataDir();
const file = `${dataDir}.fees.json`; // beside the folder, which must be empty at the first start
afterAll(() => rm(file, { force: true }));

const schedule = (category: string) =>
  JSON.stringify({
    editions: [
      {
        fromOn: null,
        closingCents: 111,
        categories: [{ category, bands: [{ upToCents: null, rateBp: 0 }] }],
        shipping: { steps: [{ upToLb: 1, firstLbCents: 300 }] },
      },
    ],
  });

test('fees are calculated from the file that FEE_SCHEDULE names', async () => {
  await writeFile(file, schedule('Everything Else'));
  const program = programOn(dataDir, { FEE_SCHEDULE: file, DEMO: 'false' });
  const service = await program.start();
  const account = await program.command('account', 'create', '--email', 'fees@example.com');
  const path = `/retailer/product/fees?retailer_product_code=527182818&seller_type=marketplace`;
  const headers = { 'x-api-key': account.json.api_key };
  const response = await fetch(`${service.address}${path}`, { headers });
  expect(await response.json()).toMatchObject({
    referral_fee: 0,
    closing_fee: 1.11,
    shipping_fee: 0,
    total_fees: 1.11,
  });
  const doctor = await program.command('doctor');
  expect(doctor.json.checks).toContainEqual({
    name: 'fees',
    ok: true,
    detail: `${file}: editions 1, promotions 0`,
  });

  await writeFile(file, schedule('Electronics'));
  const failing = await program.command('doctor');
  expect(failing.exitCode).toBe(1);
  expect(failing.json.checks).toContainEqual(
    expect.objectContaining({ name: 'fees', ok: false, detail: REFUSAL }),
  );
  expect(await service.stop()).toBe(0);
});

const REFUSAL =
  `FEE_SCHEDULE is ${JSON.stringify(file)}, which cannot be used. Fee schedule, ` +
  'editions[0].categories: must include a category named "Everything Else".';

test('a bad file stops the start with one line, before the database is created', async () => {
  await writeFile(file, schedule('Electronics'));
  const env = { ...childEnvironment(), DATA_DIR: join(dataDir, 'never'), FEE_SCHEDULE: file };
  const child = spawn(process.execPath, [bundled('main')], {
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill()); // in case it starts all the same
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ code: await ended, out, err }).toEqual({ code: 1, out: '', err: `${REFUSAL}\n` });
  expect(serverProcesses(join(dataDir, 'never'))).toEqual([]);
});
