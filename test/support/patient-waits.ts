// Raises the time that polls wait: the library's default of one second is too short on a busy
// machine.
import { vi } from 'vitest';

const WAIT_MAX_MS = 30_000;

type Options = Parameters<typeof vi.waitUntil>[1];

const patiently = (options: Options): Options =>
  typeof options === 'number' ? options : { timeout: WAIT_MAX_MS, ...options };

const { waitUntil, waitFor } = vi;
vi.waitUntil = (condition, options) => waitUntil(condition, patiently(options));
vi.waitFor = (condition, options) => waitFor(condition, patiently(options));
