// The filters of the events page, in the URL and in the request.
import { startOfDay } from '../app/day-range.ts';
import { type EventKind, isEventKind } from './event-words.ts';

export const NO_EVENT_FILTER = { type: '', product: '', tag: '', q: '', from: '', to: '' };
export type EventFilter = typeof NO_EVENT_FILTER;

export type EventQuery = {
  type?: EventKind;
  retailer_product_code?: string;
  tag?: string;
  q?: string;
  from?: string;
  to?: string;
};

/** Values in the URL that the server would refuse are ignored. */
export function eventQuery(filter: EventFilter): EventQuery {
  const query: EventQuery = {};
  if (isEventKind(filter.type)) query.type = filter.type;
  if (/^\d{1,20}$/.test(filter.product.trim())) query.retailer_product_code = filter.product.trim();
  if (filter.tag.trim() !== '') query.tag = filter.tag.trim().slice(0, 100);
  if (filter.q.trim() !== '') query.q = filter.q.trim().slice(0, 200);
  const from = startOfDay(filter.from, 0);
  const to = startOfDay(filter.to, 1);
  if (from !== null) query.from = from;
  // The server's `to` is exclusive: the last day ends at the start of the next.
  if (to !== null) query.to = to;
  return query;
}
