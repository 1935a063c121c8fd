// Runs an action once however fast its button is clicked: the second click joins the first. Pure.

/** As long as a slow double click takes. The first call may finish before the second click. */
export const DOUBLE_PRESS_MS = 700;

type Begun = { promise: Promise<unknown>; atMs: number; isOver: boolean };

export function createOnce(nowMs: () => number = () => performance.now()) {
  const begun = new Map<string, Begun>();
  const isSamePress = ({ atMs, isOver }: Begun) => !isOver || nowMs() - atMs < DOUBLE_PRESS_MS;
  return {
    /** Starts the action, or returns the result of the same one that runs or was just started. */
    run<T>(key: string, act: () => Promise<T>): Promise<T> {
      const before = begun.get(key);
      if (before !== undefined && isSamePress(before)) return before.promise as Promise<T>;
      const one: Begun = { promise: act(), atMs: nowMs(), isOver: false };
      begun.set(key, one);
      one.promise.then(
        () => {
          one.isOver = true;
        },
        // A failed action may be retried at once.
        () => begun.delete(key),
      );
      return one.promise as Promise<T>;
    },
    /** Whether a click at this time may be the second half of a double click. */
    isPressing: () => [...begun.values()].some(isSamePress),
  };
}
