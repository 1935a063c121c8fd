// Writes a zip archive as a stream: sizes and checksums follow each file, so that no file is kept
// in memory.
import type { Writable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file above 4 GiB would need zip64 records, so the export starts another file well before. */
export const FILE_BYTES_MAX = 1_000_000_000;

const UINT32_MAX = 0xffffffff;
const VERSION = 45;
/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;

/** A client that reads nothing for this long is disconnected: an export holds resources for it. */
export const STALLED_MAX_MS = 60_000;

export type ZipArchive = {
  /** Adds one file, whose content is read piece by piece. */
  add(name: string, content: AsyncIterable<string> | Iterable<string>): Promise<void>;
  end(): Promise<void>;
};

type Entry = { name: Buffer; crc: number; packed: number; size: number; offset: number };

export function createZipArchive(out: Writable, modifiedAtMs: number): ZipArchive {
  const entries: Entry[] = [];
  const { date, time } = dosTime(modifiedAtMs);
  let written = 0;
  // Waits for a slow reader: the next piece is read only when this one was written.
  const write = async (bytes: Buffer) => {
    written += bytes.length;
    if (out.destroyed) throw new Error('the archive is no longer read');
    if (!out.write(bytes)) await drained(out, STALLED_MAX_MS);
  };

  return {
    async add(name, content) {
      const entry = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset: written };
      await write(
        Buffer.concat([
          header(0x04034b50, [VERSION, FLAGS, DEFLATE, time, date]),
          zeros(12),
          uint16s(entry.name.length, 0),
          entry.name,
        ]),
      );
      const packer = createDeflateRaw();
      const feed = async () => {
        for await (const piece of content) {
          const bytes = Buffer.from(piece);
          entry.crc = crc32(bytes, entry.crc);
          entry.size += bytes.length;
          if (!packer.write(bytes)) await drained(packer);
        }
        packer.end();
      };
      const fed = feed().catch((error) => packer.destroy(error as Error));
      for await (const packed of packer) {
        entry.packed += packed.length;
        await write(packed as Buffer);
      }
      await fed;
      await write(Buffer.concat([uint32s(0x08074b50, entry.crc, entry.packed, entry.size)]));
      entries.push(entry);
    },
    async end() {
      const start = written;
      for (const entry of entries) await write(centralRecord(entry, { date, time }));
      const directory = { start, size: written - start, count: entries.length };
      if (start > UINT32_MAX) await write(zip64End(directory, written));
      const { size, count } = directory;
      await write(
        Buffer.concat([
          uint32s(0x06054b50),
          uint16s(0, 0, count, count),
          uint32s(size, Math.min(start, UINT32_MAX)),
          uint16s(0),
        ]),
      );
    },
  };
}

/** Resolves when the stream can take more; rejects if it was closed or not read for too long. */
function drained(stream: Writable, withinMs?: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (failure: Error | null) => {
      clearTimeout(timer);
      stream.off('drain', onDrain).off('close', onClose);
      if (failure === null) resolve();
      else reject(failure);
    };
    const onDrain = () => settle(null);
    const onClose = () => settle(new Error('the archive is no longer read'));
    const timer =
      withinMs === undefined
        ? undefined
        : setTimeout(() => settle(new Error('the archive was not read for too long')), withinMs);
    stream.on('drain', onDrain).on('close', onClose);
    if (stream.destroyed) onClose();
  });
}

function centralRecord(entry: Entry, { date, time }: { date: number; time: number }): Buffer {
  const isFar = entry.offset > UINT32_MAX;
  const extra = isFar ? Buffer.concat([uint16s(1, 8), uint64s(entry.offset)]) : Buffer.alloc(0);
  return Buffer.concat([
    header(0x02014b50, [VERSION, VERSION, FLAGS, DEFLATE, time, date]),
    uint32s(entry.crc, entry.packed, entry.size),
    uint16s(entry.name.length, extra.length, 0, 0, 0),
    uint32s(0, isFar ? UINT32_MAX : entry.offset),
    entry.name,
    extra,
  ]);
}

/** The zip64 end record, for archives above 4 GiB: the position of the directory. */
function zip64End(directory: { start: number; size: number; count: number }, at: number): Buffer {
  const { start, size, count } = directory;
  return Buffer.concat([
    uint32s(0x06064b50),
    uint64s(44),
    uint16s(VERSION, VERSION),
    uint32s(0, 0),
    uint64s(count, count, size, start),
    uint32s(0x07064b50, 0),
    uint64s(at),
    uint32s(1),
  ]);
}

const zeros = (bytes: number) => Buffer.alloc(bytes);
const header = (signature: number, fields: readonly number[]) =>
  Buffer.concat([uint32s(signature), uint16s(...fields)]);

function uint16s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, at) => {
    bytes.writeUInt16LE(value, 2 * at);
  });
  return bytes;
}

function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => {
    bytes.writeUInt32LE(value, 4 * at);
  });
  return bytes;
}

function uint64s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, at) => {
    bytes.writeBigUInt64LE(BigInt(value), 8 * at);
  });
  return bytes;
}

/** DOS date and time in UTC; zip has a resolution of two seconds. */
function dosTime(ms: number): { date: number; time: number } {
  const instant = new Date(ms);
  return {
    date:
      ((instant.getUTCFullYear() - 1980) << 9) |
      ((instant.getUTCMonth() + 1) << 5) |
      instant.getUTCDate(),
    time:
      (instant.getUTCHours() << 11) |
      (instant.getUTCMinutes() << 5) |
      (instant.getUTCSeconds() >> 1),
  };
}
