// Checks of big tables in bounded parts: a part that fails is noted, and the others continue.
import { LANES } from '../database/families.ts';
import { createProgress } from './progress.ts';

export type Parts = {
  /** Runs one part; returns undefined if it fails. */
  run<Result>(part: string, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Shows how far a check is: the lane it reads, and how many keys it has checked. */
  show(lane: number, keys: number): void;
};

export type NotedParts = Parts & { failures: string[]; end(): void };

/** Draws its progress on a terminal. */
export function createParts(what: string): NotedParts {
  const progress = createProgress(what, LANES);
  const failures: string[] = [];
  return {
    failures,
    async run(part, work) {
      try {
        return await work();
      } catch (error) {
        failures.push(`${part}: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    },
    show: (lane, keys) => progress.show(lane, keys),
    end: () => progress.clear(),
  };
}

/** Fails with the first part that fails. */
export const STRICT: Parts = { run: (_part, work) => work(), show: () => {} };
