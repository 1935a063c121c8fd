// Takes down what a test or a file has opened: at the end of the test when called inside one, else of the file. A hook
// that is registered too late never runs, and what it should have closed stays open until the process ends.
import { afterAll, onTestFinished, TestRunner } from 'vitest';

export function atEnd(takeDown: () => unknown): void {
  const run = async () => {
    await takeDown();
  };
  if (TestRunner.getCurrentTest() === undefined) afterAll(run);
  else onTestFinished(run);
}
