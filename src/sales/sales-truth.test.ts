// Rows of true sales as spreadsheets and databases export them.
import { expect, test } from 'vitest';
import { readTruth } from './sales-truth.ts';

test('rows are grouped by code and sorted by time', async () => {
  const { items, rows, skipped, refused } = await readTruth([
    'time,code,name,units',
    '2011-12-09 12:50:00,12,"Kettle, ""red""",3',
    '2011-12-09T10:50:00+01:00,12,Kettle,2',
    '',
    '2011-12-09T12:00:00Z,7,Cup,1\r',
    '2011-12-09 12:00:00,7,Cup,-4',
    '2011-12-09 12:00:00,7,Cup,0',
  ]);
  expect(Object.fromEntries(items)).toMatchObject({
    12: [
      { atSeconds: Date.parse('2011-12-09T09:50:00Z') / 1_000, units: 2 },
      { atSeconds: Date.parse('2011-12-09T12:50:00Z') / 1_000, units: 3 },
    ],
    7: [{ units: 1 }],
  });
  expect({ rows, skipped, refused: refused.count }).toEqual({ rows: 5, skipped: 2, refused: 0 });
});

test('invalid rows are listed with their line', async () => {
  const { items, refused } = await readTruth([
    'code,time,units',
    ',2011-12-09 12:50:00,3',
    '5,yesterday,3',
    '5,2011-12-09 12:50:00,many',
    '5',
  ]);
  expect(items.size).toBe(0);
  expect(refused).toEqual({
    count: 4,
    named: [
      { line: 2, reason: 'the code is missing' },
      { line: 3, reason: 'yesterday is not a time' },
      { line: 4, reason: 'many is not a number of units' },
      { line: 5, reason: ' is not a time' },
    ],
  });
});

test('invoices of the public data set are read as they are, without cancellations', async () => {
  const sold = { atSeconds: Date.parse('2010-12-01T08:26:00Z') / 1_000, units: 8 };
  const first = await readTruth([
    '\ufeffInvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country',
    '536365,84406B,"HANGER, CREAM",8,2010-12-01 08:26:00,2.75,17850.0,United Kingdom',
    'C536379,84406B,HANGER,-1,2010-12-01 09:41:00,2.75,14527.0,United Kingdom',
    'C536379,84406B,HANGER,1,2010-12-01 09:41:00,2.75,14527.0,United Kingdom',
    '536414,84406B,,56,2010-12-01 11:52:00,0.0,,United Kingdom',
  ]);
  expect(Object.fromEntries(first.items)).toMatchObject({ '84406B': [sold] });
  expect(first.items.get('84406B')).toHaveLength(1);
  expect(first).toMatchObject({ rows: 4, skipped: 3, refused: { count: 0 } });
  const second = await readTruth([
    'Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country',
    '536365,84406B,HANGER,8,12/1/2010 8:26,2.75,17850,United Kingdom',
  ]);
  expect(second.items.get('84406B')).toMatchObject([sold]);
});

test('a file without the columns is refused', async () => {
  await expect(readTruth(['sku,when,sold', '1,2,3'])).rejects.toThrow('code, time and units');
  await expect(readTruth([])).rejects.toThrow('it is empty');
});
