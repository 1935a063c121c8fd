// Prints the ten slowest test files, and the CPU time of the run with all its processes: it says
// more than the duration on a machine that does other things.
import { readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Linux counts in hundredths of a second. Includes children that have ended, and theirs. */
function readCpuSeconds(): { thisProcess: number; children: number } | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the process, which comes before, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const sum = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / 100;
    return { thisProcess: sum(11), children: sum(13) };
  } catch {
    return null;
  }
}

export class SlowestFiles implements Reporter {
  onInit(): void {
    // At the very end: before it, workers and the database have not ended.
    process.once('exit', () => {
      const cpu = readCpuSeconds();
      if (cpu === null) return;
      const all = Math.round(cpu.thisProcess + cpu.children);
      process.stdout.write(
        ` CPU ${all} s, of which ${Math.round(cpu.children)} s in other processes\n`,
      );
    });
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const timed = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      return { module, ms: duration + collectDuration + setupDuration };
    });
    timed.sort((one, other) => other.ms - one.ms);
    const lines = timed
      .slice(0, SHOWN)
      .map(
        ({ module, ms }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${module.relativeModuleId}`,
      );
    if (modules.length > SHOWN) process.stdout.write(`\n The slowest files\n${lines.join('\n')}\n`);
  }
}
