// A value over time, reduced to the columns of a picture: the least and greatest number in each
// column, and whether there was none or nobody observed. Costs the same however long the history.
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';

export type TrackSpan = { fromAtSeconds: number; toAtSeconds: number; columns: number };

/** What a column contains; several may be true. */
export const HAS_NUMBER = 1;
export const HAS_NONE = 2;
export const HAS_UNOBSERVED = 4;

export type Extreme = { value: number; atSeconds: number };

export class ColumnTrack {
  readonly span: TrackSpan;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** The last number in the column. */
  readonly last: Float64Array;
  readonly contents: Uint8Array;
  lowest: Extreme | null = null;
  highest: Extreme | null = null;
  /** The first number of the span. */
  firstNumber: number | null = null;
  /** Observations inside the span. */
  count = 0;
  noneSeconds = 0;
  unobservedSeconds = 0;
  /** At the end of the span. null: there was none. undefined: not observed. */
  current: number | null | undefined;
  /** When the last value was observed, also if it no longer holds. */
  lastAtSeconds: number | null = null;

  #value: number | null | undefined;
  #sinceSeconds: number;
  #holdsUntilSeconds: number;
  readonly #columnSeconds: number;

  constructor(span: TrackSpan) {
    this.span = span;
    this.min = new Float64Array(span.columns).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(span.columns).fill(Number.NEGATIVE_INFINITY);
    this.last = new Float64Array(span.columns).fill(Number.NaN);
    this.contents = new Uint8Array(span.columns);
    this.#sinceSeconds = span.fromAtSeconds;
    this.#holdsUntilSeconds = span.fromAtSeconds;
    this.#columnSeconds = (span.toAtSeconds - span.fromAtSeconds) / span.columns;
  }

  /** How far before the span observations may still hold at its start. */
  static readonly lookbackSeconds = OBSERVED_SPAN_SECONDS;

  /** Adds an observation, later than all before. null: it was observed that there is none. */
  add(atSeconds: number, value: number | null): void {
    if (atSeconds >= this.span.fromAtSeconds) this.count++;
    this.lastAtSeconds = atSeconds;
    if (value !== this.#value || atSeconds > this.#holdsUntilSeconds) {
      this.#closeAt(atSeconds);
      this.#value = value;
      this.#sinceSeconds = atSeconds;
    }
    this.#holdsUntilSeconds = atSeconds + OBSERVED_SPAN_SECONDS;
  }

  /** Ends the track. Add nothing afterwards. */
  end(): this {
    const { toAtSeconds } = this.span;
    this.#closeAt(toAtSeconds);
    this.current = this.#holdsUntilSeconds >= toAtSeconds ? this.#value : undefined;
    return this;
  }

  /** Writes the value that held until this instant into the columns, and the gap after it. */
  #closeAt(atSeconds: number): void {
    const heldUntilSeconds = Math.min(atSeconds, this.#holdsUntilSeconds);
    if (this.#value !== undefined) this.#fill(this.#sinceSeconds, heldUntilSeconds, this.#value);
    if (heldUntilSeconds < atSeconds) this.#fill(heldUntilSeconds, atSeconds, undefined);
  }

  #fill(sinceSeconds: number, untilSeconds: number, value: number | null | undefined): void {
    const { fromAtSeconds, toAtSeconds, columns } = this.span;
    const startSeconds = Math.max(sinceSeconds, fromAtSeconds);
    const endSeconds = Math.min(untilSeconds, toAtSeconds);
    if (endSeconds <= startSeconds) return;
    if (value === undefined) this.unobservedSeconds += endSeconds - startSeconds;
    else if (value === null) this.noneSeconds += endSeconds - startSeconds;
    else this.#noteExtremes(startSeconds, value);
    const bit = value === undefined ? HAS_UNOBSERVED : value === null ? HAS_NONE : HAS_NUMBER;
    const first = Math.floor((startSeconds - fromAtSeconds) / this.#columnSeconds);
    const end = Math.min(columns, Math.ceil((endSeconds - fromAtSeconds) / this.#columnSeconds));
    for (let column = first; column < end; column++) {
      this.contents[column] = (this.contents[column] as number) | bit;
      if (typeof value !== 'number') continue;
      if (value < (this.min[column] as number)) this.min[column] = value;
      if (value > (this.max[column] as number)) this.max[column] = value;
      this.last[column] = value;
    }
  }

  #noteExtremes(atSeconds: number, value: number): void {
    this.firstNumber ??= value;
    if (this.lowest === null || value < this.lowest.value) this.lowest = { value, atSeconds };
    if (this.highest === null || value > this.highest.value) this.highest = { value, atSeconds };
  }
}
