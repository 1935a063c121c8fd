// Error codes of pictures and their links.
import type { ErrorCodeEntry } from './error-kind.ts';

export const PICTURE_ERROR_CODES = {
  chart_range_invalid: {
    kind: 'invalid_request',
    title: 'Range of a chart not possible',
    cause:
      'Both `range` and `from` or `to` were sent, or the range is shorter than an hour or begins in the future.',
    remedy: 'Send either `range`, or `from` and `to` at least one hour apart.',
  },
  picture_too_large: {
    kind: 'invalid_request',
    title: 'Picture too large',
    cause: 'Width, height and scale together give more pixels than the service renders.',
    remedy: 'Send a smaller `scale`, `width` or `height`. `message` names the limit.',
  },
  picture_unavailable: {
    kind: 'temporarily_unavailable',
    title: 'Picture not rendered',
    cause: 'The PNG picture could not be rendered. Nothing was charged.',
    remedy: 'Ask for `chart.svg`, which needs no rendering, or try again later.',
  },
  chart_link_invalid: {
    kind: 'not_found',
    title: 'Link not valid',
    cause: 'The link to a chart was altered or has expired, or its account is closed.',
    remedy: 'Create a new link with `POST /retailer/product/chart-links`.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
