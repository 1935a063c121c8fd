// Writes the data of an SVG path: steps from point to point in tenths of a pixel, which is sharp at
// three times the size and half as long as absolute coordinates.

export class PathWriter {
  #data = '';
  #command = '';
  /** The pen, in tenths of a pixel: steps between rounded points, so that errors do not add up. */
  #x = 0;
  #y = 0;

  moveTo(x: number, y: number): void {
    this.#x = Math.round(x * 10);
    this.#y = Math.round(y * 10);
    this.#write('M', `${this.#x / 10} ${this.#y / 10}`);
  }

  lineTo(x: number, y: number): void {
    const [nextX, nextY] = [Math.round(x * 10), Math.round(y * 10)];
    const step = `${short(nextX - this.#x)} ${short(nextY - this.#y)}`;
    [this.#x, this.#y] = [nextX, nextY];
    this.#write('l', step);
  }

  acrossTo(x: number): void {
    const nextX = Math.round(x * 10);
    if (nextX === this.#x) return;
    this.#write('h', short(nextX - this.#x));
    this.#x = nextX;
  }

  upTo(y: number): void {
    const nextY = Math.round(y * 10);
    if (nextY === this.#y) return;
    this.#write('v', short(nextY - this.#y));
    this.#y = nextY;
  }

  close(): void {
    this.#data += 'z';
    this.#command = 'z';
  }

  data(): string {
    return this.#data;
  }

  /** A command that repeats the one before needs no letter. */
  #write(command: string, numbers: string): void {
    this.#data += this.#command === command ? ` ${numbers}` : `${command}${numbers}`;
    this.#command = command;
  }
}

/** Tenths as a number without its leading zero. */
const short = (tenths: number): string => String(tenths / 10).replace(/^(-?)0\./, '$1.');
