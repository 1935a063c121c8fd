-- Closing, reopening and deleting accounts. Closed is what accounts.closed_at says; everything else follows from it.
alter table accounts
  -- 'deletion': because its owner, or the operator, asked for its deletion. Null on accounts closed before: the operator.
  add column closed_by text collate "C" check (closed_by in ('operator', 'deletion')),
  -- When everything of it is deleted, unless it is restored before.
  add column delete_at timestamptz,
  -- Set when the deletion begins, from where there is no way back: the ledger's entries move to this id.
  add column anonymous_id uuid,
  -- Closed or reopened, and not all that follows is done yet; a crash in between is made good by a loop.
  add column is_settling boolean not null default false,
  add constraint closed_while_deleted check (delete_at is null or closed_at is not null),
  add constraint deletion_was_due check (anonymous_id is null or delete_at is not null);
-- Accounts that were closed before went on being tracked for.
update accounts set is_settling = true where closed_at is not null;
