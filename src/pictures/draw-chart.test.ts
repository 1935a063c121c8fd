// Charts of hostile names and odd histories: always one well-formed document of shapes and text.
import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { type Chart, columnsOf, type PanelSeries } from './chart.ts';
import { ColumnTrack } from './column-track.ts';
import { drawChart } from './draw-chart.ts';

const DAY = 86_400;
const NOW = Date.parse('2026-11-16T12:00:00Z') / 1000;
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  svg: ['xmlns', 'width', 'height', 'viewBox', 'role', 'aria-labelledby', 'font-family'],
  title: ['id'],
  desc: ['id'],
  g: [],
  rect: ['x', 'y', 'width', 'height', 'fill', 'rx', 'stroke'],
  circle: ['cx', 'cy', 'r', 'fill', 'stroke', 'stroke-width'],
  text: ['x', 'y', 'font-size', 'font-weight', 'text-anchor', 'fill'],
  path: [
    'd',
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-linejoin',
    'stroke-opacity',
    'stroke-dasharray',
  ],
};

/** The texts of a picture; fails for anything but shapes and text. */
function textsOf(svg: string): string[] {
  // The strict parser of the renderer refuses what is not well-formed.
  expect(() => new Resvg(svg, { font: { loadSystemFonts: false } })).not.toThrow();
  const texts: string[] = [];
  const wrong: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        texts.push('');
        const allowed = ALLOWED[name];
        if (allowed === undefined) wrong.push(name);
        for (const attribute of Object.keys(attributes)) {
          if (!allowed?.includes(attribute)) wrong.push(`${name} ${attribute}`);
        }
      },
      ontext: (text) => texts.push(`${texts.pop()}${text}`),
      onclosetag: () => texts.push(''),
      oncomment: (text) => wrong.push(text),
      onprocessinginstruction: (name) => wrong.push(name),
    },
    { xmlMode: true },
  );
  parser.end(svg);
  expect(wrong).toEqual([]);
  return texts.filter((text) => text !== '');
}

function chartOf(
  productName: string | null,
  values: readonly (number | null)[] = [1999, 2099, null, 1899],
): Chart {
  const [fromAtSeconds, toAtSeconds] = [NOW - 10 * DAY, NOW];
  const tracks = new Map<PanelSeries, ColumnTrack>();
  for (const series of ['price', 'rank', 'stock'] as const) {
    const track = new ColumnTrack({ fromAtSeconds, toAtSeconds, columns: columnsOf(800) });
    for (const [index, value] of values.entries()) track.add(fromAtSeconds + index * DAY, value);
    tracks.set(series, track.end());
  }
  const marks = [{ atSeconds: NOW - DAY, kind: 'price.drop' }];
  return {
    code: '795033156',
    productName,
    rankCategory: productName,
    fromAtSeconds,
    toAtSeconds,
    tracks,
    marks,
  };
}

const draw = (chart: Chart, more = {}) =>
  drawChart(chart, {
    widthPx: 800,
    heightPx: 420,
    theme: 'light',
    onlyDrawable: false,
    ...more,
  });

const HOSTILE = [
  '</text><script>alert(1)</script>',
  '"><image href="https://example.com/x.png"/>',
  "' onload='alert(1)",
  '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>&x;',
  ']]><![CDATA[<script/>',
  '&#60;script&#62; &amp;amp; &lt;',
  '<style>*{fill:url(https://example.com)}</style>',
  'a\u0000b\u0007c\u001bd\ufffee\uffff',
  '\ud800 lone \udfff surrogates',
  '\u202eright to left override\u2066',
  'line\nbreak\r\n\ttab\u2028separator',
  'مرحبا بالعالم שלום',
  '👩‍👩‍👧‍👦🇩🇪 emoji 😀',
  '電気ケトル 1.7 リットル',
  `Z${'\u0301'.repeat(400)}algo`,
  'W'.repeat(500),
  '€ ß Ж λ'.repeat(80),
  '   ',
];

describe('a name', () => {
  test.each(HOSTILE)('never breaks out of its place: %j', (name) => {
    for (const onlyDrawable of [true, false]) {
      for (const widthPx of [320, 1600]) textsOf(draw(chartOf(name), { onlyDrawable, widthPx }));
    }
  });

  test('of any characters gives a well-formed picture', () => {
    const names = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(names, (name) => {
        textsOf(draw(chartOf(name)));
      }),
      { numRuns: 25 },
    );
  });

  test('is shown as it is, if it fits', () => {
    expect(textsOf(draw(chartOf('Kettle <1.7 l> & "more"')))).toContain('Kettle <1.7 l> & "more"');
  });

  test('loses in PNG what the font cannot draw, and all of it if little is left', () => {
    const png = { onlyDrawable: true };
    expect(textsOf(draw(chartOf('Kettle 電'), png))).toContain('Kettle');
    expect(textsOf(draw(chartOf('電気ケトル'), png))).toContain('Product 795033156');
    expect(textsOf(draw(chartOf('電気ケトル')))).toContain('電気ケトル');
    expect(textsOf(draw(chartOf(null)))).toContain('Product 795033156');
  });

  test('that is too long ends with an ellipsis', () => {
    const title = textsOf(draw(chartOf('Kettle '.repeat(70)))).find((text) => text.endsWith('…'));
    expect(title?.length).toBeGreaterThan(30);
    expect(title?.length).toBeLessThan(80);
  });
});

describe('a chart', () => {
  test('says in words what it shows', () => {
    const [title, text] = textsOf(draw(chartOf('Kettle')));
    expect(title).toBe('Kettle: chart of product 795033156');
    expect(text).toContain('Buybox price: not observed at the end, lowest $18.99 on 9 Nov 2026');
    expect(text).toContain('no buybox for 10 % of the time, not observed for 50 % of the time.');
    expect(text).toContain('1 event is marked.');
  });

  test('shows what is there: value, change, shares of time without a value', () => {
    const values = [1999, 2099, null, 1899, 1899, 1899, 1899, 1899, 1899, 1899];
    const texts = textsOf(draw(chartOf('Kettle', values)));
    expect(texts).toEqual(
      expect.arrayContaining(['$18.99', '−5 % since 6 Nov', 'No buybox 10 %', '1 event']),
    );
    expect(texts.some((text) => text.startsWith('Not observed'))).toBe(false);
  });

  test('without any observation says so', () => {
    expect(textsOf(draw(chartOf('Kettle', [])))).toContain('Nothing was observed in this time.');
  });

  test.each([[[1, 1]], [[100_000_000, 1]], [[null, null]], [[0, 0]]])('draws %j', (values) => {
    const svg = draw(chartOf('Kettle', values), { theme: 'dark', widthPx: 320, heightPx: 240 });
    textsOf(svg);
    expect(svg).not.toContain('NaN');
    expect(svg).not.toContain('Infinity');
  });

  test('has a size that does not grow with the history', () => {
    const [fromAtSeconds, toAtSeconds] = [NOW - 1096 * DAY, NOW];
    const size = (stepSeconds: number) => {
      const track = new ColumnTrack({ fromAtSeconds, toAtSeconds, columns: columnsOf(800) });
      for (let at = fromAtSeconds, value = 0; at < toAtSeconds; at += stepSeconds) {
        value = (value * 7919 + 13) % 5_000;
        track.add(at, 1_000 + value);
      }
      const tracks = new Map([['price' as const, track.end()]]);
      return draw({ ...chartOf('Kettle'), fromAtSeconds, toAtSeconds, tracks }).length;
    };
    expect(size(900)).toBeLessThan(size(DAY) * 1.5);
  });
});
