// Closes what a test or a file has opened: at the end of the test if called inside one, else at the
// end of the file. A hook that is registered too late never runs and leaves its resources open.
import { afterAll, onTestFinished, TestRunner } from 'vitest';

export function atEnd(takeDown: () => unknown): void {
  const run = async () => {
    await takeDown();
  };
  if (TestRunner.getCurrentTest() === undefined) afterAll(run);
  else onTestFinished(run);
}
