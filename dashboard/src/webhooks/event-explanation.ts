// Why an event fired, as facts for the page of its delivery. Pure.
import type { ResponseOf } from '../app/api-client.ts';

export type EventExplanation = NonNullable<
  ResponseOf<'GET /session/deliveries/{delivery_id}'>['explanation']
>;

/** Rule, versions and the verdict of the crawl guard; nothing that was not recorded. */
export function explanationFacts(
  explanation: EventExplanation,
): readonly { name: string; value: string }[] {
  const { rule, guard, rules_version: rules, detection_version: detection } = explanation;
  return [
    { name: 'Rule', value: ruleText(rule) },
    ...(guard === null ? [] : [{ name: 'Crawl guard', value: guard.meaning }]),
    ...(rules === null || detection === null
      ? []
      : [{ name: 'Versions', value: `detection ${detection}, rules ${rules}` }]),
  ];
}

/** "price: percent 1, usd 0.05", or the condition of a rule of the customer's own. */
function ruleText({ name, threshold, condition }: EventExplanation['rule']): string {
  if (condition !== undefined) return condition;
  if (threshold === null || typeof threshold !== 'object') {
    return threshold === null ? name : `${name}: ${threshold}`;
  }
  const parts = Object.entries(threshold).map(([unit, value]) => `${unit} ${value}`);
  return parts.length === 0 ? name : `${name}: ${parts.join(', ')}`;
}
