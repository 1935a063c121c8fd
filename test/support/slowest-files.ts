// Prints the ten slowest test files.
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

export class SlowestFiles implements Reporter {
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
