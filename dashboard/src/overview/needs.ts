// What needs the customer, most urgent first: webhooks that send nothing, credits that end. Pure.
import type { ResponseOf } from '../app/api-client.ts';
import { POOR_PERCENT, sentence } from '../webhooks/endpoint-health.ts';

type Webhook = Pick<
  ResponseOf<'GET /retailer/webhooks'>[number],
  'id' | 'name' | 'status' | 'paused_reason' | 'success_rate'
>;

export type Need = {
  key: string;
  tone: 'critical' | 'caution';
  title: string;
  detail: string;
  /** Where it is mended. */
  place: { page: 'webhook'; id: string } | { page: 'credits' };
};

export function webhookNeeds(webhooks: readonly Webhook[]): Need[] {
  const needs = webhooks.flatMap((webhook): Need[] => {
    const { id, name, status, paused_reason: reason, success_rate: percent } = webhook;
    const place = { page: 'webhook', id } as const;
    if (status !== 'Active')
      return [
        {
          key: id,
          tone: reason === null ? 'caution' : 'critical',
          title: `Webhook “${name}” is paused`,
          detail:
            reason === null
              ? 'You paused it. Events are recorded but not sent.'
              : `${sentence(reason)} Events are recorded but not sent.`,
          place,
        },
      ];
    if (percent === null || percent >= POOR_PERCENT) return [];
    return [
      {
        key: id,
        tone: 'critical',
        title: `Webhook “${name}” is failing`,
        detail: `Only ${percent} % of its deliveries succeeded in the last 7 days.`,
        place,
      },
    ];
  });
  return needs.sort((a, b) => Number(b.tone === 'critical') - Number(a.tone === 'critical'));
}

/** Below this share of the plan the customer should know, even if the rate is unknown. */
const LOW_SHARE = 0.2;

export function creditNeed(input: {
  remaining: number;
  total: number;
  refreshDay: string;
  /** "on 20 Nov" or "within a day"; null if they last until the refresh, or nobody knows. */
  runsOut: string | null;
}): Need | null {
  const { remaining, total, refreshDay, runsOut } = input;
  const place = { page: 'credits' } as const;
  const until = `New credits arrive on ${refreshDay}.`;
  if (remaining <= 0)
    return {
      key: 'credits',
      tone: 'critical',
      title: 'No credits left',
      detail: `Requests are refused and tracked products are suspended. ${until}`,
      place,
    };
  if (runsOut !== null)
    return {
      key: 'credits',
      tone: 'caution',
      title: `Credits run out ${runsOut}`,
      detail: `At the current rate. ${until}`,
      place,
    };
  if (total <= 0 || remaining >= total * LOW_SHARE) return null;
  return {
    key: 'credits',
    tone: 'caution',
    title: `${Math.round((remaining / total) * 100)} % of your credits left`,
    detail: until,
    place,
  };
}
