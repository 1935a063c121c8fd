-- Outside a transaction: indexes are built beside the traffic. docs/decisions/0022.
do $$
begin
  -- A lane at a time, so that rows are locked shortly; before the index, so that the updates are HOT.
  for number in 0..255 loop
    update products
       set rank_band = length(ltrim(rank_position::bit(32)::text, '0')) - 1
     where lane = number and rank_position is not null and rank_band is null;
    commit;
  end loop;
end $$;
-- Best sellers, an hour's candidates and the operator's list: read in order of the band, sorted by rank afterwards.
create index concurrently if not exists products_by_rank on products (rank_band) where rank_band is not null;
-- Estimates that an older model made; asked every second, and usually there are none.
create index concurrently if not exists sales_habits_by_version on sales_habits (knowledge_version);
-- Kinds that few entries have. Charges of requests, the hottest writes, have no entry here.
create index concurrently if not exists ledger_by_kind on ledger_entries (lane, account_id, kind, at, id)
  where kind <> 'request';
create index concurrently if not exists events_by_kind on events (lane, account_id, kind, at, event_id);
create index concurrently if not exists events_by_code on events (lane, account_id, retailer_product_code, at, event_id);
create index concurrently if not exists webhook_days_by_day on webhook_days (lane, day);
-- Fills the statistics that migration 96 defined.
analyze tracked_products;
analyze tracked_days;
analyze paid_spans;
analyze ledger_entries;
analyze events;
analyze deliveries;
analyze delivery_attempts;
