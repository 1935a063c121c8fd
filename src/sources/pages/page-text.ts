// Turns the body of a response into text: decompressed and counted while it arrives, then decoded
// in the charset that a byte order mark, the header or the page itself names.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The requested encodings. deflate is supported too, but servers disagree on what it is. */
export const ENCODINGS = 'gzip, br';

export type BodyOutcome = { bytes: Buffer } | { refused: 'too_large' | 'encoding'; reason: string };

/** Reads up to `bytesMax` decompressed bytes; a longer body is refused, or cut with `isCut`. */
export async function readBody(
  body: Readable,
  encoding: string,
  limit: { bytesMax: number; isCut?: boolean },
): Promise<BodyOutcome> {
  const decompressor = decompressorOf(encoding);
  if (decompressor === undefined) {
    body.on('error', () => {}).destroy();
    return { refused: 'encoding', reason: `the content encoding ${encoding} is not supported` };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      chunks.push(chunk);
      length += chunk.length;
      // Throwing destroys the streams, so that no more is read from the network.
      if (length > limit.bytesMax) throw new TooLong();
    }
  };
  try {
    await (decompressor === null ? pipeline(body, collect) : pipeline(body, decompressor, collect));
  } catch (error) {
    if ((error as { code?: string }).code === 'Z_DATA_ERROR') {
      return { refused: 'encoding', reason: 'the body does not match its content encoding' };
    }
    if (!(error instanceof TooLong)) throw error;
    if (!limit.isCut) {
      return {
        refused: 'too_large',
        reason: `the response is larger than ${limit.bytesMax} bytes`,
      };
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit.bytesMax) };
}

/** Stops the streams; never leaves this file. */
class TooLong extends Error {}

function decompressorOf(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      return undefined;
  }
}

type Decoder = InstanceType<typeof TextDecoder>;

/** How far into a page its charset declaration may be, as in browsers. */
const DECLARATION_BYTES_MAX = 1024;

export function decodeText(bytes: Buffer, contentType: string): string {
  const marked = charsetOfMark(bytes);
  const named =
    marked ?? decoderFor(charsetOfHeader(contentType)) ?? decoderFor(charsetOfPage(bytes));
  if (named !== undefined) return named.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Like browsers, read an undeclared charset that is not UTF-8 as windows-1252.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function charsetOfMark(bytes: Buffer): Decoder | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder('utf-8');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  return undefined;
}

function charsetOfHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
}

function charsetOfPage(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, DECLARATION_BYTES_MAX).toString('latin1');
  const charset = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([^"'\s/>;]+)/i.exec(head)?.[1];
  // A declaration that could be read as Latin-1 is not UTF-16, whatever it says.
  return charset !== undefined && /^utf-?16/i.test(charset) ? 'utf-8' : charset;
}

function decoderFor(label: string | undefined): Decoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
