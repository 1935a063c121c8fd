-- What is told to customers: where they want to be told (webhooks), what happened (events), and the sending of it.
create table webhooks (
  lane smallint not null,
  -- One of twenty: there is none for the twenty-first, however many ask at once.
  place smallint not null check (place between 1 and 20),
  account_id uuid not null,
  webhook_id uuid not null,
  created_at timestamptz not null,
  -- The secret before the last rotation also signs until then; real time.
  old_secret_until timestamptz,
  name text not null check (length(name) between 1 and 200),
  url text not null,
  -- null: all.
  kinds text[],
  -- Encrypted; the account's and the webhook's id are bound to it.
  secret bytea not null,
  old_secret bytea,
  primary key (lane, account_id, webhook_id),
  unique (lane, account_id, place),
  foreign key (lane, account_id) references accounts,
  constraint old_secret_ends check ((old_secret is null) = (old_secret_until is null))
);

-- How each of them stands, and whose turn it is to be sent to. Changed with every attempt.
create table webhook_standings (
  lane smallint not null,
  -- For the automatic pause.
  attempts_since_success integer not null default 0 check (attempts_since_success >= 0),
  account_id uuid not null,
  webhook_id uuid not null,
  status text collate "C" not null check (status in ('Active', 'Paused')),
  -- Earliest of the waiting deliveries; null when none waits. Changed only under this row's lock.
  due_at timestamptz,
  -- When its turn comes: due_at, or its last turn if that was later, so that no backlog goes before the others.
  turn_at timestamptz,
  last_delivery_at timestamptz,
  -- First failure since the last success.
  failing_since timestamptz,
  -- Why the service paused it; null when the customer did.
  paused_reason text,
  primary key (lane, account_id, webhook_id),
  foreign key (lane, account_id, webhook_id) references webhooks on delete cascade,
  constraint reason_only_while_paused check (paused_reason is null or status = 'Paused'),
  constraint turn_while_due check ((due_at is null) = (turn_at is null))
) with (fillfactor = 50);
create index webhook_turns on webhook_standings (lane, turn_at) where turn_at is not null;

-- Finished deliveries of a day, for the success rate.
create table webhook_days (
  lane smallint not null,
  -- Days since 1970, UTC.
  day integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  account_id uuid not null,
  webhook_id uuid not null,
  primary key (lane, account_id, webhook_id, day),
  foreign key (lane, account_id, webhook_id) references webhooks on delete cascade
);

create table events (
  lane smallint not null,
  account_id uuid not null,
  -- When it happened, and when it was recorded: what is recorded late must not fall behind who reads on.
  at timestamptz not null,
  recorded_at timestamptz not null,
  event_id uuid not null,
  tracked_id uuid not null,
  kind text collate "C" not null,
  retailer_product_code text collate "C" not null,
  -- Exactly the body that is sent.
  payload text not null,
  primary key (lane, account_id, at, event_id)
) partition by range (at);
create index events_recorded on events (lane, account_id, recorded_at, event_id);

-- One for each event and registration that wants it, and one for each test.
create table deliveries (
  lane smallint not null,
  state text collate "C" not null check (state in ('pending', 'succeeded', 'failed')),
  -- It was received once, whatever became of a later retry.
  was_received boolean not null default false,
  -- All that were made, and those of them that do not count in the schedule of retries.
  attempts smallint not null default 0,
  attempts_uncounted smallint not null default 0,
  account_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  -- The event's; moved on when the delivery outlives its month.
  at timestamptz not null,
  -- Business time of the next attempt. Null while one is under way, and while the registration is paused.
  due_at timestamptz,
  -- The attempt under way: until when it belongs to whom (real time), and where it is logged.
  lease_until timestamptz,
  lease_token uuid,
  attempt_id uuid,
  attempt_at timestamptz,
  kind text collate "C" not null,
  -- null: the event's own. A test has no event, and what is kept longer than its event takes it along.
  payload text,
  primary key (lane, account_id, delivery_id, at),
  constraint lease_is_whole check (
    (lease_until is null) = (lease_token is null) and (lease_until is null) = (attempt_id is null)
    and (lease_until is null) = (attempt_at is null)),
  constraint waits_or_is_under_way check (due_at is null or (state = 'pending' and lease_until is null)),
  constraint finished_is_at_rest check (state = 'pending' or lease_until is null),
  constraint counted_attempts check (attempts_uncounted <= attempts)
) partition by range (at);
create index deliveries_pending on deliveries (lane, account_id, webhook_id, due_at)
  where state = 'pending';
create index deliveries_leased on deliveries (lease_until) where lease_until is not null;

-- The log: written before the request goes out, completed with what came of it.
create table delivery_attempts (
  lane smallint not null,
  attempt smallint not null check (attempt > 0),
  status smallint,
  payload_bytes integer not null,
  duration_ms integer,
  account_id uuid not null,
  webhook_id uuid not null,
  attempt_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  at timestamptz not null,
  outcome text collate "C" not null check (outcome in ('pending', 'success', 'failed')),
  kind text collate "C" not null,
  endpoint text not null,
  -- In words; null while pending and after a success.
  reason text,
  response_body text,
  primary key (lane, account_id, webhook_id, at, attempt_id),
  constraint failure_has_a_reason check ((outcome = 'failed') = (reason is not null))
) partition by range (at);
