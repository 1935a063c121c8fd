-- Whose turn it is was looked for lane by lane, 256 searches for each claim; one search by time does it.
drop index webhook_turns;
create index webhook_turns on webhook_standings (turn_at) where turn_at is not null;
