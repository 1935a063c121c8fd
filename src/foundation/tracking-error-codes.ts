// Error codes of tracked products, bulk calls, rules and conditions.
import type { ErrorCodeEntry } from './error-kind.ts';

export const TRACKING_ERROR_CODES = {
  tracked_product_not_found: {
    kind: 'not_found',
    title: 'Tracked product not found',
    cause: 'The account has no tracked product with this id.',
    remedy: 'List your tracked products with `GET /retailer/oversight/products`.',
  },
  tracked_product_tier_conflict: {
    kind: 'conflict',
    title: 'Product already tracked at another tier',
    cause: 'The account already tracks the product at another tier.',
    remedy: 'Change the tier with `PATCH /retailer/oversight/products/{id}`.',
  },
  tracked_product_limit_reached: {
    kind: 'conflict',
    title: 'Tracked product limit reached',
    cause: 'The account tracks as many products as its plan allows.',
    remedy: 'Stop tracking a product, or choose a larger plan.',
  },
  item_repeated: {
    kind: 'invalid_request',
    title: 'Item repeated',
    cause: 'An earlier item of the same bulk call names the same tracked product.',
    remedy: 'Name each tracked product once in a call.',
  },
  item_not_attempted: {
    kind: 'temporarily_unavailable',
    title: 'Item not attempted',
    cause: 'A bulk call ran out of time before it could look this item up.',
    remedy: 'Send the item again. Items that have a result are not affected.',
  },
  metadata_invalid: {
    kind: 'invalid_request',
    title: 'Metadata invalid',
    cause: '`metadata` is not a JSON object, or has more than 300 bytes as JSON.',
    remedy: 'Send a smaller object, or null for none.',
  },
  rule_not_found: {
    kind: 'not_found',
    title: 'Rule not found',
    cause: 'The account has no rule with this id.',
    remedy: 'List your rules with `GET /retailer/oversight/rules`.',
  },
  rule_limit_reached: {
    kind: 'conflict',
    title: 'Rule limit reached',
    cause: 'The account has as many rules for many products as are allowed.',
    remedy: 'Remove a rule first.',
  },
  condition_too_complex: {
    kind: 'invalid_request',
    title: 'Condition too complex',
    cause: 'The condition is too long, nested too deeply, or has too many parts.',
    remedy: 'Split it into several rules.',
  },
  condition_malformed: {
    kind: 'invalid_request',
    title: 'Condition malformed',
    cause: 'The condition is not valid CEL, or uses a part of CEL that is not supported.',
    remedy:
      'Use names, numbers, texts, comparisons, arithmetic, `&&`, `||`, `!`, `?:` and `in` with a list.',
  },
  condition_name_unknown: {
    kind: 'invalid_request',
    title: 'Unknown name in a condition',
    cause: 'The condition uses a name that does not exist.',
    remedy: 'Use one of the names that `message` lists.',
  },
  condition_type_invalid: {
    kind: 'invalid_request',
    title: 'Wrong type in a condition',
    cause:
      'The condition compares or combines values of different types, or its result is not true or false.',
    remedy: 'Compare numbers with numbers and texts with texts.',
  },
  condition_constant: {
    kind: 'invalid_request',
    title: 'Condition never changes',
    cause: 'The condition has the same result for all values, so it would match always or never.',
    remedy: 'Compare at least one name with a value that it can cross.',
  },
  rules_invalid: {
    kind: 'invalid_request',
    title: 'Rules invalid',
    cause: '`rules` contains an unknown member or a value that is not allowed. `field` names it.',
    remedy: 'Send a value that `message` allows, or null for the default.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
