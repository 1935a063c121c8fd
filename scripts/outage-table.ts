// Prints the table of docs/decisions/0008: losses wrongly believed in simulated total outages, and how soon a real
// delisting is believed. Takes a few minutes: `node scripts/outage-table.ts`.
import { type Market, simulateIngest, simulateSource } from '../test/support/guard-simulation.ts';

const HOUR = 3600;
const SIZES = [10, 100, 1_000, 10_000];
const TIERS = [1, 2, 6, 12, 24];

/** After a round and a half, for five hours or two and a half rounds. */
function outage(products: number, hours: number): Market {
  const [from, length] = [1.5 * hours * HOUR, Math.max(5, 2.5 * hours) * HOUR];
  return {
    ...{ products, intervalSeconds: hours * HOUR, endSeconds: from + length + 2 * hours * HOUR },
    isShown: (_, at) => at < from || at >= from + length,
  };
}

const delisting = (products: number, hours: number): Market => ({
  ...{ products, intervalSeconds: hours * HOUR, endSeconds: 5.25 * hours * HOUR },
  isShown: (product, at) => at < 1.25 * hours * HOUR || product !== 7,
});

const falselyBelieved = (believed: readonly (number | null)[]) =>
  believed.filter((at) => at !== null).length;

const slotsUntil = (believed: readonly (number | null)[], hours: number) => {
  const at = believed[7];
  return at == null ? 'never' : ((at - 1.25 * hours * HOUR) / (hours * HOUR)).toFixed(1);
};

type Way = { name: string; run: (market: Market) => (number | null)[] };

const WAYS: readonly Way[] = [
  { name: 'source', run: simulateSource },
  {
    name: 'ingest, one file',
    run: (market) => simulateIngest(market, { linesPerPart: 500, crawlSeconds: 1_800 }),
  },
  {
    name: 'ingest, line by line',
    run: (market) => simulateIngest(market, { linesPerPart: 1, crawlSeconds: 1_800 }),
  },
];

const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

row(['', 'every', ...SIZES.map((size) => `${size.toLocaleString('en')} products`)]);
row(['---', '---', ...SIZES.map(() => '---')]);
for (const { name, run } of WAYS) {
  for (const hours of TIERS) {
    const cells = SIZES.map((size) => {
      const wrong = falselyBelieved(run(outage(size, hours)));
      return `${wrong}; ${slotsUntil(run(delisting(size, hours)), hours)}`;
    });
    row([name, `${hours} h`, ...cells]);
  }
}
