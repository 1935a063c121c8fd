// Odd texts as names: each is refused with a reason, or returned unchanged by every endpoint.
import { describe, expect, test } from 'vitest';
import { createOperatorToken } from '../../src/accounts/operator-tokens.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { startService } from '../support/service.ts';

/** Stored unchanged, except that surrounding space is trimmed. */
const SOUND: readonly string[] = [
  // Words with a meaning in some language or system.
  'null',
  'NULL',
  'undefined',
  'nil',
  'NaN',
  'Infinity',
  'true',
  'false',
  '0',
  '-1',
  '1e3',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'None',
  '(null)',
  '{}',
  '[]',
  '0x0',
  '007',
  '1/0',
  '1,000.00',
  '１２３',
  '٠١٢',
  '\\N',
  '\\.',
  'CON',
  'LPT1',
  '-',
  '--',
  // Texts that are code in some language.
  `Robert'); DROP TABLE products;--`,
  "'",
  '"',
  '`',
  "''",
  '$$',
  '$1',
  '%s%n',
  '%',
  '_',
  '{0}',
  '{{7*7}}',
  '<%= 7 %>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '</script><svg/onload=alert(1)>',
  '&lt;b&gt; &amp; &#0;',
  '<!--',
  ']]>',
  '<?xml?>',
  '$(touch /tmp/x)',
  '`id`',
  '; ls -la',
  '| cat',
  '../../etc/passwd',
  'C:\\dir\\file',
  'a\\',
  '=1+1',
  '@SUM(1,1)',
  'a,b;c\td|e',
  // Invisible characters and changes of writing direction.
  '\u202eright to left\u202c',
  '\u2067isolated\u2069 \u200fmark',
  'zero\u200bwidth',
  '\u200b',
  'soft\u00adhyphen',
  'join\u200der',
  '\u2060',
  'inner\ufeffBOM',
  'no\u00a0break',
  'thin\u2009space',
  'line\u2028separator',
  'next\u0085line',
  // Control characters other than NUL.
  'bell\u0007',
  'esc\u001b[31mred',
  'del\u007f',
  'c1\u009b31m',
  'two\nlines',
  'cr\r\nlf',
  // Composed characters, other planes, and unassigned code points.
  'e\u0301 and \u00e9',
  `Z${'\u0351\u036b\u0343'.repeat(20)}algo`,
  '👩‍👩‍👧‍👦',
  '👍🏽',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🇺🇸🇷🇺',
  '1️⃣',
  '☃︎',
  '𝕿𝖍𝖊',
  '𠜎𠜱',
  '\u{10ffff}',
  '\uffff',
  '\ue000',
  'ﷺ',
  'مرحبا',
  'שָׁלוֹם',
  '田中さん',
  'ǅ ǆ ß ẞ İ ı',
  'Å Å',
  'ﬁ ﬂ',
  '(╯°□°）╯︵ ┻━┻',
  // The maximum length.
  'x'.repeat(500),
  '🫖'.repeat(500),
  `${' '.repeat(600)}padded\t\n`,
  '\ufeffBOM before',
];

const REFUSED: readonly (readonly [string, string])[] = [
  ...['', ' ', '\t\r\n', '\u00a0\u2003\ufeff'].map(
    (text) => [text, '1 to 500 characters'] as const,
  ),
  ...['x'.repeat(501), '🫖'.repeat(501), 'x'.repeat(900_000)].map(
    (text) => [text, '1 to 500 characters'] as const,
  ),
  ...['\0', 'nul\0inside', 'ends\0'].map((text) => [text, 'without NUL'] as const),
  ...['\ud83e', 'half\ud83epair', '\udd56\ud83e', 'low\udfff'].map(
    (text) => [text, 'surrogate'] as const,
  ),
];

/** Adds a short title for the test name. */
const titled = (texts: readonly string[]) =>
  texts.map((text) => [text.slice(0, 40), text] as const);

const service = await startService();
const { app, server } = service;
const { token } = await createOperatorToken(app.db, { scope: 'ingest', now: app.clock.nowMs() });
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 100_000 });
let codes = 860_000_000;

const snapshot = (code: string, texts: object) => ({
  retailer_product_code: code,
  observed_at: new Date(app.clock.nowMs()).toISOString(),
  ...texts,
});
const everywhere = (name: string) => ({
  product_name: name,
  brand: name,
  categories: [name, name],
  buybox: { price: 10, seller_name: name },
  offers: [{ seller_name: name, price: 10, units_in_stock: 3 }],
  offers_complete: true,
  rank: { position: 1, category: name },
});
/** A snapshot for each field that holds a name, with only that field. */
const FIELDS: Readonly<Record<string, (name: string) => object>> = {
  product_name: (name) => ({ product_name: name }),
  brand: (name) => ({ brand: name }),
  'categories[0]': (name) => ({ categories: [name] }),
  'buybox.seller_name': (name) => ({ buybox: { price: 10, seller_name: name } }),
  'offers[0].seller_name': (name) => ({ offers: [{ seller_name: name, price: 10 }] }),
  'rank.category': (name) => ({ rank: { position: 1, category: name } }),
};

async function post(lines: readonly object[]) {
  const reply = await server.inject({
    method: 'POST',
    url: '/ingest/snapshots',
    headers: { authorization: `Bearer ${token}` },
    payload: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

const send = async (endpoint: string, code: string) =>
  service.get(customer, `/retailer/product/${endpoint}?retailer_product_code=${code}`);

describe('a valid text', () => {
  test.each(titled(SOUND))('%j is returned by the endpoints unchanged', async (_title, name) => {
    const code = String(++codes);
    expect(await post([snapshot(code, everywhere(name))])).toMatchObject({ accepted: 1 });
    const trimmed = name.trim();
    const details = await send('details', code);
    expect(details.body).toMatchObject({
      product_name: trimmed,
      brand: trimmed,
      categories: [trimmed, trimmed],
    });
    const offers = await send('offers', code);
    expect(offers.body.sellers).toMatchObject([{ seller_name: trimmed, units_in_stock: 3 }]);
    for (const endpoint of ['units-in-stock', 'fees', 'price-history']) {
      expect((await send(endpoint, code)).status).toBe(200);
    }
    const [observation] = await readObservations(app, code);
    expect(observation).toMatchObject({
      buybox: { sellerName: trimmed },
      rank: { category: trimmed },
      offers: [{ sellerName: trimmed }],
    });
  });

  test('names that only seem equal are different sellers', async () => {
    const code = String(++codes);
    const names = ['Cafe\u0301', 'Caf\u00e9', 'CAF\u00c9', 'Cafe\u200b\u0301'];
    const offers = names.map((seller_name) => ({ seller_name, price: 10, units_in_stock: 1 }));
    await post([snapshot(code, { offers, offers_complete: true })]);
    const { body } = await send('offers', code);
    expect(new Set(body.sellers.map((one: { seller_name: string }) => one.seller_name))).toEqual(
      new Set(names),
    );
  });
});

describe('an invalid text', () => {
  test.each(REFUSED.map(([text, why]) => [text.slice(0, 40), text, why] as const))(
    '%j is refused in every field and affects no other line',
    async (_title, name, why) => {
      const code = String(++codes);
      const fields = Object.entries(FIELDS);
      const wrong = fields.map(([, put]) => snapshot(code, put(name)));
      const sound = snapshot(String(++codes), everywhere('sound'));
      const done = await post([...wrong, sound]);
      expect(done).toMatchObject({ accepted: 1, refused_count: fields.length });
      for (const [index, [field]] of fields.entries()) {
        const { line, reason } = done.refused[index];
        expect(line).toBe(index + 1);
        expect(reason).toMatch(new RegExp(`^${field.replace(/[[\].]/g, '\\$&')} must be a text`));
        expect(reason).toContain(why);
        expect(reason.length).toBeLessThan(250);
      }
      expect((await send('details', code)).status).toBe(404);
    },
  );
});
