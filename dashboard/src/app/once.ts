// What must happen once however fast a button is pressed: the second press of a double click is the first one again. Pure.

/** As long as a slow double click takes. The first may be answered before the second press comes. */
export const DOUBLE_PRESS_MS = 700;

type Begun = { promise: Promise<unknown>; atMs: number; isOver: boolean };

export function createOnce(nowMs: () => number = () => performance.now()) {
  const begun = new Map<string, Begun>();
  const isSamePress = ({ atMs, isOver }: Begun) => !isOver || nowMs() - atMs < DOUBLE_PRESS_MS;
  return {
    /** Begins the act, or answers what the same one under way, or begun just now, answers. */
    run<T>(key: string, act: () => Promise<T>): Promise<T> {
      const before = begun.get(key);
      if (before !== undefined && isSamePress(before)) return before.promise as Promise<T>;
      const one: Begun = { promise: act(), atMs: nowMs(), isOver: false };
      begun.set(key, one);
      one.promise.then(
        () => {
          one.isOver = true;
        },
        // What failed may be tried again at once.
        () => begun.delete(key),
      );
      return one.promise as Promise<T>;
    },
    /** Whether a press of now may be the second half of one that began something. */
    isPressing: () => [...begun.values()].some(isSamePress),
  };
}
