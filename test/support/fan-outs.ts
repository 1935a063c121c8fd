// Statements that may ask all shards, each with the reason. Everything else names its lanes.
export const FAN_OUTS: readonly { like: RegExp; reason: string }[] = [
  {
    like: /from accounts a order by a\.created_at, a\.account_id/,
    reason: 'the operator lists all accounts',
  },
  {
    like: /^select account_id from api_keys where key_id = \$1$/,
    reason: 'the operator revokes a key by its id',
  },
  {
    like: /^select from deliveries where at < \$1 and state = 'pending' limit 100$/,
    reason: 'a partition is dropped on all shards at once',
  },
  {
    like: /^select 1 from tracked_days where day = \$1 and settlement <> 1 limit 1$/,
    reason: 'a partition is dropped on all shards at once',
  },
  {
    like: /from quarantined_items where \$1::text is null or loop = \$1/,
    reason: 'the operator lists the quarantine',
  },
  {
    like: /from quarantined_items where quarantine_id = \$1$/,
    reason: 'the operator names an item by its id',
  },
  {
    like: /count\(\*\) as items, min\(first_at\) as first_at from quarantined_items/,
    reason: 'the count of quarantined items is a metric of the whole service',
  },
  {
    like: /^select account_id, webhook_id from webhook_health\s+where status = 'Paused'/,
    reason: 'the operator changes the encryption key',
  },
  {
    like: /^select min\(due_at\) as due_at from webhook_health/,
    reason: 'the age of the oldest due delivery is a metric of the whole service',
  },
  {
    like: /from webhooks\s+where \(lane, account_id, webhook_id\) > /,
    reason: 'the operator changes the encryption key',
  },
];
