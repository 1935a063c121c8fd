import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

async function linesOf(chunks: readonly string[], bytesMax = 10) {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const lines: (string | null)[] = [];
  for await (const line of readLines(stream(), bytesMax)) lines.push(line && String(line));
  return lines;
}

test.each([
  [[''], []],
  [['a\nb\n'], ['a', 'b']],
  [['a\nb'], ['a', 'b']],
  [
    ['a', 'b\n', '\n', 'c'],
    ['ab', '', 'c'],
  ],
  [['1234567890\n'], ['1234567890']],
  [['12345678901\nnext\n'], [null, 'next']],
  [
    ['12345678', '90123', '456\nnext'],
    [null, 'next'],
  ],
  [['a\n12345678901'], ['a', null]],
])('%j is read as %j', async (chunks, lines) => {
  expect(await linesOf(chunks)).toEqual(lines);
});

test('the lines do not depend on the chunks', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 60 })), async (whole, cuts) => {
      const offsets = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const chunks = offsets.slice(1).map((end, nth) => whole.slice(offsets[nth], end));
      expect(await linesOf(chunks)).toEqual(await linesOf([whole]));
    }),
  );
});
