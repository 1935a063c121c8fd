-- Tables and columns get the names that the code and the documentation use. Processes of the release before keep working
-- beside this one through views under the old names; a later release drops the views.
alter table look_tallies rename to crawl_tallies;
alter table crawl_tallies rename column looks to snapshots;
create view look_tallies as
  select source, stretch, snapshots as looks, losses from crawl_tallies;

alter table series_runs rename to history_runs;
alter table history_runs rename column looks to observations;
create view series_runs as
  select lane, stream, observations as looks, first_at, last_at, checksum, retailer_product_code, packed
    from history_runs;

alter table sales_knowledge rename to market_models;
alter table market_models rename column looks to observations;
create view sales_knowledge as
  select version, fitted_at, products, observations as looks, body from market_models;

alter table webhook_standings rename to webhook_health;
-- When it may be claimed: due_at, or its last claim if that was later, so that no backlog goes before the others.
alter table webhook_health rename column turn_at to claimable_at;
alter table webhook_health rename constraint turn_while_due to claimable_while_due;
alter index webhook_turns rename to webhook_claimable;
create view webhook_standings as
  select lane, attempts_since_success, account_id, webhook_id, status, due_at, claimable_at as turn_at,
         last_delivery_at, failing_since, paused_reason, pause_cause, paused_at
    from webhook_health;
