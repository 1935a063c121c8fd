// A call from one part of the process to a loop in another: there may be work, look now. Only saves waiting; the
// loop would come to it by itself.

export type Signal = {
  raise(): void;
  /** Resolves when it is raised, or was since it was last heard; or after the time is over; or when given up. */
  wait(ms: number, givenUp: AbortSignal): Promise<void>;
};

export function createSignal(): Signal {
  let isRaised = false;
  const waiting = new Set<() => void>();
  return {
    raise() {
      isRaised = true;
      for (const wake of waiting) wake();
    },
    async wait(ms, givenUp) {
      if (!isRaised && !givenUp.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            givenUp.removeEventListener('abort', end);
            waiting.delete(end);
            resolve();
          };
          const timer = setTimeout(end, ms);
          givenUp.addEventListener('abort', end);
          waiting.add(end);
        });
      }
      // Who gave up has not heard it: it is there for the next to wait.
      if (!givenUp.aborted) isRaised = false;
    },
  };
}
