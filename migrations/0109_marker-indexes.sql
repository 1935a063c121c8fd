-- Outside a transaction: the indexes are built beside the traffic. docs/decisions/0022.
-- One entry for each account, kind, operation and ten seconds, if one process writes them.
create index concurrently if not exists ledger_markers on ledger_entries (lane, account_id, kind, operation, at)
  where is_marker and operation is not null;
create index concurrently if not exists attempt_markers on delivery_attempts (lane, account_id, webhook_id, kind, at)
  where is_marker;
