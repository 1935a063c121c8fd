// The latest events of all tracked products.
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { ButtonLink } from '../design/button.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { EventList } from '../events/event-list.tsx';

const SHOWN = 10;

export function EventsCard() {
  const events = useQuery({
    queryKey: queryKey('events', 'last', SHOWN),
    queryFn: ({ signal }) => call('GET /session/events', { query: { limit: SHOWN }, signal }),
  });
  return (
    <Card
      title="Latest events"
      flush
      actions={
        <ButtonLink size="sm" variant="quiet" to={paths.events()}>
          All events
        </ButtonLink>
      }
    >
      {events.isPending ? (
        <SkeletonRows rows={SHOWN} columns={2} />
      ) : events.isError ? (
        <ErrorState compact error={events.error} onRetry={events.refetch} />
      ) : events.data.length === 0 ? (
        <EmptyState title="No events in the last 30 days">
          Changes of price, buybox, sellers, stock and rank of your tracked products appear here.
        </EmptyState>
      ) : (
        <EventList label="Latest events" events={events.data} />
      )}
    </Card>
  );
}
