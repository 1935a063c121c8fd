// A list of events, newest first: what happened, to which product, and when.

import { paths } from '../app/paths.ts';
import { classNames } from '../design/class-names.ts';
import { Link } from '../design/link.tsx';
import { RelativeTime } from '../design/time.tsx';
import {
  type EventTone,
  eventProduct,
  eventTone,
  eventWords,
  type NotifiedEvent,
} from './event-words.ts';

type ListedEvent = NotifiedEvent & { id: string; timestamp: string };

const DOTS: Record<EventTone, string> = {
  neutral: 'bg-faint',
  accent: 'bg-accent',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
};

/** Use without `withProduct` on a product's page, where its name would repeat in every line. */
export function EventList({
  events,
  label,
  withProduct = true,
}: {
  events: readonly ListedEvent[];
  label: string;
  withProduct?: boolean;
}) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {events.map((event) => (
        <EventLine key={event.id} event={event} withProduct={withProduct} />
      ))}
    </ul>
  );
}

function EventLine({ event, withProduct }: { event: ListedEvent; withProduct: boolean }) {
  const { code, name } = eventProduct(event);
  const tone = eventTone(event.type);
  return (
    <li className="flex items-baseline gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex gap-2 text-sm text-ink tabular-nums">
          <span
            aria-hidden
            className={classNames('mt-1.75 size-1.5 shrink-0 rounded-full', DOTS[tone])}
          />
          {eventWords(event)}
        </p>
        {withProduct ? (
          <Link
            to={paths.product(code)}
            className="block truncate rounded-sm pl-3.5 text-xs text-muted hover:text-ink hover:underline"
          >
            {name}
          </Link>
        ) : null}
      </div>
      <span className="shrink-0 text-xs text-muted">
        <RelativeTime at={event.timestamp} />
      </span>
    </li>
  );
}
