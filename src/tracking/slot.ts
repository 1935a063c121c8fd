// Slots: the times at which a product is due. Each product has one phase in the day; slots of an interval begin
// at the phase modulo the interval, so that the slots of a coarse tier are slots of the finer ones too.
import { hash } from 'node:crypto';
import { DAY_MS, DAY_SECONDS } from '../foundation/time.ts';

/** Milliseconds after midnight, the same for a code for ever. */
export function phaseMs(code: string): number {
  // Not the first byte: that is the lane, and products of a lane must not be due together.
  const bytes = hash('sha256', code, 'buffer');
  return (bytes.readUInt32BE(1) % DAY_SECONDS) * 1000;
}

/** When the slot began that this time lies in. */
export function slotStart(at: number, phase: number, intervalMs: number): number {
  const into = (at - phase) % intervalMs;
  return at - (into < 0 ? into + intervalMs : into);
}

/** When the next slot begins, always after this time. */
export function nextSlot(at: number, phase: number, intervalMs: number): number {
  return slotStart(at, phase, intervalMs) + intervalMs;
}

/** How many slots begin from a time on (inclusive) to another (exclusive). */
export function slotsBetween(
  span: { from: number; to: number },
  phase: number,
  intervalMs: number,
): number {
  if (span.to <= span.from) return 0;
  const first = slotStart(span.from - 1, phase, intervalMs) + intervalMs;
  return first >= span.to ? 0 : Math.ceil((span.to - first) / intervalMs);
}

/** Days since 1970, UTC. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);
