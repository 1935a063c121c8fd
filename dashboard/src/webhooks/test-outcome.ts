// The outcome of a test delivery, when it comes: status, duration, the beginning of the response.
import { call, type ResponseOf } from '../app/api-client.ts';
import { durationText } from '../design/money.tsx';

type Delivery = ResponseOf<'GET /session/deliveries/{delivery_id}'>;
type Outcome = { isReceived: boolean; text: string };

const POLL_MS = 400;
/** An attempt ends within 15 seconds. */
const REQUESTS_MAX = 50;
const BODY_CHARS = 80;

export async function testOutcome(deliveryId: string): Promise<Outcome> {
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const delivery = await call('GET /session/deliveries/{delivery_id}', {
      params: { delivery_id: deliveryId },
    }).catch(() => null);
    const outcome = delivery === null ? null : outcomeText(delivery);
    if (outcome !== null) return outcome;
  }
  return { isReceived: false, text: 'The test has no outcome yet. See the delivery log.' };
}

/** Null while the attempt runs. Pure. */
export function outcomeText({ attempts }: Pick<Delivery, 'attempts'>): Outcome | null {
  const attempt = attempts.at(-1);
  if (attempt === undefined || attempt.outcome === 'pending') return null;
  const took = attempt.duration_ms === null ? '' : ` in ${durationText(attempt.duration_ms)}`;
  if (attempt.outcome === 'success')
    return { isReceived: true, text: `Test received: ${attempt.status}${took}` };
  const body = (attempt.response_body ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, BODY_CHARS);
  const reply = body === '' ? '' : ` “${body}”`;
  return {
    isReceived: false,
    text: `Test failed${took}: ${attempt.reason}.${reply}${advice(attempt)}`,
  };
}

const advice = ({ status }: { status: number | null }) =>
  status !== null && status > 201 && status < 300
    ? ' Return 200 or 201, or edit the webhook to accept any 2xx.'
    : '';
