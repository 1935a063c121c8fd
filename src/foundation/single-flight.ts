// Single flight: concurrent calls for one key share the promise of the call that runs.

export function createSingleFlight<Result>() {
  const running = new Map<string, Promise<Result>>();
  return {
    /** Starts a call, unless one for this key runs; returns its promise. */
    run(key: string, start: () => Promise<Result>): Promise<Result> {
      const current = running.get(key);
      if (current !== undefined) return current;
      const started = start().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
    /** The call that runs for this key, if any. */
    current: (key: string): Promise<Result> | undefined => running.get(key),
  };
}
