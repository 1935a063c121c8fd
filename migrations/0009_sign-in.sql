-- Who signs in to the dashboard. These tables are the sign-in library's own, in a schema of their own on one node: no
-- key leads from them to ours or back. Their times are real time, also in time lapse.
create schema auth;

create table auth.users (
  id text primary key,
  email text not null unique,
  email_verified boolean not null,
  name text not null,
  image text,
  -- The account that this person acts for.
  account_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index users_by_account on auth.users (account_id);

create table auth.sessions (
  id text primary key,
  user_id text not null references auth.users on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sessions_by_user on auth.sessions (user_id);
create index sessions_by_end on auth.sessions (expires_at);

-- Passwords, hashed. The library calls these accounts; ours are something else.
create table auth.credentials (
  id text primary key,
  user_id text not null references auth.users on delete cascade,
  account_id text not null,
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index credentials_by_user on auth.credentials (user_id);

-- Links that were sent and not used yet; their tokens are kept as hashes.
create table auth.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_by_identifier on auth.verifications (identifier);
create index verifications_by_end on auth.verifications (expires_at);

-- How often somebody tried, by e-mail and by address, so that guessing and flooding end.
create table auth.attempts (
  subject text primary key,
  window_start timestamptz not null,
  tries integer not null check (tries > 0)
);
