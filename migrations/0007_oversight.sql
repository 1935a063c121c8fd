-- What is being watched. Account family: what a customer tracks, and the days that were charged for it.
create table tracked_products (
  lane smallint not null,
  tier smallint not null check (tier between 0 and 4),
  -- Not collected for this customer until a day can be paid again.
  is_suspended boolean not null,
  -- The product's side does not know the last change yet; a crash in between is made good by a loop.
  is_pending boolean not null,
  account_id uuid not null,
  tracked_id uuid not null,
  created_at timestamptz not null,
  -- Taken from the list; the row goes once the product's side knows.
  removed_at timestamptz,
  retailer_product_code text collate "C" not null,
  -- The seller whose buybox is watched; null: the account's own, if it has one.
  seller_name text,
  -- What differs from the default rules.
  rules jsonb,
  primary key (lane, account_id, tracked_id),
  foreign key (lane, account_id) references accounts
) with (fillfactor = 90);
create unique index tracked_once on tracked_products (lane, account_id, retailer_product_code)
  where removed_at is null;
create index tracked_pending on tracked_products (lane) where is_pending;
create index tracked_suspended on tracked_products (lane, account_id, created_at)
  where is_suspended and removed_at is null;

-- A day of a product that was charged: the most that was charged for it, so that only increases are booked.
create table tracked_days (
  lane smallint not null,
  credits_charged smallint not null check (credits_charged > 0),
  -- Its promise was not kept. The row stays: the day is not charged again.
  is_returned boolean not null default false,
  -- Days since 1970, UTC.
  day integer not null,
  account_id uuid not null,
  retailer_product_code text collate "C" not null,
  primary key (lane, account_id, retailer_product_code, day),
  -- The finest tier's price: no day may cost more.
  constraint never_above_finest check (credits_charged <= 150)
);

-- Product family: who watches a product, when it is due, and what must be told to accounts.
create table watchers (
  lane smallint not null,
  tier smallint not null,
  is_suspended boolean not null,
  -- Scheduled slots served on `counted_on` and on the day before it: for days that kept less than half.
  slots_served smallint not null default 0,
  slots_served_before smallint not null default 0,
  -- Days since 1970. The day that is being counted, and the last day whose charge was asked for.
  counted_on integer,
  charged_on integer,
  -- When the slot was served last, and the observation that the customer sees since.
  served_at timestamptz,
  seen_at timestamptz,
  -- From when on slots are due: added, resumed, or the tier changed.
  since_at timestamptz not null,
  account_id uuid not null,
  tracked_id uuid not null,
  retailer_product_code text collate "C" not null,
  -- The seller whose buybox is watched, and the rules that differ from the defaults.
  seller_name text,
  rules jsonb,
  -- What change detection remembers (events/watch-state.ts), as JSON. A million watchers of products with three
  -- sellers took 683 MB with it as jsonb; as text 100,000 take 36 MB.
  state text,
  primary key (lane, retailer_product_code, account_id)
) with (fillfactor = 80);

create table collection_schedule (
  lane smallint not null,
  failures smallint not null default 0,
  -- False: nobody tracks it; it is collected for its sales, within a budget.
  is_tracked boolean not null,
  interval_seconds integer not null check (interval_seconds > 0),
  -- null: nobody pays for it at the moment.
  due_at timestamptz,
  -- Real time, whatever the business clock shows.
  lease_until timestamptz,
  lease_token uuid,
  last_collected_at timestamptz,
  -- Since when a look that lost the product waits to be confirmed.
  held_since timestamptz,
  retailer_product_code text collate "C" not null,
  primary key (lane, retailer_product_code)
) with (fillfactor = 70);
create index tracked_due on collection_schedule (lane, due_at) where is_tracked;
create index untracked_due on collection_schedule (lane, due_at) where not is_tracked;

-- What an observation leaves to be carried over to an account: the day's charge, and what changed.
create table outgoing (
  lane smallint not null,
  tier smallint not null,
  -- Days since 1970.
  day integer not null,
  at timestamptz not null,
  account_id uuid not null,
  tracked_id uuid not null,
  kind text collate "C" not null check (kind in ('served', 'delisted', 'return')),
  retailer_product_code text collate "C" not null,
  body jsonb,
  primary key (lane, retailer_product_code, account_id, kind, at)
);

-- How many of a source's looks lost their product, by stretches of ten seconds, counted by all workers together.
create table look_tallies (
  source text collate "C" not null,
  stretch bigint not null,
  looks integer not null,
  losses integer not null check (losses <= looks),
  primary key (source, stretch)
);
