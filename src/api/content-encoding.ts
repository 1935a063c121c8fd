// Compresses responses: zstd, brotli or gzip, whichever the client prefers. Levels were chosen by
// `npm run bench -- compress`; small bodies are sent as they are.
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { qualityIn } from './accepted-value.ts';

/** In the order of preference among those that a client likes equally: cheapest first. */
export const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A body that fits into one packet is not sent faster when it is compressed. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Longer bodies are compressed on another thread, so that the others do not wait. */
const SYNC_BYTES_MAX = 128_000;

/** 50 KB of price history: zstd 4.5 KB in 0.16 ms, brotli 4.6 KB in 0.33, gzip 6.5 KB in 0.27. */
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 2 } };
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
const deflate = { level: 2 };

const sync = {
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes, zstd),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, brotli),
  gzip: (bytes: Uint8Array) => gzipSync(bytes, deflate),
};
const later = {
  zstd: (bytes: Uint8Array): Promise<Buffer> => promisify(zstdCompress)(bytes, zstd),
  br: (bytes: Uint8Array): Promise<Buffer> => promisify(brotliCompress)(bytes, brotli),
  gzip: (bytes: Uint8Array): Promise<Buffer> => promisify(gzip)(bytes, deflate),
};
const streams = {
  zstd: () => createZstdCompress(zstd),
  br: () => createBrotliCompress(brotli),
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
  return bytes.length <= SYNC_BYTES_MAX ? sync[encoding](bytes) : later[encoding](bytes);
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
