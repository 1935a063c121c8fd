// Prints the tables of docs/decisions/0008: losses wrongly believed in simulated total and partial
// outages, and how soon a real delisting is believed, also among products of another tier. Takes
// some minutes: `node scripts/outage-table.ts`.
import { type Market, simulateIngest, simulateSource } from '../test/support/guard-simulation.ts';

const HOUR = 3600;
const SIZES = [10, 100, 1_000, 10_000];
const TIERS = [1, 2, 6, 12, 24];

/** An outage that starts after 1.5 rounds and lasts 2.5 rounds, but at least five hours. */
function outage(products: number, hours: number): Market {
  const [from, length] = [1.5 * hours * HOUR, Math.max(5, 2.5 * hours) * HOUR];
  return {
    products,
    intervalSeconds: hours * HOUR,
    endSeconds: from + length + 2 * hours * HOUR,
    isShown: (_, at) => at < from || at >= from + length,
  };
}

const delisting = (products: number, hours: number): Market => ({
  products,
  intervalSeconds: hours * HOUR,
  endSeconds: 5.25 * hours * HOUR,
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

function printTotal(): void {
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
}

/** An outage of some fifths of the products, always the same ones, that starts after 1.5 rounds. */
function partialOutage(
  products: number,
  { hours, fifths, length }: { hours: number; fifths: number; length: number },
): Market {
  const from = 1.5 * hours * HOUR;
  const isOut = (at: number) => at >= from && at < from + length;
  return {
    products,
    intervalSeconds: hours * HOUR,
    endSeconds: from + length + 2 * hours * HOUR,
    isShown: (product, at) => !isOut(at) || product % 5 >= fifths,
  };
}

function printPartial(): void {
  const columns = [100, 1_000].flatMap((products) =>
    ['3 slots', '3 days'].map((span) => ({ products, span })),
  );
  row(['', 'lost', 'every', ...columns.map(({ products, span }) => `${products}, ${span}`)]);
  row(['---', '---', '---', ...columns.map(() => '---')]);
  for (const { name, run } of WAYS) {
    for (const fifths of [1, 2, 3]) {
      for (const hours of TIERS) {
        const cells = columns.map(({ products, span }) => {
          const length = (span === '3 days' ? 72 : 3 * hours) * HOUR;
          return falselyBelieved(run(partialOutage(products, { hours, fifths, length })));
        });
        row([name, `${fifths}/5`, `${hours} h`, ...cells]);
      }
    }
  }
}

/** Prints when the loss of an hourly product is believed among products of a coarser tier. */
function printMixed(): void {
  const sizes = [10, 30, 100, 1_000];
  row(['others every', ...sizes.map((size) => `${size.toLocaleString('en')} products`)]);
  row(['---', ...sizes.map(() => '---')]);
  for (const hours of TIERS) {
    const cells = sizes.map((size) => {
      const intervalOf = (product: number) => (product === 7 ? 1 : hours) * HOUR;
      const from = (1.25 * hours + 0.5) * HOUR;
      const believed = simulateSource({
        products: size,
        intervalSeconds: HOUR,
        endSeconds: from + 30 * HOUR,
        intervalOf,
        isShown: (product, at) => at < from || product !== 7,
      });
      const at = believed[7];
      return at == null ? 'never' : `${((at - from) / HOUR).toFixed(1)} h`;
    });
    row([`${hours} h`, ...cells]);
  }
}

for (const print of [printTotal, printPartial, printMixed]) {
  print();
  console.log();
}
