// How urgently a tracked product needs attention. Pure; the server decides whether it does.
import type { Tracked } from './tracked-product.ts';

type AttentionCode = NonNullable<Tracked['attention_code']>;

/** Most urgent first: nothing is collected, then nothing is sold, then another seller sells. */
const BY_URGENCY: readonly AttentionCode[] = [
  'suspended',
  'collections_failing',
  'delisted',
  'no_offers',
  'no_buybox',
  'out_of_stock',
  'buybox_elsewhere',
];

/** 0 is the most urgent; null if the product needs no attention. */
export const urgencyOf = ({ attention_code }: Pick<Tracked, 'attention_code'>): number | null =>
  attention_code === null ? null : BY_URGENCY.indexOf(attention_code);

/** A suspended product waits for credits; one that cannot be collected has an error. */
export const attentionTone = ({
  attention_code,
}: Pick<Tracked, 'attention_code'>): 'critical' | 'caution' =>
  attention_code === 'collections_failing' ? 'critical' : 'caution';
