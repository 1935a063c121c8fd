// Compression of responses: encodings, their levels, and bodies that are put together from parts
// which were compressed before. Levels were chosen by `npm run bench -- compress`.
import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  crc32,
  deflateRawSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { crcOfBoth } from './crc-of-both.ts';

/** In the order of preference among those that a client likes equally: cheapest first. */
export const ENCODINGS = ['zstd', 'gzip', 'br'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** 50 KB of price history: zstd 4.5 KB in 0.16 ms, brotli 4.6 KB in 0.33, gzip 6.5 KB in 0.27. */
export const ENCODING_OPTIONS = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 2 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
  gzip: { level: 2 },
} as const;

export function compressSync(bytes: Uint8Array, encoding: Encoding): Buffer {
  if (encoding === 'zstd') return zstdCompressSync(bytes, ENCODING_OPTIONS.zstd);
  if (encoding === 'br') return brotliCompressSync(bytes, ENCODING_OPTIONS.br);
  return gzipSync(bytes, ENCODING_OPTIONS.gzip);
}

export function decompressSync(bytes: Uint8Array, encoding: Encoding): Buffer {
  if (encoding === 'zstd') return zstdDecompressSync(bytes);
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

/** Encodings whose bodies can be put together from parts. */
export type PartEncoding = 'zstd' | 'gzip';

/** A compressed part of a body. */
export type EncodedPart = {
  bytes: Buffer;
  /** Of the plain bytes, which the end of a gzip body sums up. */
  checksum: number;
  length: number;
};

/** A zstd frame, or the blocks of a gzip member, which end at a byte. */
export function encodePart(plain: Uint8Array, encoding: PartEncoding): EncodedPart {
  const bytes =
    encoding === 'zstd'
      ? zstdCompressSync(plain, ENCODING_OPTIONS.zstd)
      : deflateRawSync(plain, {
          ...ENCODING_OPTIONS.gzip,
          finishFlush: constants.Z_SYNC_FLUSH,
        });
  return { bytes, checksum: encoding === 'gzip' ? crc32(plain) : 0, length: plain.length };
}

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The last block of a member, without content. */
const LAST_BLOCK = Buffer.from([3, 0]);

/**
 * One body of all parts. zstd frames follow each other. gzip gets a single member, because many
 * clients read only the first.
 */
export function joinParts(parts: readonly EncodedPart[], encoding: PartEncoding): Buffer {
  const bytes = parts.map((part) => part.bytes);
  if (encoding === 'zstd') return Buffer.concat(bytes);
  const end = Buffer.alloc(8);
  let checksum = 0;
  let length = 0;
  for (const part of parts) {
    checksum = crcOfBoth(checksum, part.checksum, part.length);
    length += part.length;
  }
  end.writeUInt32LE(checksum, 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([GZIP_HEAD, ...bytes, LAST_BLOCK, end]);
}
