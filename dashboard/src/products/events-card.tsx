// The events of the tracked product, newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { callWithHeaders } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { EventList } from '../events/event-list.tsx';

const PAGE_EVENTS = 10;

export function EventsCard({ code }: { code: string }) {
  const pages = useInfiniteQuery({
    queryKey: queryKey('events', 'of-product', code),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      callWithHeaders('GET /session/events', {
        query: {
          retailer_product_code: code,
          limit: PAGE_EVENTS,
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (last) => last.next ?? undefined,
  });
  const events = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title="Events" flush>
      {pages.isPending ? (
        <SkeletonRows rows={4} columns={3} />
      ) : pages.isError && events.length === 0 ? (
        <ErrorState error={pages.error} onRetry={pages.refetch} compact />
      ) : events.length === 0 ? (
        <EmptyState title="No events yet">
          They appear here as they happen, and are sent to your webhooks.
        </EmptyState>
      ) : (
        <EventList events={events} label="Events of this product" withProduct={false} />
      )}
      {pages.hasNextPage ? (
        <div className="border-t border-line p-2 text-center">
          <Button
            size="sm"
            variant="quiet"
            busy={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show older events
          </Button>
        </div>
      ) : null}
    </Card>
  );
}
