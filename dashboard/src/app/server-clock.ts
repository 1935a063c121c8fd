// The server's clock, extrapolated from its last response: in a time lapse it runs faster than
// ours.
import { useSyncExternalStore } from 'react';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

type Reading = { serverAtMs: number; takenAtMs: number; speed: number };

let reading: Reading = { serverAtMs: Date.now(), takenAtMs: performance.now(), speed: 1 };
let shownAtMs = reading.serverAtMs;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const TICK_MS = 10_000;
const TICK_IN_LAPSE_MS = 1_000;

/** Called with every response that carries the server's time. */
export function setServerClock(now: string | number, speed: number): void {
  const serverAtMs = typeof now === 'number' ? now : Date.parse(now);
  if (!Number.isFinite(serverAtMs)) return;
  const hadSpeed = reading.speed;
  reading = { serverAtMs, takenAtMs: performance.now(), speed: speed > 0 ? speed : 1 };
  if (hadSpeed !== reading.speed && timer !== undefined) restart();
  tick();
}

/** The server's current time in milliseconds. */
export function serverNowMs(): number {
  return reading.serverAtMs + (performance.now() - reading.takenAtMs) * reading.speed;
}

/** How far the displayed time may lag: an instant within it is not shown as in the future. */
export const clockSlackMs = (): number =>
  reading.speed > 1 ? 2 * TICK_IN_LAPSE_MS * reading.speed : TICK_MS;

/** The server's time, updated every ten seconds (every second in a time lapse). */
export function useServerNowMs(): number {
  return useSyncExternalStore(subscribe, () => shownAtMs);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    shownAtMs = serverNowMs();
    restart();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function restart(): void {
  clearInterval(timer);
  timer = setInterval(tick, reading.speed > 1 ? TICK_IN_LAPSE_MS : TICK_MS);
}

function tick(): void {
  shownAtMs = serverNowMs();
  for (const listener of listeners) listener();
}
