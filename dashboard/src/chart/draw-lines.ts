// Draws the lines of a pane: steps, or a band from the lowest to the highest with the average.
import { DAY_MS } from '../app/server-clock.ts';
import { barAt } from './day-bars.ts';
import { type Frame, type PaneFrame, xOf, yOf } from './frame.ts';
import type { LinePlan } from './line-plan.ts';
import { colourOf, type Palette } from './palette.ts';
import type { Level } from './pyramid.ts';

type Context = CanvasRenderingContext2D;

/** More bands than this cover each other: then only the product's own lines have one. */
const BANDS_MAX = 4;

export function drawLines(
  context: Context,
  frame: Frame,
  pane: PaneFrame,
  styling: { palette: Palette; emphasis: string | null },
): void {
  const { palette, emphasis } = styling;
  const { box } = pane;
  context.save();
  context.beginPath();
  context.rect(0, box.top - 1, frame.layout.right, box.height + 2);
  context.clip();
  // Round joins and lines wider than a pixel take several times as long to paint.
  context.lineJoin = 'bevel';
  // The product's own lines lie over those of sellers.
  const ordered = [...pane.plans].sort((a, b) => rankOf(a, emphasis) - rankOf(b, emphasis));
  for (const plan of ordered) {
    const { line } = plan;
    const isEmphasised = emphasis !== null && line.seller === emphasis;
    context.globalAlpha = emphasis !== null && !isEmphasised ? 0.25 : 1;
    context.strokeStyle = colourOf(palette, line.colour);
    context.fillStyle = context.strokeStyle;
    const isBanded = line.shape === 'main' || isEmphasised || pane.plans.length <= BANDS_MAX;
    const isWide = line.id === 'buybox' || line.colour === 'own' || isEmphasised;
    context.lineWidth = isWide ? 1.75 : line.shape === 'main' ? 1.5 : 1;
    if (line.bars !== undefined) drawBars(context, frame, pane, plan);
    else if (plan.level === undefined) drawSteps(context, frame, pane, plan);
    else drawBuckets(context, frame, pane, { plan, level: plan.level, isBanded });
    if (line.id === 'buybox') drawTrail(context, frame, pane, plan);
  }
  context.restore();
}

const rankOf = ({ line }: LinePlan, emphasis: string | null): number => {
  if (emphasis !== null && line.seller === emphasis) return 4;
  if (line.id === 'buybox') return 3;
  if (line.shape === 'main') return 2;
  return line.colour === 'own' ? 1 : 0;
};

function drawSteps(context: Context, frame: Frame, pane: PaneFrame, plan: LinePlan): void {
  const { first, last, factor, shift } = plan;
  const { times, values, endAtMs } = plan.line.series;
  const { fromAtMs, toAtMs } = frame.window;
  const perMs = frame.layout.right / (toAtMs - fromAtMs);
  context.beginPath();
  let isDown = false;
  for (let index = first; index <= last; index += 1) {
    const value = values[index] as number;
    const x = ((times[index] as number) - fromAtMs) * perMs;
    if (Number.isNaN(value)) {
      isDown = false;
      continue;
    }
    const y = yOf(pane, value * factor + shift);
    if (isDown) context.lineTo(x, y);
    else context.moveTo(x, y);
    const untilMs = index + 1 < times.length ? (times[index + 1] as number) : endAtMs;
    // A value that was observed once is still visible.
    context.lineTo(Math.max(x + 1, (untilMs - fromAtMs) * perMs), y);
    isDown = true;
  }
  context.stroke();
}

function drawBuckets(
  context: Context,
  frame: Frame,
  pane: PaneFrame,
  { plan, level, isBanded }: { plan: LinePlan; level: Level; isBanded: boolean },
): void {
  const { first, last, factor, shift } = plan;
  const { bucketMs, mean, share } = level;
  const { fromAtMs, toAtMs } = frame.window;
  const perMs = frame.layout.right / (toAtMs - fromAtMs);
  const { box, scale, kind } = pane;
  const perUnit = (box.height / (scale.high - scale.low)) * (kind === 'rank' ? 1 : -1);
  const zero = kind === 'rank' ? box.top - scale.low * perUnit : box.top - scale.high * perUnit;
  const startX = ((first + level.first + 0.5) * bucketMs - fromAtMs) * perMs;
  const stepX = bucketMs * perMs;
  if (isBanded) {
    const alpha = context.globalAlpha;
    context.globalAlpha = alpha * 0.18;
    drawBand(context, plan, level, { startX, stepX, zero, perUnit });
    context.globalAlpha = alpha;
  }
  context.beginPath();
  let isDown = false;
  for (let index = first; index <= last; index += 1) {
    if (share[index] === 0) {
      isDown = false;
      continue;
    }
    const x = startX + (index - first) * stepX;
    const y = zero + ((mean[index] as number) * factor + shift) * perUnit;
    if (isDown) context.lineTo(x, y);
    else {
      context.moveTo(x - stepX / 2, y);
      context.lineTo(x, y);
    }
    isDown = true;
  }
  context.stroke();
}

/** One rectangle per bucket: cheaper than a shape with holes, and honest about the gaps. */
function drawBand(
  context: Context,
  { first, last, factor, shift }: LinePlan,
  { min, max, share }: Level,
  at: { startX: number; stepX: number; zero: number; perUnit: number },
): void {
  const { startX, stepX, zero, perUnit } = at;
  context.beginPath();
  for (let index = first; index <= last; index += 1) {
    if (share[index] === 0) continue;
    const top = zero + ((max[index] as number) * factor + shift) * perUnit;
    const bottom = zero + ((min[index] as number) * factor + shift) * perUnit;
    if (Math.abs(bottom - top) < 1) continue;
    context.rect(startX + (index - first - 0.5) * stepX, top, stepX, bottom - top);
  }
  context.fill();
}

/** From the last observation to now, which nobody observed. */
function drawTrail(context: Context, frame: Frame, pane: PaneFrame, plan: LinePlan): void {
  const { values, endAtMs } = plan.line.series;
  const { nowMs } = frame.scene;
  const last = values.findLast((value) => !Number.isNaN(value));
  const isHeld = !Number.isNaN(values.at(-1) ?? Number.NaN);
  if (last === undefined || !isHeld || endAtMs >= nowMs) return;
  const y = yOf(pane, last * plan.factor + plan.shift);
  context.setLineDash([4, 4]);
  context.globalAlpha *= 0.6;
  context.beginPath();
  context.moveTo(xOf(frame, endAtMs), y);
  context.lineTo(xOf(frame, nowMs), y);
  context.stroke();
  context.setLineDash([]);
}

function drawBars(context: Context, frame: Frame, pane: PaneFrame, plan: LinePlan): void {
  const { bars } = plan.line;
  if (bars === undefined) return;
  const { fromAtMs, toAtMs } = frame.window;
  const stepMs = plan.daysPerBar * DAY_MS;
  const firstAtMs = Math.max(fromAtMs, bars.firstDay * DAY_MS);
  const endAtMs = Math.min(toAtMs, (bars.firstDay + bars.units.length) * DAY_MS);
  const zero = yOf(pane, 0);
  for (let atMs = Math.floor(firstAtMs / stepMs) * stepMs; atMs < endAtMs; atMs += stepMs) {
    const bar = barAt(bars, atMs, plan.daysPerBar);
    if (Number.isNaN(bar.units)) continue;
    const left = xOf(frame, bar.fromAtMs);
    const width = xOf(frame, bar.toAtMs) - left;
    const gap = width > 5 ? Math.min(2, width * 0.2) : 0.5;
    const top = yOf(pane, bar.units);
    context.globalAlpha = 0.7;
    context.fillRect(left + gap / 2, top, Math.max(1, width - gap), Math.max(1, zero - top));
    if (!(bar.high > bar.low)) continue;
    // The likely range: a thin bracket over the bar.
    const middle = left + width / 2;
    const half = Math.min(3, Math.max(0.5, width * 0.22));
    context.globalAlpha = 1;
    const [highY, lowY] = [yOf(pane, bar.high), yOf(pane, bar.low)];
    context.fillRect(middle - 0.5, highY, 1, lowY - highY);
    if (width < 7) continue;
    context.fillRect(middle - half, highY, half * 2, 1);
    context.fillRect(middle - half, lowY - 1, half * 2, 1);
  }
}
