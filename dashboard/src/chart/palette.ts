// The colours of the chart, read from the theme: a canvas knows no style sheets.
import type { EventTone, LineColour } from './chart-model.ts';

export type Palette = {
  surface: string;
  ink: string;
  muted: string;
  faint: string;
  grid: string;
  line: string;
  onAccent: string;
  accent: string;
  tones: Readonly<Record<EventTone, string>>;
  named: Readonly<Record<Exclude<LineColour, number>, string>>;
  sellers: readonly string[];
  /** Time that nobody observed, and time without a buybox. */
  unobserved: CanvasPattern | string;
  suppressed: CanvasPattern | string;
};

export const SELLER_COLOURS = 12;

/** The style variable of a colour, for the marks beside the canvas. */
export const colourVariable = (colour: LineColour): string =>
  typeof colour === 'number'
    ? `var(--seller-${(colour % SELLER_COLOURS) + 1})`
    : `var(--line-${colour})`;

export const colourOf = (palette: Palette, colour: LineColour): string =>
  typeof colour === 'number'
    ? (palette.sellers[colour % palette.sellers.length] as string)
    : palette.named[colour];

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    surface: read('--surface'),
    ink: read('--ink'),
    muted: read('--muted'),
    faint: read('--faint'),
    grid: read('--chart-grid'),
    line: read('--line-strong'),
    onAccent: read('--on-accent'),
    accent: read('--accent'),
    tones: {
      neutral: read('--faint'),
      accent: read('--accent'),
      positive: read('--positive'),
      caution: read('--caution'),
      critical: read('--critical'),
    },
    named: {
      buybox: read('--line-buybox'),
      lowest: read('--line-lowest'),
      compare: read('--line-compare'),
      own: read('--line-own'),
      rank: read('--line-rank'),
      stock: read('--line-stock'),
      sold: read('--line-sold'),
    },
    sellers: Array.from({ length: SELLER_COLOURS }, (_, index) => read(`--seller-${index + 1}`)),
    unobserved: hatch(read('--chart-unobserved')),
    suppressed: dots(read('--chart-suppressed')),
  };
}

/** Diagonal lines on a faint ground, so that also a narrow span is seen. */
function hatch(colour: string): CanvasPattern | string {
  return patternOf(8, colour, (context) => {
    context.globalAlpha = 0.3;
    context.fillRect(0, 0, 8, 8);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const from of [-8, 0, 8]) {
      context.moveTo(from, 8);
      context.lineTo(from + 8, 0);
    }
    context.stroke();
  });
}

/** Dots on a faint ground. */
function dots(colour: string): CanvasPattern | string {
  return patternOf(8, colour, (context) => {
    context.globalAlpha = 0.28;
    context.fillRect(0, 0, 8, 8);
    context.globalAlpha = 1;
    context.fillRect(2, 2, 2, 2);
    context.fillRect(6, 6, 2, 2);
  });
}

function patternOf(
  size: number,
  colour: string,
  draw: (context: CanvasRenderingContext2D) => void,
): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  draw(context);
  return context.createPattern(tile, 'repeat') ?? colour;
}
