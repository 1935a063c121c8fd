-- Outside a transaction: the index is built beside the traffic. docs/decisions/0022.
-- What an account paid for a product's histories: asked before a chart, which is free on the day of that charge. Charges
-- of other operations have no entry here.
create index concurrently if not exists ledger_by_product
  on ledger_entries (lane, account_id, retailer_product_code, at)
  where operation like '%-history' or operation like 'chart-%' or operation = 'stats';
