// Before each test file: properties (fast-check) are bounded by time too, so that a busy machine tries fewer cases instead of
// running into the time limit of the test.
import fc from 'fast-check';

/** A quarter of a test's time: some tests hold several properties. */
export const PROPERTY_TIME_MAX_MS = 15_000;

/**
 * Ends a property's cases when its time is over. The first case always runs, and one that has begun is always finished: the
 * library's own limit leaves it running beside the next test.
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
