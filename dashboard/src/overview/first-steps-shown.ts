// Whether to show the first steps: for a new account, until the user hides them.
import { DAY_MS } from '../app/server-clock.ts';

const NEW_MS = 30 * DAY_MS;
const STORE = 'first-steps-hidden';

export function isNewAccount(createdAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(createdAt) < NEW_MS;
}

/** Stored in this browser. Without storage the steps are shown again. */
export function stepsForgotten(accountId: string): boolean {
  try {
    return localStorage.getItem(STORE) === accountId;
  } catch {
    return false;
  }
}

export function forgetSteps(accountId: string): void {
  try {
    localStorage.setItem(STORE, accountId);
  } catch {
    // Without storage they stay hidden until a reload.
  }
}
