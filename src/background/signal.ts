// Wakes a loop in this process when there may be work. It only saves waiting; the loop would poll
// anyway.

export type Signal = ReturnType<typeof createSignal>;

export function createSignal() {
  let isRaised = false;
  const waiting = new Set<() => void>();
  return {
    raise(): void {
      isRaised = true;
      for (const wake of waiting) wake();
    },
    /** Resolves when raised, or if raised since the last wait; after `ms`; or when aborted. */
    async wait(ms: number, abort: AbortSignal): Promise<void> {
      if (!isRaised && !abort.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            abort.removeEventListener('abort', end);
            waiting.delete(end);
            resolve();
          };
          const timer = setTimeout(end, ms);
          abort.addEventListener('abort', end);
          waiting.add(end);
        });
      }
      // A wait that was aborted leaves the signal raised for the next one.
      if (!abort.aborted) isRaised = false;
    },
  };
}
