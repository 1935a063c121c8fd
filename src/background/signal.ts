// A call from one part of the process to a loop in another: there may be work, look now. Only saves waiting; the
// loop would come to it by itself.

export type Signal = {
  raise(): void;
  /** Resolves when it is raised, or was since the last time; or after the time is over. */
  wait(ms: number, stopping: AbortSignal): Promise<void>;
};

export function createSignal(): Signal {
  let isRaised = false;
  let wake: (() => void) | null = null;
  return {
    raise() {
      isRaised = true;
      wake?.();
    },
    async wait(ms, stopping) {
      if (!isRaised && !stopping.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            stopping.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, ms);
          stopping.addEventListener('abort', end);
          wake = end;
        });
      }
      wake = null;
      isRaised = false;
    },
  };
}
