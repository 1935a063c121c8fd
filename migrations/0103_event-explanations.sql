-- Why an event fired beyond what its payload says (events/explanation.ts), as JSON; null for older events.
alter table events add column explanation text;
