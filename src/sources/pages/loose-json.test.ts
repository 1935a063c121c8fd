// Which broken JSON is repaired, and which is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLooseJson } from './loose-json.ts';

/** Texts of any UTF-16 units, including lone surrogates; the built-in arbitrary takes seconds. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));

describe('a block of JSON', () => {
  test.each<[string, string, unknown]>([
    ['as it should be', '{"a":[1,"x"]}', { a: [1, 'x'] }],
    ['with a byte order mark', '\uFEFF{"a":1}', { a: 1 }],
    ['in an HTML comment', '<!-- {"a":1} -->', { a: 1 }],
    ['in a CDATA section', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
    ['in a commented CDATA section', '/* <![CDATA[ */{"a":1}/* ]]> */', { a: 1 }],
    ['with a semicolon', '{"a":1};', { a: 1 }],
    ['with trailing commas', '{"a":[1,2,],\n}', { a: [1, 2] }],
    ['with a raw line break in a text', '{"a":"x\ny\tz"}', { a: 'x\ny\tz' }],
    ['with comments', '{// one\n"a":1,/* two */"b":"//no"}', { a: 1, b: '//no' }],
    ['with an apostrophe escaped', '{"a":"it\\\'s,}"}', { a: "it's,}" }],
    ['escaped as HTML', '{&quot;a&quot;:&quot;x &amp; y&quot;}', { a: 'x & y' }],
    ['with a comma and bracket in a text', '{"a":",]",}', { a: ',]' }],
  ])('%s is read', (_, text, value) => {
    expect(parseLooseJson(text)).toEqual(value);
  });

  test.each([
    ['that ends early', '{"a":1'],
    ['with a bare quote in a text', '{"a":"5" wide"}'],
    ['without quotes', '{a:1}'],
    ['with a text that does not end', '{"a":"x}'],
    ['that is broken and endless', `{"a":"${'x'.repeat(1_000_000)}",}`],
    ['that is none', 'hello'],
    ['that is empty', ''],
  ])('%s is refused', (_, text) => {
    expect(parseLooseJson(text)).toBeUndefined();
  });

  test('is never changed if it is valid', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseLooseJson(text)).toEqual(JSON.parse(text));
        expect(parseLooseJson(`<!--${text},]-->`)).toBeUndefined();
      }),
    );
  });

  test('keeps its texts in a repair', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (value) => {
        const text = JSON.stringify(value).replace(/}$/, ',}');
        expect(parseLooseJson(Object.keys(value).length === 0 ? '{}' : text)).toEqual(value);
      }),
    );
  });

  test('of any kind is read or refused without throwing', () => {
    fc.assert(fc.property(anyText, (text) => void parseLooseJson(text)));
  });
});
