-- Facts about this database as a whole: its time lapse, the canary of its encryption key, its demo.
create table service_facts (
  name text collate "C" primary key,
  value text not null
);

-- Bearer tokens of the operator's own tools (ingest, metrics); only the hash is kept.
create table operator_tokens (
  token_id uuid primary key,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  scope text not null check (scope in ('ingest', 'metrics')),
  created_at timestamptz not null,
  revoked_at timestamptz
);
