// The CRC-32 of two byte sequences one after the other, from their CRCs and the second length: the
// bytes themselves are not needed. CRC is linear, so a zero byte is a multiplication by a matrix.

/** The reversed polynomial of CRC-32. */
const POLYNOMIAL = 0xedb88320;

type Matrix = Int32Array;

function times(matrix: Matrix, vector: number): number {
  let product = 0;
  for (let bit = 0, rest = vector; rest !== 0; bit++, rest >>>= 1) {
    if ((rest & 1) !== 0) product ^= matrix[bit] as number;
  }
  return product;
}

const square = (matrix: Matrix): Matrix => matrix.map((row) => times(matrix, row));

/** Appends 2^n zero bytes, for n from 0 to 31. */
const ZERO_BYTES: readonly Matrix[] = (() => {
  const oneBit = Int32Array.from({ length: 32 }, (_, bit) =>
    bit === 0 ? POLYNOMIAL : 1 << (bit - 1),
  );
  const matrices = [square(square(square(oneBit)))];
  while (matrices.length < 32) matrices.push(square(matrices.at(-1) as Matrix));
  return matrices;
})();

export function crcOfBoth(first: number, second: number, secondLength: number): number {
  let crc = first;
  for (let bit = 0, rest = secondLength; rest > 0; bit++, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) crc = times(ZERO_BYTES[bit] as Matrix, crc);
  }
  return (crc ^ second) >>> 0;
}
