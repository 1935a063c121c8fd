-- What the processes of one database agree on. Expiry is by the database's clock, the only one that all of them share.

-- The right of one process to run a loop alone ("loop/settle-days"), and the sign of life of each process
-- ("process/worker/<id>"). A dead holder's lease expires and passes on.
create table leases (
  name text collate "C" primary key,
  holder text not null,
  expires_at timestamptz not null
);

-- Rates promised to others, over all processes: requests to a feed, pages of a host, misses of an account.
-- free_at: when the next one may start; each one that is granted moves it on.
create table shared_rates (
  name text collate "C" primary key,
  free_at timestamptz not null
);
