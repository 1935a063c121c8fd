import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { ENCODINGS } from '../foundation/compression.ts';
import { compress, compressStream, encodingFor } from './content-encoding.ts';

const OPEN = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

test.each([
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'gzip'],
  ['br', 'br'],
  ['br, gzip;q=0.9', 'br'],
  ['gzip', 'gzip'],
  ['zstd;q=0.5, gzip;q=0.8', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.1, br;q=0', 'zstd'],
  ['identity', null],
  ['identity, gzip;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['deflate, compress', null],
  ['', null],
  [undefined, null],
])('Accept-Encoding %s chooses %s', (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding);
});

describe.each(ENCODINGS)('%s', (encoding) => {
  it.each([10, 60_000, 300_000])('%d bytes are the same after decompression', async (length) => {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 7919) % 251));
    expect(OPEN[encoding](await compress(bytes, encoding)).equals(bytes)).toBe(true);
    const stream = compressStream(
      Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]),
      encoding,
    );
    expect(OPEN[encoding](await buffer(stream)).equals(bytes)).toBe(true);
  });

  it('a source that breaks off ends in an error, never in a complete body', async () => {
    const broken = async function* () {
      yield Buffer.alloc(200_000, 'x');
      throw new Error('the database is away');
    };
    const stream = compressStream(Readable.from(broken()), encoding);
    await expect(buffer(stream)).rejects.toThrow();
  });
});
