// Which events a webhook receives, and when not: those of its kinds, of products with one of its
// tags, outside of its quiet hours, each by itself or in a digest.
import type { NewEvent } from '../events/events.ts';
import { type EventKind, isDetectedKind } from '../events/kind.ts';
import type { Digest } from './digest-period.ts';
import type { QuietHours } from './quiet-hours.ts';

export type SubscriptionFilter = {
  /** null: all of the specification. */
  kinds: readonly EventKind[] | null;
  /** null: events of all products. */
  tags: readonly string[] | null;
  quietHours: QuietHours | null;
  /** null: a delivery for each event. */
  digest: Digest | null;
};

export function wants(
  { kinds, tags }: Pick<SubscriptionFilter, 'kinds' | 'tags'>,
  event: NewEvent,
): boolean {
  if (kinds === null ? !isDetectedKind(event.kind) : !kinds.includes(event.kind)) return false;
  return tags === null || tagsOf(event).some((tag) => tags.includes(tag));
}

/** The tags that the product had when the event was recorded; they are part of the payload. */
function tagsOf({ payload }: NewEvent): readonly string[] {
  const { tags } = JSON.parse(payload).data;
  return Array.isArray(tags) ? tags : [];
}
