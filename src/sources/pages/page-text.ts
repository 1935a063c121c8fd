// The bytes of an answer as text: unpacked and counted while they come, then decoded in the charset that
// the header, a byte order mark or the page itself names.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What is asked for; deflate is understood, but servers disagree on what it is. */
export const ENCODINGS = 'gzip, br';

export type BodyOutcome = { bytes: Buffer } | { refused: 'too_large' | 'encoding'; reason: string };

/** Reads no more than `bytesMax`, unpacked; with `isCut`, what is beyond is left instead of refused. */
export async function readBody(
  body: Readable,
  encoding: string,
  limit: { bytesMax: number; isCut?: boolean },
): Promise<BodyOutcome> {
  const unpacker = unpackerOf(encoding);
  if (unpacker === undefined) {
    body.on('error', () => {}).destroy();
    return { refused: 'encoding', reason: `the answer is packed in an unknown way: ${encoding}` };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving by an error ends the streams behind, so that no more is read from the network.
      if (length > limit.bytesMax) throw new Enough();
    }
  };
  try {
    await (unpacker === null ? pipeline(body, collect) : pipeline(body, unpacker, collect));
  } catch (error) {
    if ((error as { code?: string }).code === 'Z_DATA_ERROR') {
      return { refused: 'encoding', reason: 'the answer is not packed as it says' };
    }
    if (!(error instanceof Enough)) throw error;
    if (!limit.isCut) {
      return { refused: 'too_large', reason: `the answer is larger than ${limit.bytesMax} bytes` };
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit.bytesMax) };
}

/** Carries the end of reading out of the streams; never leaves this file. */
class Enough extends Error {}

function unpackerOf(encoding: string) {
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

/** How far into a page its own declaration is looked for, as browsers do. */
const DECLARATION_BYTES_MAX = 1024;

export function decodeText(bytes: Buffer, contentType: string): string {
  const marked = charsetOfMark(bytes);
  const named =
    marked ?? decoderFor(charsetOfHeader(contentType)) ?? decoderFor(charsetOfPage(bytes));
  if (named !== undefined) return named.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Old pages that say nothing and are not UTF-8 are Windows' Latin, for browsers as well.
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
  // A page that could be read this far is not UTF-16, whatever it says.
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
