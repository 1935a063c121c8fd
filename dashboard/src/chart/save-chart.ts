// Downloads of the chart: the canvas with title and legend as PNG, made in the browser.
import { timeText } from '../design/time.tsx';
import type { Scene, Window } from './chart-model.ts';
import type { ChartView } from './chart-view.ts';
import { AXIS_FONT } from './draw-base.ts';
import { colourOf, readPalette } from './palette.ts';

const HEAD = 64;
const MARGIN = 16;
const LEGEND_LINE = 18;

export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(address);
}

export async function savePicture(
  view: ChartView | null,
  shown: { title: string; scene: Scene; window: Window },
  code: string,
): Promise<void> {
  const picture = view && drawPicture(view, shown);
  const blob = picture && (await new Promise<Blob | null>((done) => picture.toBlob(done)));
  if (blob) saveFile(blob, `${code}.png`);
}

function drawPicture(
  view: ChartView,
  { title, scene, window }: { title: string; scene: Scene; window: Window },
): HTMLCanvasElement | null {
  const { canvas } = view;
  const { layout, panes } = view.shownFrame;
  const palette = readPalette();
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (context === null) return null;
  context.font = AXIS_FONT;
  const names = scene.lines.map(({ name, pane, colour }) => ({
    text: pane === 'stock' ? `${name} (stock)` : name,
    colour: colourOf(palette, colour),
  }));
  const rows = legendRows(names, layout.width, (text) => context.measureText(text).width);
  const ratio = canvas.width / layout.width;
  const height = HEAD + layout.height + rows.length * LEGEND_LINE + MARGIN * 2;
  picture.width = Math.round((layout.width + MARGIN * 2) * ratio);
  picture.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, layout.width + MARGIN * 2, height);
  context.textBaseline = 'middle';
  context.fillStyle = palette.ink;
  context.font = `600 ${AXIS_FONT.replace('11px', '15px')}`;
  context.fillText(title, MARGIN, MARGIN + 10, layout.width);
  context.font = AXIS_FONT;
  context.fillStyle = palette.muted;
  const range = `${timeText(window.fromAtMs)} to ${timeText(window.toAtMs)}`;
  context.fillText(range, MARGIN, MARGIN + 32);
  context.drawImage(canvas, MARGIN, HEAD, layout.width, layout.height);
  for (const { box } of panes) {
    context.fillStyle = palette.ink;
    context.fillText(PANE_TITLES[box.pane], MARGIN, HEAD + box.headTop + 12);
  }
  rows.forEach((row, line) => {
    const y = HEAD + layout.height + MARGIN + line * LEGEND_LINE;
    for (const { text, colour, x } of row) {
      context.fillStyle = colour;
      context.fillRect(MARGIN + x, y - 1, 12, 3);
      context.fillStyle = palette.muted;
      context.fillText(text, MARGIN + x + 18, y);
    }
  });
  return picture;
}

const PANE_TITLES = { price: 'Price', rank: 'Rank', stock: 'Stock', sold: 'Units sold per day' };

type Named = { text: string; colour: string };

/** Names in rows that are not wider than the chart. */
function legendRows(
  names: readonly Named[],
  width: number,
  widthOf: (text: string) => number,
): (Named & { x: number })[][] {
  const rows: (Named & { x: number })[][] = [[]];
  let x = 0;
  for (const one of names) {
    const needed = widthOf(one.text) + 36;
    if (x + needed > width && x > 0) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)?.push({ ...one, x });
    x += needed;
  }
  return rows;
}
