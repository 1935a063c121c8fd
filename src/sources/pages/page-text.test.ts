// Decompressing bodies within a limit, and decoding their charsets.
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeText, readBody } from './page-text.ts';

const text = 'kettle '.repeat(100);
const body = (bytes: Buffer) => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]);

describe('a body', () => {
  test.each<[string, Buffer]>([
    ['', Buffer.from(text)],
    ['identity', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
  ])('with the encoding %j is decompressed', async (encoding, bytes) => {
    const read = await readBody(body(bytes), encoding, { bytesMax: 1_000 });
    expect('bytes' in read && read.bytes.toString()).toBe(text);
  });

  test('is refused beyond its limit of decompressed bytes', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    expect(packed.length).toBeLessThan(100_000);
    const stream = body(packed);
    expect(await readBody(stream, 'gzip', { bytesMax: 100_000 })).toMatchObject({
      refused: 'too_large',
    });
    expect(stream.destroyed).toBe(true);
  });

  test('is cut at its limit where the rest does not matter', async () => {
    const read = await readBody(body(Buffer.from(text)), '', { bytesMax: 8, isCut: true });
    expect('bytes' in read && read.bytes.toString()).toBe('kettle k');
  });

  test('with an unsupported or wrong encoding is refused', async () => {
    const refused = { refused: 'encoding' };
    expect(await readBody(body(Buffer.from(text)), 'zstd', { bytesMax: 1_000 })).toMatchObject(
      refused,
    );
    expect(await readBody(body(Buffer.from(text)), 'gzip, br', { bytesMax: 1_000 })).toMatchObject(
      refused,
    );
    expect(await readBody(body(Buffer.from(text)), 'gzip', { bytesMax: 1_000 })).toMatchObject(
      refused,
    );
  });

  test('that ends early is an error, not a shorter page', async () => {
    const half = gzipSync(text).subarray(0, 30);
    await expect(readBody(body(half), 'gzip', { bytesMax: 1_000 })).rejects.toThrow();
  });
});

describe('a text', () => {
  const cafe = Buffer.from('<p>caf\xe9 \x80', 'latin1');
  test.each<[string, Buffer, string, string]>([
    ['in the header’s charset', cafe, 'text/html; charset="ISO-8859-1"', '<p>café €'],
    [
      'in the page’s own',
      Buffer.concat([Buffer.from('<meta charset=windows-1252>'), cafe]),
      'text/html',
      '<meta charset=windows-1252><p>café €',
    ],
    [
      'in the page’s own, the old way',
      Buffer.from(
        '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">\x83\x4a',
        'latin1',
      ),
      '',
      '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">カ',
    ],
    ['in UTF-8 where nothing is said', Buffer.from('café'), 'text/html', 'café'],
    ['in Latin where it cannot be UTF-8', cafe, 'text/html', '<p>café €'],
    [
      'by its mark, whatever the header says',
      Buffer.from('\uFEFFcafé'),
      'text/html; charset=latin1',
      'café',
    ],
    ['by its mark of two bytes', Buffer.from('\uFEFFcafé', 'utf16le'), 'text/html', 'café'],
    [
      'in UTF-8 where the charset is unknown',
      Buffer.from('café'),
      'text/html; charset=klingon',
      'café',
    ],
    [
      'in UTF-8 where the page claims UTF-16',
      Buffer.from('<meta charset=utf-16>é'),
      '',
      '<meta charset=utf-16>é',
    ],
  ])('%s', (_, bytes, contentType, expected) => {
    expect(decodeText(bytes, contentType)).toBe(expected);
  });
});
