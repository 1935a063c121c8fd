-- Items that failed alone in work that many customers share: set aside with the reason until an operator retries or
-- drops them. Each lies in the lane of the row it speaks of, so that both are changed in one transaction.
create table quarantined_items (
  lane smallint not null,
  tries integer not null check (tries > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  quarantine_id uuid not null,
  -- The account's id or the product's code that the lane is made from.
  owner text collate "C" not null,
  -- The work it failed in, and which item of it.
  loop text collate "C" not null,
  item text collate "C" not null,
  reason text not null,
  -- What a retry needs, as JSON. Text: a payload that jsonb refuses may be why it is here.
  payload text,
  primary key (lane, quarantine_id),
  unique (lane, owner, loop, item)
);
create index quarantined_by_loop on quarantined_items (loop, first_at, quarantine_id);
