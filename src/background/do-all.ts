// Runs independent actions of one round; each runs even if another fails.

/** Runs in order; throws at the end what failed, so that the loop logs it. */
export async function doAll(...acts: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const act of acts) {
    try {
      await act();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new Error(failures.map(String).join('; '), { cause: failures[0] });
}
