// What each operation takes and answers. Made from the routes by `npm run fix`; do not edit.

export type Api = {
  'DELETE /retailer/oversight/products/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  'DELETE /retailer/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  'DELETE /session/keys/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  'GET /retailer/events': {
    params: undefined;
    query: { limit?: number; after?: string };
    body: undefined;
    response: ({ id: string; type: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost'; timestamp: string; data: Record<string, unknown>; cursor: string })[];
  };
  'GET /retailer/oversight/products': {
    params: undefined;
    query: { limit?: number; after?: string };
    body: undefined;
    response: ({ id: string; retailer_product_code: string; user_id: string; created_at: string; tier: 0 | 1 | 2 | 3 | 4; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); delisted_at?: string })[];
  };
  'GET /retailer/oversight/products/{id}': {
    params: { id: string };
    query: { history_days?: number };
    body: undefined;
    response: { id: string; retailer_product_code: string; user_id: string; created_at: string; tier: 0 | 1 | 2 | 3 | 4; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); delisted_at?: string; tracking_data: ({ current_price: (number | null); units_in_stock: (number | null); last_updated: string; sellers?: ({ seller_name: string; price: number; units_in_stock: (number | null); last_updated: string; price_history: { date: string; price: number }[] })[] } | null); collection: { last_collected_at: (string | null); next_due_at: (string | null); consecutive_failures: number } };
  };
  'GET /retailer/product/details': {
    params: undefined;
    query: { upc?: string; ean?: string; retailer_product_code?: string; dry_run?: boolean };
    body: undefined;
    response: ({ upc: (string | null); ean: (string | null); retailer_product_code: string; brand: (string | null); product_name: (string | null); categories: string[]; buybox_price: (number | null); customer_rating: (number | null); number_of_reviews: (number | null); last_updated: string; delisted_at?: string } | { credit_cost: number });
  };
  'GET /retailer/product/fees': {
    params: undefined;
    query: { retailer_product_code: string; seller_type?: 'marketplace' | 'fulfilled' | 'first_party'; dry_run?: boolean };
    body: undefined;
    response: ({ retailer_product_code: string; referral_fee: number; closing_fee: number; shipping_fee: number; total_fees: number; category: string; unsettled: boolean; promotion: (string | null); last_updated: string } | { credit_cost: number });
  };
  'GET /retailer/product/offers': {
    params: undefined;
    query: { retailer_product_code: string; dry_run?: boolean };
    body: undefined;
    response: ({ retailer_product_code: string; sellers: ({ seller_name: string; units_in_stock: (number | null); last_updated: string; price: number; shipping: number })[]; delisted_at?: string } | { credit_cost: number });
  };
  'GET /retailer/product/price-history': {
    params: undefined;
    query: { retailer_product_code: string; from?: string; to?: string; changes_only?: boolean; dry_run?: boolean };
    body: undefined;
    response: ({ retailer_product_code: string; priceHistory: { date: string; price: number }[] } | { credit_cost: number });
  };
  'GET /retailer/product/units-in-stock': {
    params: undefined;
    query: { retailer_product_code: string; dry_run?: boolean };
    body: undefined;
    response: ({ retailer_product_code: string; sellers: ({ seller_name: string; units_in_stock: (number | null); last_updated: string; price: number; shipping: number })[]; delisted_at?: string } | { credit_cost: number });
  };
  'GET /retailer/product/units-sold-history': {
    params: undefined;
    query: { retailer_product_code: string; time_period: '1month' | '6months' | '1year' | '3years' | 'alltime'; dry_run?: boolean };
    body: undefined;
    response: ({ retailer_product_code: string; time_period: '1month' | '6months' | '1year' | '3years' | 'alltime'; credit_cost: number; sales_history: ({ date: string; units_sold: number; method: 'counted' | 'split' | 'restock' | 'rank_curve' | 'typical' | 'unknown'; confidence: number; low: number; high: number })[] } | { credit_cost: number });
  };
  'GET /retailer/webhooks': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: ({ id: string; name: string; method: 'POST'; url: string; events: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status: 'Active' | 'Paused'; paused_reason: (string | null); paused_cause: ('endpoint_gone' | 'endpoint_failing' | 'secret_unreadable' | null); created_at: string; last_delivery_at: (string | null); success_rate: (number | null) })[];
  };
  'GET /retailer/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: { id: string; name: string; method: 'POST'; url: string; events: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status: 'Active' | 'Paused'; paused_reason: (string | null); paused_cause: ('endpoint_gone' | 'endpoint_failing' | 'secret_unreadable' | null); created_at: string; last_delivery_at: (string | null); success_rate: (number | null) };
  };
  'GET /retailer/webhooks/{id}/deliveries': {
    params: { id: string };
    query: { limit?: number; after?: string; event?: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | 'webhook.test'; outcome?: 'success' | 'failed' | 'pending' };
    body: undefined;
    response: ({ id: string; delivery_id: string; event_id: string; timestamp: string; endpoint: string; event: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | 'webhook.test'; status: (number | null); outcome: 'success' | 'failed' | 'pending'; duration_ms: (number | null); payload_bytes: number; attempt: number; reason: (string | null) })[];
  };
  'GET /session': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: { user: { name: string; email: string }; account: { id: string; email: string; seller_name: (string | null); plan: (string | null); created_at: string; delete_at: (string | null) }; server: { now: string; clock_speed: number; mail: 'smtp' | 'log' | 'none'; allows_private_targets: boolean } };
  };
  'GET /session/deliveries/{delivery_id}': {
    params: { delivery_id: string };
    query: undefined;
    body: undefined;
    response: { delivery_id: string; webhook_id: string; event_id: string; event: string; state: 'pending' | 'succeeded' | 'failed'; payload: (Record<string, unknown> | null); attempts: ({ id: string; delivery_id: string; event_id: string; timestamp: string; endpoint: string; event: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | 'webhook.test'; status: (number | null); outcome: 'success' | 'failed' | 'pending'; duration_ms: (number | null); payload_bytes: number; attempt: number; reason: (string | null); response_body: (string | null) })[] };
  };
  'GET /session/events': {
    params: undefined;
    query: { limit?: number; after?: string; type?: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost'; retailer_product_code?: string };
    body: undefined;
    response: ({ id: string; type: 'buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost'; timestamp: string; data: Record<string, unknown>; cursor: string })[];
  };
  'GET /session/keys': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: ({ id: string; name: string; hint: string; created_at: string; last_used_at: (string | null); revoked_at: (string | null) })[];
  };
  'GET /session/ledger': {
    params: undefined;
    query: { limit?: number; after?: string; kind?: 'request' | 'tracking' | 'refund' | 'grant' | 'refresh'; operation?: string; from?: string; to?: string };
    body: undefined;
    response: ({ id: string; at: string; kind: ('request' | 'tracking' | 'refund' | 'grant' | 'refresh'); credits: number; operation: (string | null); retailer_product_code: (string | null); reference: string })[];
  };
  'GET /session/ledger.csv': {
    params: undefined;
    query: { kind?: 'request' | 'tracking' | 'refund' | 'grant' | 'refresh'; operation?: string; from?: string; to?: string };
    body: undefined;
    response: string;
  };
  'GET /session/plan': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: { name: (string | null); next_plan: (string | null); monthly_credits: number; tracked_products_max: number; tracked_products: number; requests_per_second: { product: number; details: number; account: number }; plans: { name: string; monthly_credits: number; tracked_products_max: number }[] };
  };
  'GET /session/prices': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: { product_details: number; offers: number; units_in_stock: number; fees: number; price_history: number; units_sold: { '1month': number; '6months': number; '1year': number; '3years': number; alltime: number }; tiers: { tier: number; interval_hours: number; credits_per_day: number }[] };
  };
  'GET /session/tracked': {
    params: undefined;
    query: { limit?: number; after?: string; attention?: boolean; retailer_product_code?: string };
    body: undefined;
    response: ({ id: string; retailer_product_code: string; product_name: (string | null); brand: (string | null); created_at: string; tier: number; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); current_price: (number | null); buybox_seller: (string | null); units_in_stock: (number | null); last_updated: (string | null); next_due_at: (string | null); consecutive_failures: number; shown_day: (string | null); shown_tier: (number | null); credits_for_today: number; delisted_at?: string; attention: (string | null); attention_code: (('suspended' | 'delisted' | 'collections_failing' | 'no_offers' | 'no_buybox' | 'out_of_stock' | 'buybox_elsewhere') | null) })[];
  };
  'GET /session/tracked/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: { id: string; retailer_product_code: string; product_name: (string | null); brand: (string | null); created_at: string; tier: number; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); current_price: (number | null); buybox_seller: (string | null); units_in_stock: (number | null); last_updated: (string | null); next_due_at: (string | null); consecutive_failures: number; shown_day: (string | null); shown_tier: (number | null); credits_for_today: number; delisted_at?: string; attention: (string | null); attention_code: (('suspended' | 'delisted' | 'collections_failing' | 'no_offers' | 'no_buybox' | 'out_of_stock' | 'buybox_elsewhere') | null); categories: string[]; upc: (string | null); ean: (string | null); customer_rating: (number | null); number_of_reviews: (number | null); rank: ({ position: number; category: (string | null) } | null); offers: ({ seller_name: string; price: number; shipping: number; units_in_stock: (number | null); last_updated: string })[] };
  };
  'GET /session/tracked/{id}/history': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: { from: string; points: ({ date: string; price: (number | null); units_in_stock: (number | null) })[] };
  };
  'GET /session/usage': {
    params: undefined;
    query: { days?: number };
    body: undefined;
    response: { from: string; to: string; entries: { date: string; operation: string; credits: number }[] };
  };
  'GET /user/credits': {
    params: undefined;
    query: undefined;
    body: undefined;
    response: { user_email: string; credits: { total: number; used_this_month: number; remaining: number; usage_percentage: number }; billing_period: { current_period_start: string; next_refresh_date: string; days_until_refresh: number }; account_info: { created_at: string; last_updated: string } };
  };
  'GET /user/credits/ledger': {
    params: undefined;
    query: { limit?: number; after?: string };
    body: undefined;
    response: ({ id: string; at: string; kind: ('request' | 'tracking' | 'refund' | 'grant' | 'refresh'); credits: number; operation: (string | null); retailer_product_code: (string | null); reference: string })[];
  };
  'PATCH /retailer/oversight/products/{id}': {
    params: { id: string };
    query: undefined;
    body: { tier?: 0 | 1 | 2 | 3 | 4; seller_name?: (string | null); rules?: (Record<string, unknown> | null) };
    response: { id: string; retailer_product_code: string; user_id: string; created_at: string; tier: 0 | 1 | 2 | 3 | 4; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); delisted_at?: string };
  };
  'PATCH /retailer/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: { name?: string; url?: string; events?: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status?: 'Active' | 'Paused' };
    response: { id: string; name: string; method: 'POST'; url: string; events: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status: 'Active' | 'Paused'; paused_reason: (string | null); paused_cause: ('endpoint_gone' | 'endpoint_failing' | 'secret_unreadable' | null); created_at: string; last_delivery_at: (string | null); success_rate: (number | null) };
  };
  'PATCH /session/profile': {
    params: undefined;
    query: undefined;
    body: { name?: string; seller_name?: (string | null) };
    response: { user: { name: string; email: string }; account: { id: string; email: string; seller_name: (string | null); plan: (string | null); created_at: string; delete_at: (string | null) }; server: { now: string; clock_speed: number; mail: 'smtp' | 'log' | 'none'; allows_private_targets: boolean } };
  };
  'POST /retailer/oversight/products': {
    params: undefined;
    query: undefined;
    body: { retailer_product_code: string; tier?: 0 | 1 | 2 | 3 | 4; seller_name?: (string | null); rules?: (Record<string, unknown> | null) };
    response: { id: string; retailer_product_code: string; user_id: string; created_at: string; tier: 0 | 1 | 2 | 3 | 4; status: 'active' | 'suspended'; seller_name: (string | null); rules: (Record<string, unknown> | null); delisted_at?: string };
  };
  'POST /retailer/oversight/products/{id}/backtest': {
    params: { id: string };
    query: undefined;
    body: { rules?: (Record<string, unknown> | null); days?: number };
    response: { from: string; to: string; counts: { 'buybox.won': number; 'buybox.lost': number; 'buybox.rotation': number; 'price.drop': number; 'price.increase': number; 'price.suppressed': number; 'price.restored': number; 'seller.new': number; 'seller.removed': number; 'seller.price_change': number; 'stock.low': number; 'stock.out': number; 'stock.restored': number; 'rank.gained': number; 'rank.lost': number } };
  };
  'POST /retailer/webhooks': {
    params: undefined;
    query: undefined;
    body: { name?: string; url: string; events: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status?: 'Active' | 'Paused' };
    response: { id: string; name: string; method: 'POST'; url: string; events: ('buybox.won' | 'buybox.lost' | 'buybox.rotation' | 'price.drop' | 'price.increase' | 'price.suppressed' | 'price.restored' | 'seller.new' | 'seller.removed' | 'seller.price_change' | 'stock.low' | 'stock.out' | 'stock.restored' | 'rank.gained' | 'rank.lost' | '*')[]; status: 'Active' | 'Paused'; paused_reason: (string | null); paused_cause: ('endpoint_gone' | 'endpoint_failing' | 'secret_unreadable' | null); created_at: string; last_delivery_at: (string | null); success_rate: (number | null); secret: string };
  };
  'POST /retailer/webhooks/deliveries/{delivery_id}/retry': {
    params: { delivery_id: string };
    query: undefined;
    body: undefined;
    response: { delivery_id: string };
  };
  'POST /retailer/webhooks/{id}/recover': {
    params: { id: string };
    query: undefined;
    body: { since: string };
    response: { deliveries: number };
  };
  'POST /retailer/webhooks/{id}/rotate-secret': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: { id: string; secret: string };
  };
  'POST /retailer/webhooks/{id}/test': {
    params: { id: string };
    query: undefined;
    body: undefined;
    response: { delivery_id: string; event_id: string };
  };
  'POST /session/account/delete': {
    params: undefined;
    query: undefined;
    body: { password: string; confirm_email: string };
    response: { delete_at: (string | null) };
  };
  'POST /session/account/restore': {
    params: undefined;
    query: undefined;
    body: Record<string, unknown>;
    response: { delete_at: (string | null) };
  };
  'POST /session/change-password': {
    params: undefined;
    query: undefined;
    body: { current_password: string; new_password: string };
    response: undefined;
  };
  'POST /session/finish-sign-up': {
    params: undefined;
    query: undefined;
    body: { token: string; password: string };
    response: undefined;
  };
  'POST /session/keys': {
    params: undefined;
    query: undefined;
    body: { name: string };
    response: { id: string; name: string; api_key: string };
  };
  'POST /session/request-password-reset': {
    params: undefined;
    query: undefined;
    body: { email: string };
    response: { sent_to: string; mail: 'smtp' | 'log' | 'none' };
  };
  'POST /session/reset-password': {
    params: undefined;
    query: undefined;
    body: { token: string; password: string };
    response: undefined;
  };
  'POST /session/sign-in': {
    params: undefined;
    query: undefined;
    body: { email: string; password: string };
    response: undefined;
  };
  'POST /session/sign-out': {
    params: undefined;
    query: undefined;
    body: Record<string, unknown>;
    response: undefined;
  };
  'POST /session/sign-up': {
    params: undefined;
    query: undefined;
    body: { email: string };
    response: { sent_to: string; mail: 'smtp' | 'log' | 'none' };
  };
};
