// The parameters of charts, shared by the pictures themselves and by links to them.
import { type TSchema, Type } from 'typebox';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';
import { CHART_SERIES } from '../pictures/chart.ts';
import { seriesOf } from '../pictures/chart-link.ts';
import type { PictureOptions } from '../pictures/make-picture.ts';
import { ProductCode } from './product-selector.ts';
import { boundOf } from './wire.ts';

/** Days by name; null: since the first observation. */
const RANGES = { '1d': 1, '1w': 7, '1m': 30, '3m': 91, '1y': 365, '3y': 1096, all: null } as const;
type RangeName = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
const RANGE_DEFAULT: RangeName = '3m';

// Defaults are not in the schemas: clients generated from them would have to send every member.
const WIDTH = { minimum: 320, maximum: 1600 };
const HEIGHT = { minimum: 240, maximum: 1000 };
/** 800 by 420 at 1.5 are 1200 by 630 pixels, the size of previews in mails and chats. */
const DEFAULTS = { width: 800, height: 420, scale: 1.5 };
const SCALE = { minimum: 1, maximum: 3, multipleOf: 0.5 };

const oneOf = <T extends string>(names: readonly T[], options: Record<string, unknown>) =>
  Type.Unsafe<T>(Type.String({ enum: [...names], ...options }));

const Instant = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 40,
    description: `a time such as 2026-11-14T12:00:00Z: ${description}`,
  });

/** Of the query and of the body alike. */
export const CHART_PROPERTIES = {
  retailer_product_code: ProductCode,
  range: Type.Optional(
    oneOf(RANGE_NAMES, {
      description: `one of ${RANGE_NAMES.join(', ')}: how far back from now; ${RANGE_DEFAULT} by default; or send from and to`,
    }),
  ),
  from: Type.Optional(Instant('start of the chart; not together with range')),
  to: Type.Optional(Instant('end of the chart; not later than now')),
  width: Type.Optional(
    Type.Integer({ ...WIDTH, description: 'a whole number from 320 to 1600; 800 by default' }),
  ),
  height: Type.Optional(
    Type.Integer({ ...HEIGHT, description: 'a whole number from 240 to 1000; 420 by default' }),
  ),
  theme: Type.Optional(
    oneOf(['light', 'dark'], { description: 'light or dark; light by default' }),
  ),
};

export const Scale: TSchema = Type.Optional(
  Type.Number({
    ...SCALE,
    description: '1, 1.5, 2, 2.5 or 3: pixels for each unit of width and height; 1.5 by default',
  }),
);

export type ChartQuery = {
  retailer_product_code: string;
  range?: RangeName;
  from?: string;
  to?: string;
  series?: string | readonly string[];
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  scale?: number;
};

const SERIES_TEXT = CHART_SERIES.join(', ');
const SERIES_PATTERN = `(${CHART_SERIES.join('|')})`;

/** Separated by commas in a query, a list in a body. */
export const SeriesQuery = Type.Optional(
  Type.String({
    pattern: `^${SERIES_PATTERN}(,${SERIES_PATTERN}){0,${CHART_SERIES.length - 1}}$`,
    description: `some of ${SERIES_TEXT}, separated by commas; all of them by default`,
  }),
);
export const SeriesList = Type.Optional(
  Type.Array(oneOf(CHART_SERIES, { description: `one of ${SERIES_TEXT}` }), {
    minItems: 1,
    maxItems: CHART_SERIES.length,
    description: `a list of some of ${SERIES_TEXT}; all of them by default`,
  }),
);

/** Throws for parameters that the schemas allow but that make no picture. */
export function pictureOptions(
  clock: Clock,
  format: 'svg' | 'png',
  query: ChartQuery,
): PictureOptions {
  const { width, height, scale } = { ...DEFAULTS, ...query };
  const pixels = width * height * scale ** 2;
  if (format === 'png' && pixels > bounds.picturePixelsMax) {
    throw new Problem(
      'picture_too_large',
      `A picture has at most ${bounds.picturePixelsMax} pixels; width × height × scale² is ${pixels}.`,
      { field: 'scale' },
    );
  }
  return {
    code: query.retailer_product_code,
    format,
    ...rangeOf(clock, query),
    series: seriesOf(namesOf(query.series)),
    widthPx: width,
    heightPx: height,
    theme: query.theme ?? 'light',
    scale: format === 'png' ? scale : 1,
  };
}

const namesOf = (series: ChartQuery['series']): readonly string[] =>
  typeof series === 'string' ? series.split(',') : (series ?? CHART_SERIES);

function rangeOf(
  clock: Clock,
  { range, from, to }: ChartQuery,
): Pick<PictureOptions, 'fromAtSeconds' | 'toAtSeconds'> {
  const nowSeconds = Math.floor(clock.nowMs() / SECOND_MS) + 1;
  if (range !== undefined && (from ?? to) !== undefined) {
    throw rangeProblem('Send either range, or from and to.', 'range');
  }
  const secondsOf = (text: string, name: string) =>
    Math.ceil(boundOf(text, `Parameter ${name}`) / SECOND_MS);
  const toAtSeconds = Math.min(nowSeconds, to === undefined ? nowSeconds : secondsOf(to, 'to'));
  if (from !== undefined) {
    const fromAtSeconds = secondsOf(from, 'from');
    if (toAtSeconds - fromAtSeconds < HOUR_SECONDS) {
      throw rangeProblem('from must be at least one hour before to and before now.', 'from');
    }
    return { fromAtSeconds, toAtSeconds };
  }
  const days = RANGES[range ?? RANGE_DEFAULT];
  return { fromAtSeconds: days === null ? null : toAtSeconds - days * DAY_SECONDS, toAtSeconds };
}

const rangeProblem = (message: string, field: string) =>
  new Problem('chart_range_invalid', message, { field });
