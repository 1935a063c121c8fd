// Opening the fee schedule: the default, the operator's file, and the one-line refusals.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { feesFor } from './fee-schedule.ts';
import { BadFeeSchedule } from './fee-schedule-file.ts';
import { openFeeSchedule } from './open-fee-schedule.ts';
import { defaultFeeSchedule } from './read-fee-schedule.ts';

const folder = mkdtempSync(join(tmpdir(), 'oversight-fees-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
const open = (path: string | null) => openFeeSchedule({ FEE_SCHEDULE: path });

function refusal(path: string): string {
  try {
    open(path);
  } catch (error) {
    expect(error).toBeInstanceOf(BadFeeSchedule);
    return (error as Error).message;
  }
  throw new Error(`${path} was not refused`);
}

const scheduleWith = (category: string) =>
  JSON.stringify({
    editions: [
      {
        fromOn: null,
        categories: [{ category, bands: [{ upToCents: null, rateBp: 700 }] }],
        shipping: { steps: [{ upToLb: 1, firstLbCents: 300 }] },
      },
    ],
  });

test('without the setting it is the default schedule', () => {
  expect(open(null)).toEqual(defaultFeeSchedule());
});

test('the operator’s file replaces the default schedule', () => {
  const schedule = open(file('operator.json', scheduleWith('Everything Else')));
  const sale = { priceCents: 1000, categories: ['Electronics'], onDay: '2026-11-14' };
  const fees = feesFor(schedule, { ...sale, sellerType: 'marketplace', weightLb: null });
  expect(fees).toMatchObject({ referralCents: 70, totalCents: 70 });
});

test('an unreadable file is refused in one line that names the setting', () => {
  const missing = join(folder, 'missing\n.json');
  expect(refusal(missing)).toBe(
    `FEE_SCHEDULE is ${JSON.stringify(missing)}, which cannot be read: ` +
      'ENOENT: no such file or directory.',
  );
  expect(refusal(folder)).toBe(
    `FEE_SCHEDULE is "${folder}", which cannot be read: it is not a file.`,
  );
  const huge = file('huge.json', ' '.repeat(10_000_001));
  expect(refusal(huge)).toBe(
    `FEE_SCHEDULE is "${huge}", which cannot be read: it has more than 10000000 bytes.`,
  );
});

test('a bad schedule is refused in one line with the setting and the path in the file', () => {
  const other = file('other.json', scheduleWith('Electronics'));
  expect(refusal(other)).toBe(
    `FEE_SCHEDULE is "${other}", which cannot be used. ` +
      'Fee schedule, editions[0].categories: must include a category named "Everything Else".',
  );
  const torn = file('torn.json', '{"editions":\n[');
  expect(refusal(torn)).toMatch(
    /^FEE_SCHEDULE is "[^"]+torn\.json", .*\. Fee schedule, the file: is not JSON: .+\.$/,
  );
});
