// Plays one item in a world: its true sales are taken from the shelves of sellers, which are filled
// by a policy, and what a marketplace would display is observed.
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import type { StockObservation, StockOffer } from './stock-observation.ts';
import type { Policy, Range, TrialWorld } from './trial-world.ts';

export type Sale = { atSeconds: number; units: number };

type Draw = () => number;
const between = (draw: Draw, [least, most]: Range) => least + (most - least) * draw();
const wholeBetween = (draw: Draw, [least, most]: Range) =>
  Math.floor(between(draw, [least, most + 1 - 1e-9]));
const pick = <T>(draw: Draw, list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;

type Shelf = {
  name: string;
  stock: number;
  /** Called after each sale; plans deliveries. */
  afterSale: (atSeconds: number) => void;
  present: boolean;
  hidden: boolean;
};

type Event = { atSeconds: number; run: () => void };

export type PlayedItem = {
  observations: StockObservation[];
  /** What was really sold: less than demanded while a shelf was empty. */
  sold: Sale[];
  /** Spans without observations. */
  gaps: { fromAtSeconds: number; toAtSeconds: number }[];
};

export type Played = {
  world: TrialWorld;
  intervalHours: number;
  draw: Draw;
  rankAt: ((atSeconds: number) => number) | null;
};

/** There is at least one sale; sales are ascending and have units above 0. */
export function playItem(demand: readonly Sale[], played: Played): PlayedItem {
  const { world, draw, intervalHours } = played;
  const stepSeconds = intervalHours * HOUR_SECONDS;
  const fromAtSeconds = Math.floor((demand[0] as Sale).atSeconds - stepSeconds * draw()) - 1;
  const lastAtSeconds = (demand.at(-1) as Sale).atSeconds;
  const span = { fromAtSeconds, toAtSeconds: lastAtSeconds + stepSeconds };
  const orders = withBulk(demand, played);
  const count = wholeBetween(draw, world.sellers);
  const shares = Array.from({ length: count }, () => between(draw, [0.25, 1]));
  const buyers = orders.map(() => weighted(draw, shares));
  const events: Event[] = [];
  const shelves = shares.map((_, index) =>
    shelfOf(
      orders.filter((__, number) => buyers[number] === index),
      { ...played, span, index },
      events,
    ),
  );
  const sold: Sale[] = [];
  orders.forEach((sale, number) => {
    events.push({
      atSeconds: sale.atSeconds,
      run: () => sell(shelves, buyers[number] as number, sale, sold),
    });
  });
  addWorldEvents(events, shelves, { ...played, span });
  const gaps = gapsOf(world, draw, span);
  const observations = observe(shelves, events, { ...played, span, gaps, lastAtSeconds });
  return { observations, sold: sold.length > 0 ? sold : [demand[0] as Sale], gaps };
}

type Span = { fromAtSeconds: number; toAtSeconds: number };

function weighted(draw: Draw, shares: readonly number[]): number {
  let rest = draw() * shares.reduce((sum, share) => sum + share, 0);
  for (let index = 0; index < shares.length - 1; index++) {
    rest -= shares[index] as number;
    if (rest < 0) return index;
  }
  return shares.length - 1;
}

function withBulk(demand: readonly Sale[], { world, draw }: Played): Sale[] {
  if (world.bulk === undefined) return [...demand];
  const everySeconds = between(draw, world.bulk.daysBetween) * DAY_SECONDS;
  const usualUnits = demand.reduce((sum, { units }) => sum + units, 0) / demand.length;
  const { times } = world.bulk;
  let nextAtSeconds = (demand[0] as Sale).atSeconds + everySeconds * draw();
  return demand.map((sale) => {
    if (sale.atSeconds < nextAtSeconds) return sale;
    nextAtSeconds = sale.atSeconds + everySeconds * 2 * draw();
    return { ...sale, units: sale.units + Math.ceil(usualUnits * between(draw, times)) };
  });
}

/** Sells from the preferred seller, else from the fullest one; at most what is in stock. */
function sell(shelves: readonly Shelf[], buyer: number, sale: Sale, sold: Sale[]): void {
  let shelf = shelves[buyer] as Shelf;
  if (!shelf.present || shelf.stock < sale.units) {
    for (const other of shelves)
      if (other.present && (!shelf.present || other.stock > shelf.stock)) shelf = other;
  }
  const units = shelf.present ? Math.min(sale.units, shelf.stock) : 0;
  if (units === 0) return;
  shelf.stock -= units;
  sold.push({ atSeconds: sale.atSeconds, units });
  shelf.afterSale(sale.atSeconds);
}

type ShelfInput = Played & { span: Span; index: number };

function shelfOf(demand: readonly Sale[], input: ShelfInput, events: Event[]): Shelf {
  const { world, draw, index } = input;
  const shelf: Shelf = {
    name: `Seller ${index + 1}`,
    stock: 0,
    afterSale: () => {},
    present: true,
    hidden: index < (world.unknownSellers ?? 0),
  };
  const policy = pick(draw, world.policies);
  FILL[policy.kind](shelf, demand, { ...input, events, policy: policy as never });
  return shelf;
}

type Filling<Kind> = ShelfInput & { events: Event[]; policy: Extract<Policy, { kind: Kind }> };
type Fill<Kind> = (shelf: Shelf, demand: readonly Sale[], input: Filling<Kind>) => void;

const ratePerDay = (demand: readonly Sale[], { fromAtSeconds, toAtSeconds }: Span) =>
  Math.max(
    0.02,
    (demand.reduce((sum, { units }) => sum + units, 0) * DAY_SECONDS) /
      (toAtSeconds - fromAtSeconds),
  );

const FILL: { [Kind in Policy['kind']]: Fill<Kind> } = {
  foresight(shelf, demand, { draw, span, events, policy }) {
    const rate = ratePerDay(demand, span);
    let atSeconds = span.fromAtSeconds;
    let next = 0;
    while (next < demand.length || atSeconds === span.fromAtSeconds) {
      const gapSeconds = Math.ceil(-Math.log(1 - draw()) * policy.daysBetween * DAY_SECONDS);
      let units = wholeBetween(draw, policy.spareUnits);
      units += Math.round(rate * between(draw, policy.spareDays));
      for (; (demand[next]?.atSeconds ?? Number.POSITIVE_INFINITY) < atSeconds + gapSeconds; next++)
        units += (demand[next] as Sale).units;
      const level = units;
      events.push({
        atSeconds,
        run: () => {
          shelf.stock = Math.max(shelf.stock, level);
        },
      });
      atSeconds += gapSeconds;
    }
  },
  reorder(shelf, demand, { draw, span, events, policy }) {
    const rate = ratePerDay(demand, span);
    const trigger = Math.ceil(rate * between(draw, policy.triggerDays));
    const most = trigger + Math.ceil(rate * between(draw, policy.orderDays)) + 1;
    shelf.stock = most;
    let ordered = false;
    shelf.afterSale = (atSeconds) => {
      if (ordered || shelf.stock > trigger) return;
      ordered = true;
      const units = most - shelf.stock;
      const leadSeconds = Math.ceil(between(draw, policy.leadDays) * DAY_SECONDS);
      insert(events, {
        atSeconds: atSeconds + leadSeconds,
        run: () => {
          shelf.stock += units;
          ordered = false;
          shelf.afterSale(atSeconds + leadSeconds);
        },
      });
    };
  },
  level(shelf, demand, { draw, span, events, policy }) {
    const periodSeconds = policy.everyDays * DAY_SECONDS;
    const hour = between(draw, policy.hour);
    const day = Math.floor(draw() * policy.everyDays);
    const firstDay = Math.floor(span.fromAtSeconds / DAY_SECONDS) - policy.everyDays + day;
    const firstAtSeconds = Math.floor(firstDay * DAY_SECONDS + hour * HOUR_SECONDS);
    const byPeriod = new Map<number, number>();
    for (const { atSeconds, units } of demand) {
      const period = Math.floor((atSeconds - firstAtSeconds) / periodSeconds);
      byPeriod.set(period, (byPeriod.get(period) ?? 0) + units);
    }
    const best = [...byPeriod.values()].sort((one, other) => other - one);
    // The best period but one in twenty: the very best are often single bulk orders.
    const high = best[Math.floor(best.length / 20)] ?? 1;
    const level = Math.max(2, Math.ceil(high * between(draw, policy.bestPart)));
    shelf.stock = level;
    for (let atSeconds = firstAtSeconds; atSeconds < span.toAtSeconds; atSeconds += periodSeconds)
      if (atSeconds >= span.fromAtSeconds)
        events.push({
          atSeconds,
          run: () => {
            shelf.stock = Math.max(shelf.stock, level);
          },
        });
  },
  packs(shelf, demand, { draw, span, events, policy }) {
    const least = ratePerDay(demand, span) * between(draw, policy.packDays);
    const pack =
      policy.packUnits.find((units) => units >= least) ?? (policy.packUnits.at(-1) as number);
    const trigger = Math.floor(pack * between(draw, policy.shelfPacks) - pack);
    shelf.stock = trigger + pack;
    let ordered = false;
    shelf.afterSale = (atSeconds) => {
      if (ordered || shelf.stock > trigger) return;
      ordered = true;
      const units = pack * Math.ceil((trigger + 1 - shelf.stock) / pack);
      insert(events, {
        atSeconds: atSeconds + Math.ceil(between(draw, policy.delayHours) * HOUR_SECONDS),
        run: () => {
          shelf.stock += units;
          ordered = false;
          shelf.afterSale(atSeconds);
        },
      });
    };
  },
};

/** The events are sorted while they are played; a delivery is inserted where it belongs. */
function insert(events: Event[], event: Event): void {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // Played from the end, so that the next event is popped.
    if ((events[middle] as Event).atSeconds > event.atSeconds) low = middle + 1;
    else high = middle;
  }
  events.splice(low, 0, event);
}

type Playing = Played & { span: Span };

function addWorldEvents(events: Event[], shelves: readonly Shelf[], playing: Playing): void {
  const { world, draw, span } = playing;
  if (world.returnsPerDay !== undefined) {
    const perDay = between(draw, world.returnsPerDay);
    for (const atSeconds of randomTimes(draw, span, DAY_SECONDS / perDay)) {
      const shelf = pick(draw, shelves);
      events.push({
        atSeconds,
        run: () => {
          if (shelf.present) shelf.stock += 1;
        },
      });
    }
  }
  if (world.moves !== undefined && shelves.length > 1) {
    const { daysBetween, part } = world.moves;
    const meanSeconds = between(draw, daysBetween) * DAY_SECONDS;
    for (const atSeconds of randomTimes(draw, span, meanSeconds)) {
      const from = Math.floor(draw() * shelves.length);
      const to = (from + 1 + Math.floor(draw() * (shelves.length - 1))) % shelves.length;
      const moved = between(draw, part);
      events.push({ atSeconds, run: () => move(shelves, { from, to, part: moved }) });
    }
  }
  if (world.presence !== undefined) {
    // The first seller stays, so that there is always one.
    for (const shelf of shelves.slice(1)) addPresence(events, shelf, playing, world.presence);
  }
}

function move(
  shelves: readonly Shelf[],
  { from, to, part }: { from: number; to: number; part: number },
): void {
  const units = Math.floor((shelves[from] as Shelf).stock * part);
  (shelves[from] as Shelf).stock -= units;
  (shelves[to] as Shelf).stock += units;
}

function addPresence(
  events: Event[],
  shelf: Shelf,
  { draw, span }: Playing,
  { stays, away }: { stays: Range; away: Range },
): void {
  shelf.present = draw() < 0.6;
  let present = shelf.present;
  let atSeconds = span.fromAtSeconds;
  while (atSeconds < span.toAtSeconds) {
    atSeconds += Math.ceil(between(draw, present ? stays : away) * DAY_SECONDS);
    present = !present;
    const arrives = present;
    events.push({
      atSeconds,
      run: () => {
        shelf.present = arrives;
      },
    });
  }
}

function randomTimes(draw: Draw, span: Span, meanSeconds: number): number[] {
  const times: number[] = [];
  let atSeconds = span.fromAtSeconds;
  for (;;) {
    atSeconds += Math.ceil(-Math.log(1 - draw()) * meanSeconds);
    if (atSeconds >= span.toAtSeconds) return times;
    times.push(atSeconds);
  }
}

function gapsOf(world: TrialWorld, draw: Draw, span: Span): Span[] {
  if (world.gaps === undefined) return [];
  const { count, days } = world.gaps;
  return Array.from({ length: wholeBetween(draw, count) }, () => {
    const fromAtSeconds = Math.floor(between(draw, [span.fromAtSeconds, span.toAtSeconds]));
    return {
      fromAtSeconds,
      toAtSeconds: fromAtSeconds + Math.floor(between(draw, days) * DAY_SECONDS),
    };
  });
}

/** Plays all events and observes the shelves at every step that is not missed. */
function observe(
  shelves: readonly Shelf[],
  events: Event[],
  played: Playing & { gaps: readonly Span[]; lastAtSeconds: number },
): StockObservation[] {
  const { world, draw, span, gaps, lastAtSeconds, rankAt } = played;
  const cap = world.caps === undefined ? null : pick(draw, world.caps);
  const missedPart = between(draw, world.missedPart);
  const stepSeconds = played.intervalHours * HOUR_SECONDS;
  // A stable sort: fills were added before sales, so in the same second they come first.
  const order = events.map((event, number) => ({ event, number }));
  order.sort(
    (one, other) => other.event.atSeconds - one.event.atSeconds || other.number - one.number,
  );
  order.forEach(({ event }, index) => {
    events[index] = event;
  });
  const observations: StockObservation[] = [];
  for (let atSeconds = span.fromAtSeconds; ; atSeconds += stepSeconds) {
    while ((events.at(-1)?.atSeconds ?? Number.POSITIVE_INFINITY) <= atSeconds)
      (events.pop() as Event).run();
    const isEnd = observations.length === 0 || atSeconds >= lastAtSeconds;
    const missed =
      draw() < missedPart ||
      gaps.some((gap) => atSeconds >= gap.fromAtSeconds && atSeconds < gap.toAtSeconds);
    if (!missed || isEnd) {
      observations.push({
        atSeconds,
        rankPosition: rankAt === null ? null : rankAt(atSeconds),
        rankCategory: rankAt === null ? null : 'Trial',
        offers: shelves.filter(({ present }) => present).map((shelf) => offerOf(shelf, cap)),
        offersComplete: true,
      });
    }
    if (atSeconds >= lastAtSeconds) return observations;
  }
}

function offerOf({ name, stock, hidden }: Shelf, cap: number | null): StockOffer {
  const displayed = cap === null ? stock : Math.min(stock, cap);
  return { sellerName: name, units: hidden ? null : displayed, priceCents: 1_000 };
}
