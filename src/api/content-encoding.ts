// Compresses responses: zstd, gzip or brotli, whichever the client prefers. Small bodies are sent
// as they are.
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import type { FastifyReply } from 'fastify';
import {
  compressSync,
  ENCODING_OPTIONS,
  ENCODINGS,
  type Encoding,
} from '../foundation/compression.ts';
import { qualityIn } from './accepted-value.ts';

/** A body that fits into one packet is not sent faster when it is compressed. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Longer bodies are compressed on another thread, so that the others do not wait. */
const SYNC_BYTES_MAX = 128_000;

const { zstd, br, gzip: deflate } = ENCODING_OPTIONS;
const later = {
  zstd: (bytes: Uint8Array): Promise<Buffer> => promisify(zstdCompress)(bytes, zstd),
  br: (bytes: Uint8Array): Promise<Buffer> => promisify(brotliCompress)(bytes, br),
  gzip: (bytes: Uint8Array): Promise<Buffer> => promisify(gzip)(bytes, deflate),
};
const streams = {
  zstd: () => createZstdCompress(zstd),
  br: () => createBrotliCompress(br),
  gzip: () => createGzip(deflate),
};

/** The encoding of a response; null for none. */
export function encodingFor(acceptEncoding: string | string[] | undefined): Encoding | null {
  if (acceptEncoding === undefined) return null;
  const header = String(acceptEncoding);
  let best: Encoding | null = null;
  // A client may prefer the plain bytes; if it does not say, they come last.
  const plainQuality = header.includes('identity') ? qualityIn(header, 'identity') : 0;
  let bestQuality = 0;
  for (const encoding of ENCODINGS) {
    const quality = qualityIn(header, encoding);
    if (quality <= bestQuality || quality < plainQuality) continue;
    best = encoding;
    bestQuality = quality;
  }
  return best;
}

export const isWorthCompressing = (bytes: number) => bytes >= COMPRESSED_BYTES_MIN;

export function compress(bytes: Uint8Array, encoding: Encoding): Buffer | Promise<Buffer> {
  return bytes.length <= SYNC_BYTES_MAX ? compressSync(bytes, encoding) : later[encoding](bytes);
}

/**
 * The compressed stream. If the source breaks off, so does the result, without the end that a
 * complete one has: no client takes it for whole.
 */
export function compressStream(source: Readable, encoding: Encoding): Readable {
  return pipeline(source, streams[encoding](), () => {});
}

/** Adds a name to the Vary header. */
export function varyBy(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (!names.includes(name)) reply.header('vary', [...names, name].join(', '));
}
