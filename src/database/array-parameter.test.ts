import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { plainArray, textArray } from './array-parameter.ts';

const { db } = await cloneDatabase();
// PostgreSQL, not this code, refuses text that it cannot store.
const text = fc
  .string({ unit: 'binary' })
  .filter((value) => !value.includes('\0') && value.isWellFormed());

describe('an array parameter', () => {
  test('of any texts and nulls arrives unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
        const [row] = await db.query<{ got: string }>('select to_json($1::text[])::text as got', [
          textArray(values),
        ]);
        expect(JSON.parse(row?.got ?? '')).toEqual(values);
      }),
      { examples: [[['NULL', 'null', '', '{}', 'a,b', '"', '\\', ' ', null]]] },
    );
  });

  test('of numbers arrives unchanged', async () => {
    const values = [0, -1, 2 ** 53 - 1];
    const [row] = await db.query<{ got: string }>('select to_json($1::bigint[])::text as got', [
      plainArray(values),
    ]);
    expect(JSON.parse(row?.got ?? '')).toEqual(values);
  });
});
