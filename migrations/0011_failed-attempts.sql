-- Those that failed are asked for among many that did not. Over 400,000 attempts a page of them took 0.5 s without.
create index delivery_attempts_failed on delivery_attempts (lane, account_id, webhook_id, at, attempt_id)
  where outcome = 'failed';
