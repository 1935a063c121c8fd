import { brotliDecompressSync, crc32, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compressSync, ENCODINGS, encodePart, joinParts } from './compression.ts';
import { crcOfBoth } from './crc-of-both.ts';

const OPEN = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const texts = fc.array(fc.string({ maxLength: 2_000 }), { minLength: 1, maxLength: 6 });

test('the CRC of two texts follows from theirs', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.uint8Array({ maxLength: 70_000 }), (a, b) => {
      expect(crcOfBoth(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

test.each(['zstd', 'gzip'] as const)('parts in %s are one body', (encoding) => {
  fc.assert(
    fc.property(texts, (parts) => {
      const body = joinParts(
        parts.map((part) => encodePart(Buffer.from(part), encoding)),
        encoding,
      );
      expect(OPEN[encoding](body).toString()).toBe(parts.map((part) => Buffer.from(part)).join(''));
    }),
  );
});

test('gzip has a single member, for clients that read only the first', () => {
  const parts = ['first', 'second'].map((text) => encodePart(Buffer.from(text), 'gzip'));
  const body = joinParts(parts, 'gzip');
  const member = gunzipSync(body, { maxOutputLength: 11 });
  expect(member.toString()).toBe('firstsecond');
  expect(body.indexOf(Buffer.from([0x1f, 0x8b]), 2)).toBe(-1);
});

test.each(ENCODINGS)('%s opens to what it was', (encoding) => {
  expect(OPEN[encoding](compressSync(Buffer.from('abc'), encoding)).toString()).toBe('abc');
});
