-- What it costs: plans, the balance of each account, and the ledger that explains it.
create table plans (
  name text collate "C" primary key,
  monthly_credits bigint not null check (monthly_credits >= 0),
  tracked_products_max integer not null check (tracked_products_max >= 0),
  position smallint not null unique
);

insert into plans (name, monthly_credits, tracked_products_max, position) values
  ('Free', 1000, 50, 1),
  ('Starter', 25000, 1000, 2),
  ('Pro', 250000, 10000, 3),
  ('Scale', 2500000, 100000, 4);

-- A projection of the ledger, kept in the same transaction. Its one row per account is locked by
-- everything that changes credits, in ascending key order.
create table balances (
  lane smallint not null,
  account_id uuid not null,
  plan text collate "C" not null references plans,
  -- A smaller plan that was chosen and begins with the next period.
  next_plan text collate "C" references plans,
  allocation bigint not null check (allocation >= 0),
  granted bigint not null check (granted >= 0),
  used bigint not null check (used >= 0),
  anchor_at timestamptz not null,
  period_start_at timestamptz not null,
  period_end_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (lane, account_id),
  foreign key (lane, account_id) references accounts,
  constraint never_overdrawn check (used <= allocation + granted),
  constraint period_has_length check (period_end_at > period_start_at)
) with (fillfactor = 50); -- half of each page is free, so that updates of the same row stay HOT

create table ledger_entries (
  lane smallint not null,
  account_id uuid not null,
  at timestamptz not null,
  -- Made from the reference: the same act booked twice meets itself here.
  id uuid not null,
  kind text collate "C" not null,
  credits bigint not null,
  operation text collate "C",
  retailer_product_code text collate "C",
  reference text collate "C" not null,
  primary key (lane, account_id, at, id),
  constraint sign_of_kind check (
    case kind
      when 'request' then credits < 0
      when 'tracking' then credits < 0
      when 'return' then credits > 0
      when 'grant' then credits > 0
      when 'refresh' then credits >= 0
      else false
    end)
) partition by range (at);
