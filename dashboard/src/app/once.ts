// Runs an action once however fast its button is clicked: the second click joins the first. Pure.

/** As long as a slow double click takes. The first call may finish before the second click. */
export const DOUBLE_CLICK_MS = 700;

type RunningCall = { promise: Promise<unknown>; atMs: number; isOver: boolean };

export function createOnce(nowMs: () => number = () => performance.now()) {
  const calls = new Map<string, RunningCall>();
  const isSameClick = ({ atMs, isOver }: RunningCall) =>
    !isOver || nowMs() - atMs < DOUBLE_CLICK_MS;
  return {
    /** Starts the action, or returns the result of the same one that runs or was just started. */
    run<T>(key: string, act: () => Promise<T>): Promise<T> {
      const before = calls.get(key);
      if (before !== undefined && isSameClick(before)) return before.promise as Promise<T>;
      const one: RunningCall = { promise: act(), atMs: nowMs(), isOver: false };
      calls.set(key, one);
      one.promise.then(
        () => {
          one.isOver = true;
        },
        // A failed action may be retried at once.
        () => calls.delete(key),
      );
      return one.promise as Promise<T>;
    },
    /** Whether a click at this time may be the second half of a double click. */
    isDoubleClick: () => [...calls.values()].some(isSameClick),
  };
}
