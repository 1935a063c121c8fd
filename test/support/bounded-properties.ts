// Runs before each test file: bounds the time of fast-check properties, so that a busy machine
// tries fewer cases instead of exceeding the test's time limit.
import fc from 'fast-check';

/** A quarter of a test's time: some tests have several properties. */
export const PROPERTY_TIME_MAX_MS = 15_000;

/**
 * Ends a property when its time has run out. The first case always runs, and a started case is
 * always finished: the library's own limit would leave it running during the next test.
 */
export function boundedInTime(timeMaxMs: number): fc.Plugin<unknown> {
  return () => {
    const endMs = performance.now() + timeMaxMs;
    let begun = 0;
    return {
      decorateRun: (run) => (value) =>
        begun++ > 0 && performance.now() >= endMs ? new fc.PreconditionFailure(true) : run(value),
    };
  };
}

fc.installGlobalPlugin(boundedInTime(PROPERTY_TIME_MAX_MS));
