// Slots: the times at which a product is due. Each product has one phase in the day, and the slots
// of an interval begin at the phase modulo the interval. So a coarse tier's slots are slots of
// every finer tier too.
import { hash } from 'node:crypto';
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../foundation/time.ts';

/** Milliseconds after midnight; never changes for a code. */
export function phaseMs(code: string): number {
  // Skips the first byte, which decides the lane: products of a lane must not be due together.
  const bytes = hash('sha256', code, 'buffer');
  return (bytes.readUInt32BE(1) % DAY_SECONDS) * SECOND_MS;
}

/** The start of the slot that contains this instant. */
export function slotStart(atMs: number, phase: number, intervalMs: number): number {
  const sinceStartMs = (atMs - phase) % intervalMs;
  return atMs - (sinceStartMs < 0 ? sinceStartMs + intervalMs : sinceStartMs);
}

/** The start of the next slot; always after this instant. */
export function nextSlot(atMs: number, phase: number, intervalMs: number): number {
  return slotStart(atMs, phase, intervalMs) + intervalMs;
}

/** Counts the slots that begin in a span; its end is exclusive. */
export function slotsBetween(
  { fromAtMs, toAtMs }: { fromAtMs: number; toAtMs: number },
  phase: number,
  intervalMs: number,
): number {
  if (toAtMs <= fromAtMs) return 0;
  const firstMs = slotStart(fromAtMs - 1, phase, intervalMs) + intervalMs;
  return firstMs >= toAtMs ? 0 : Math.ceil((toAtMs - firstMs) / intervalMs);
}

/** The UTC day, as days since 1970. */
export const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);
