// Measures figures: A and B alternate for several rounds; reports the median ratio and its range.
import type { ConnectionSettings, Database } from '../src/database/database.ts';

/** The database of a bench run. */
export type Bench = { db: Database; connection: ConnectionSettings; logFolder: string };

export type Figure = {
  name: string;
  ratio: number;
  range: [number, number];
  toReach: number;
  goal?: number;
  reached: boolean;
  a: number[];
  b: number[];
};

/** A figure with an upper limit instead of a ratio. */
export type Measure = {
  name: string;
  value: number;
  atMost: number;
  goal?: number;
  reached: boolean;
};

export const ROUNDS = 5;

export function measured(input: Omit<Measure, 'reached'>): Measure {
  const { name, atMost, goal } = input;
  const value = Math.round(input.value * 100) / 100;
  const reached = value <= atMost;
  process.stdout.write(
    `  ${name}: ${value}, at most ${atMost}${goal === undefined ? '' : `, goal ${goal}`}: ${reached ? 'reached' : 'NOT REACHED'}\n`,
  );
  return { name, value, atMost, ...(goal === undefined ? {} : { goal }), reached };
}

export async function compare(input: {
  name: string;
  toReach: number;
  goal?: number;
  a: { label: string; run: () => Promise<number> };
  b: { label: string; run: () => Promise<number> };
}): Promise<Figure> {
  const a: number[] = [];
  const b: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    a.push(Math.round(await input.a.run()));
    b.push(Math.round(await input.b.run()));
    process.stdout.write(
      `  ${input.a.label} ${a.at(-1)}/s, ${input.b.label} ${b.at(-1)}/s, ratio ${ratioOf(a.at(-1), b.at(-1)).toFixed(2)}\n`,
    );
  }
  const ratios = a.map((value, index) => ratioOf(value, b[index])).sort((x, y) => x - y);
  const round2 = (value: number) => Math.round(value * 100) / 100;
  const ratio = round2(ratios[Math.floor(ratios.length / 2)] ?? Number.NaN);
  const range: [number, number] = [round2(ratios[0] ?? 0), round2(ratios.at(-1) ?? 0)];
  const reached = ratio >= input.toReach;
  process.stdout.write(
    `  ${input.name}: ${ratio} (${range[0]}–${range[1]}), to reach ${input.toReach}${input.goal === undefined ? '' : `, goal ${input.goal}`}: ${reached ? 'reached' : 'NOT REACHED'}\n`,
  );
  const { name, toReach, goal } = input;
  return { name, ratio, range, toReach, ...(goal === undefined ? {} : { goal }), reached, a, b };
}

const ratioOf = (a = Number.NaN, b = Number.NaN) => a / b;
