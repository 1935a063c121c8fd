// Whether the first steps are worth showing: for a new account, until somebody hides them.
import { DAY_MS } from '../app/server-clock.ts';

const NEW_MS = 30 * DAY_MS;
const STORE = 'first-steps-hidden';

export function isNewAccount(createdAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(createdAt) < NEW_MS;
}

/** Kept in this browser. Where nothing may be kept they are shown again. */
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
    // Hidden until the page is loaded anew.
  }
}
