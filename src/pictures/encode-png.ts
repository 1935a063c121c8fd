// Writes pixels as a PNG file. The renderer's own encoder takes four times as long.
import { crc32, deflateSync } from 'node:zlib';

/** Charts have large areas of one colour: higher levels take four times as long. */
const LEVEL = 3;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 8;
const RGBA = 6;
const PIXEL_BYTES = 4;

export function encodePng(
  pixels: Uint8Array,
  { width, height }: { width: number; height: number },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, RGBA, 0, 0, 0], 8);
  const data = deflateSync(rowsOf(pixels, width, height), { level: LEVEL });
  const parts = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

/** Each row after a byte that says that it is not filtered. */
function rowsOf(pixels: Uint8Array, width: number, height: number): Buffer {
  const rowBytes = width * PIXEL_BYTES;
  const rows = Buffer.alloc((rowBytes + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1);
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
