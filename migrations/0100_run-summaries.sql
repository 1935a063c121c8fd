-- What statistics need of a run, so that the run itself is not read (history/packed-summary.ts). Null for runs that older
-- versions wrote: computed when they are read.
alter table history_runs add column summary bytea;
