-- What keeps one webhook from stopping the others: counters that cannot overflow, quotas for what customers send by
-- hand, and the cause of a pause. New columns only: a wider type would rewrite three months under a lock, and end the
-- prepared statements of the release that still runs beside.

-- attempts and attempts_uncounted are rebased before they reach the end of their type; what was taken off them is here.
-- Constraints that are not valid yet bind what is written from now on, without reading what is there.
alter table deliveries add column attempts_before integer not null default 0;
alter table deliveries add constraint attempts_before_are_counted check (attempts_before >= 0) not valid;
-- Retries by hand since the window began, in real time.
alter table deliveries add column retries_in_window smallint not null default 0;
alter table deliveries add constraint retries_are_counted check (retries_in_window >= 0) not valid;
alter table deliveries add column retries_since timestamptz;
-- Made due by hand: it goes out although the registration is paused.
alter table deliveries add column is_manual boolean not null default false;

-- The number of an attempt that does not fit into the older column.
alter table delivery_attempts add column attempt_number integer;
alter table delivery_attempts add constraint attempts_are_numbered check (attempt_number > 0) not valid;

-- By what it was paused, for programs; the reason in words stays beside it. Null: by the customer, or not known.
alter table webhook_standings add column pause_cause text collate "C";
alter table webhook_standings add column paused_at timestamptz;

-- What an account may send by hand in a window of real time, and has.
create table webhook_quotas (
  lane smallint not null,
  used integer not null check (used > 0),
  account_id uuid not null,
  since timestamptz not null,
  quota text collate "C" not null,
  primary key (lane, account_id, quota),
  foreign key (lane, account_id) references accounts on delete cascade
);
