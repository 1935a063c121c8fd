-- What a watcher had been served and remembered before the slot that this row asks to be paid, as JSON: a day that
-- cannot be paid is taken back to it. Text like watchers.state; null where there is nothing to go back to.
alter table outgoing add column before text;
