-- How many slots of a watcher were served in time, by day, for the share that its customer sees: the last day (since
-- 1970) and a digit in base 36 for it and each day before, as in "20773:3oo" (tracking/in-time-days.ts). It names its
-- day itself, because older processes write the other columns beside it. Null: none yet.
alter table watchers add column in_time_days text collate "C";
