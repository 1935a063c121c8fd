// Reads lines from a stream of bytes, however it is chunked, and never holds more than one line of
// the allowed length.

/** Skips a line that is too long and yields null for it. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Buffer | null> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const take = (): Buffer | null => {
    const line = bytes > bytesMax ? null : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line;
  };
  const keep = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > bytesMax) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}
