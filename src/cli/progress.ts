// Progress bar on a terminal, with rate and time left, redrawn on the same line.
import { monotonicMs } from '../foundation/clock.ts';
import { progressBar } from '../foundation/progress-bar.ts';

export type Progress = {
  /** Bytes done so far, and the number of items to print. */
  show(doneBytes: number, count: number): void;
  /** Erases the bar. */
  clear(): void;
};

const REDRAW_INTERVAL_MS = 100;

/** Draws on standard error; draws nothing if that is not a terminal. */
export function createProgress(
  what: string,
  totalBytes: number | null,
  out: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
): Progress {
  if (out.isTTY !== true) return { show: () => {}, clear: () => {} };
  const startedAtMs = monotonicMs();
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    show(doneBytes, count) {
      const nowMs = monotonicMs();
      if (nowMs - drawnAtMs < REDRAW_INTERVAL_MS) return;
      drawnAtMs = nowMs;
      const seconds = Math.max((nowMs - startedAtMs) / 1000, 0.001);
      out.write(`\r\x1b[K${progressLine({ what, totalBytes, doneBytes, count, seconds })}`);
    },
    clear: () => out.write('\r\x1b[K'),
  };
}

export function progressLine(state: {
  what: string;
  totalBytes: number | null;
  doneBytes: number;
  count: number;
  seconds: number;
}): string {
  const { what, totalBytes, doneBytes, count, seconds } = state;
  const rate = `${grouped(count)} ${what}, ${grouped(Math.round(count / seconds))}/s`;
  if (totalBytes === null || totalBytes === 0) return rate;
  const share = Math.min(doneBytes / totalBytes, 1);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${progressBar(share)} ${percent}  ${rate}, ${leftText(share, seconds)}`;
}

function leftText(share: number, seconds: number): string {
  if (share === 0) return 'time left unknown';
  const left = Math.round((seconds * (1 - share)) / share);
  const minutes = Math.floor(left / 60);
  return minutes === 0 ? `${left} s left` : `${minutes} min ${left % 60} s left`;
}

const grouped = (value: number) => value.toLocaleString('en-US');
