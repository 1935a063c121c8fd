-- Who is asking: accounts, their keys, and the look-ups that lead from a key or an e-mail to them.
create table accounts (
  lane smallint not null,
  account_id uuid not null,
  email text collate "C" not null,
  seller_name text check (length(seller_name) between 1 and 500),
  -- What the operator granted beyond the usual rate, by bucket: {"product": 50}
  requests_per_second jsonb not null default '{}',
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (lane, account_id)
);

create table api_keys (
  lane smallint not null,
  account_id uuid not null,
  key_id uuid not null,
  name text not null check (length(name) between 1 and 100),
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (lane, account_id, key_id),
  foreign key (lane, account_id) references accounts
);
-- An operator revokes a key by its id alone.
create index api_keys_by_id on api_keys (key_id);

-- Lane of the e-mail. The first writer of an address owns it.
create table account_emails (
  lane smallint not null,
  email text collate "C" not null,
  account_id uuid not null,
  primary key (lane, email)
);

-- Lane of the hash. Whether the key is revoked is said by api_keys alone.
create table api_key_hashes (
  lane smallint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  account_id uuid not null,
  key_id uuid not null,
  primary key (lane, key_hash)
);
