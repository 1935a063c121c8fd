// What each operation takes and returns. Made from the routes by `npm run fix`; do not edit.

export interface paths {
    "/user/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get credits and billing period
         * @description Get credits and billing period. Costs no credits.
         */
        get: operations["account.getCredits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/credits/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ledger entries, newest first
         * @description `used_this_month` equals the charges minus the refunds since `current_period_start`. Costs no credits.
         */
        get: operations["account.listLedgerEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Details of a product
         * @description Pass exactly one of `upc`, `ean` or `retailer_product_code`. Costs 1 credit.
         */
        get: operations["products.getDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/products/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products
         * @description Products in the catalogue whose name, brand or categories contain all words of `q`; the last word may be incomplete. A code, UPC or EAN is found exactly. Then follow products that match with typing errors. Best sellers come first. A page has up to 20 products and costs 1 credit, or nothing if it is empty.
         */
        get: operations["products.search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/products/finder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find products by their facts
         * @description Products in the catalogue that match all filters, sorted by one fact; products without it come last. Facts are refreshed in the background; `last_updated` says when the product was observed. A page has up to 50 products and costs 5 credits, or nothing if it is empty. Send `next_cursor` as `cursor` with the same filters and sort for the next page; CSV, NDJSON and columns have it in the header `x-next-cursor`.
         */
        post: operations["products.find"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Offers of every seller of a product
         * @description Costs 5 credits.
         */
        get: operations["products.getOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/units-in-stock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Units in stock by seller
         * @description Costs 5 credits.
         */
        get: operations["products.getUnitsInStock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fees for selling a product
         * @description Calculated from the buybox price, or from the lowest price including shipping if there is no buybox. Costs 3 credits.
         */
        get: operations["products.getFees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/price-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Buybox price history of a product
         * @description Costs 15 credits, or nothing if the range has no points.
         */
        get: operations["products.getPriceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/buybox-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who held the buybox, and the share of each seller
         * @description An observation holds until the next one, at most 48 hours; later time is `not_observed` and part of no share. CSV, NDJSON and columns contain the intervals. Costs 10 credits, or nothing if no time of the range was observed.
         */
        get: operations["products.getBuyboxHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics of price, rank and stock
         * @description Averages, medians, extremes and shares over windows that end now, weighted by time. An observation holds until the next one, at most 48 hours; `observed_share` says how much of a window was observed. Costs 2 credits, or nothing if no window has an observation.
         */
        get: operations["products.getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/offer-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Price, shipping and stock of every seller over time
         * @description Without `from`, the last 90 days; a range has at most 366 days. A seller that is missing from an incomplete list is unknown, not gone. CSV, NDJSON and columns contain the offers. Costs 20 credits, or nothing if the range has no offers.
         */
        get: operations["products.getOfferHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/chart.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Chart of a product’s history as SVG
         * @description Price, sales rank, stock and the account’s events over time. Time without a buybox and time that was not observed are drawn apart. Costs 15 credits; nothing if the account has paid for the product’s price history, a chart or a link to one on the same UTC day, or if nothing was observed in the range.
         */
        get: operations["products.getChartSvg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/chart.png": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Chart of a product’s history as PNG
         * @description Price, sales rank, stock and the account’s events over time. Time without a buybox and time that was not observed are drawn apart. Costs 15 credits; nothing if the account has paid for the product’s price history, a chart or a link to one on the same UTC day, or if nothing was observed in the range.
         */
        get: operations["products.getChartPng"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/chart-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to a chart
         * @description For mails and chats: the link opens without an API key and costs nothing more. It shows the data as of its creation and works until it expires or the account is closed. Costs 15 credits; nothing if the account has paid for the product’s price history, a chart or a link to one on the same UTC day, or if nothing was observed in the range.
         */
        post: operations["products.createChartLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/products/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Many products at once
         * @description Up to 100 products by code, UPC or EAN. Costs what the parts of the products that were found cost: details 1, offers 5, fees 3, stats 2; a product that is named twice is charged once. `dry_run` and `x-max-credits` count every well-formed item as found. Details and stats count as one request per 10 items, offers and fees as one per product; the request waits up to 15 seconds for them. `days` and `explain` apply to stats, as for one product. With `Accept: application/x-ndjson` each result is a line.
         */
        post: operations["products.getBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/profit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Profit of selling products
         * @description Fees, proceeds, profit, margin and return on investment at today’s buybox price (`at_buybox`), at the price you want (`at_price`) and at the typical price of 90 days (`at_typical`), and the break-even price, of up to 100 products. A price that is not known gives null. Costs 3 credits per product that is found; each counts as one request.
         */
        post: operations["products.calculateProfit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/product/units-sold-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimated units sold per day
         * @description Cost in credits by `time_period`: 1month 5, 6months 25, 1year 50, 3years 100, alltime 150. Costs nothing if no day of the period has a number. With `explain=true`, each day says what it was made from, at no extra cost.
         */
        get: operations["products.getUnitsSoldHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/oversight/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tracked products
         * @description Newest first. Without `limit` the whole list is returned. Costs no credits.
         */
        get: operations["trackedProducts.list"];
        put?: never;
        /**
         * Track a product
         * @description Costs no credits; each tracked day costs the price of its tier. `tier` defaults to 4. Returns 200 if you track the product already.
         */
        post: operations["trackedProducts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/oversight/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tracked product with its data
         * @description The first response of a UTC day that includes data charges that day’s tier price, never more than `x-max-credits`. Only data of paid days is returned: if the day cannot be paid, the product is suspended and `tracking_data` shows the last paid day, or null if there is none.
         */
        get: operations["trackedProducts.get"];
        put?: never;
        post?: never;
        /**
         * Stop tracking a product
         * @description Stop tracking a product. Costs no credits.
         */
        delete: operations["trackedProducts.delete"];
        options?: never;
        head?: never;
        /**
         * Change a tracked product
         * @description Moving to a more expensive tier on a charged day costs the difference at once, never more than `x-max-credits`. Rules that you omit keep their values.
         */
        patch: operations["trackedProducts.update"];
        trace?: never;
    };
    "/retailer/oversight/products/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track many products
         * @description Tracks up to 1000 products, in order until your plan is full. Each item has its own result; one that is refused does not affect the others. Safe to repeat: a product that you track already has status 200. Costs no credits; each tracked day costs the price of its tier.
         */
        post: operations["trackedProducts.bulkCreate"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change many tracked products
         * @description Changes up to 1000 tracked products, each named by `id` or `retailer_product_code`. Each item has its own result; one that is refused does not affect the others. Moving to a more expensive tier on a charged day costs the difference at once; if all differences together exceed `x-max-credits`, nothing is changed.
         */
        patch: operations["trackedProducts.bulkUpdate"];
        trace?: never;
    };
    "/retailer/oversight/products/bulk/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop tracking many products
         * @description Removes up to 1000 tracked products, each named by `id` or `retailer_product_code`. Each item has its own result; one that is refused does not affect the others. Safe to repeat: an item that is not tracked any more has status 404.
         */
        post: operations["trackedProducts.bulkDelete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/oversight/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules for many products, oldest first
         * @description List the rules for many products, oldest first. Costs no credits.
         */
        get: operations["rules.list"];
        put?: never;
        /**
         * Add a rule for many products
         * @description Thresholds or a condition for all tracked products, or for those with one of some tags; at most 50 per account. When a condition becomes true for a product, `rule.matched` is emitted, only to webhooks that subscribe to it by name. Of several rules, a product’s own come first, then those for its tags, then those for all products, then the defaults; among equals the newest comes first, part by part. Costs no credits.
         */
        post: operations["rules.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/oversight/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a rule for many products
         * @description Remove a rule for many products. Costs no credits.
         */
        delete: operations["rules.delete"];
        options?: never;
        head?: never;
        /**
         * Change a rule for many products
         * @description Replaces the members that you send. The products are updated within seconds. Costs no credits.
         */
        patch: operations["rules.update"];
        trace?: never;
    };
    "/retailer/oversight/products/{id}/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the events that rules would have fired
         * @description Uses the product’s tier, its watched seller and all stored observations, or only those of paid days if the current day cannot be paid. `rules` defaults to the rules that apply to the product, `seller_name` to its seller. A `condition` is tried, too. Costs no credits.
         */
        post: operations["trackedProducts.backtest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description List webhooks, newest first. Costs no credits.
         */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Register a webhook
         * @description At most 20 per account. The URL and every address its name resolves to are checked now and at each delivery. Costs no credits.
         */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Get a webhook. Costs no credits.
         */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook
         * @description Remove a webhook. Costs no credits.
         */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a webhook
         * @description Events of a paused webhook are recorded but not sent; use recover to send them later. When `digest` changes, what was gathered is sent at once. Costs no credits.
         */
        patch: operations["webhooks.update"];
        trace?: never;
    };
    "/retailer/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret
         * @description For 24 hours deliveries are signed with both the new and the previous secret. A webhook that was paused because its secret could not be read becomes active again and receives the events it missed. Costs no credits.
         */
        post: operations["webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts of the last 30 days, newest first
         * @description List the attempts of the last 30 days, newest first. Costs no credits.
         */
        get: operations["webhooks.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends an event of type `webhook.test` with every member that an event has, even while the webhook is paused. At most 60 per hour and account. Costs no credits.
         */
        post: operations["webhooks.sendTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send missed events
         * @description Sends every event since `since` that the webhook subscribes to and has not received, attempted or not; to a webhook with digests in the next one. A paused webhook receives them once it is active again. At most 60 calls per hour and account; deliveries recovered or retried within the last day count as retries. Costs no credits.
         */
        post: operations["webhooks.recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/webhooks/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery now
         * @description Sends the delivery again with the same `webhook-id`, whatever its outcome. At most 20 per day and delivery, and 1,000 per hour and account. Costs no credits.
         */
        post: operations["webhooks.retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/retailer/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the last 30 days
         * @description Oldest first, whether or not a webhook received them. To poll, pass the `cursor` of the last event as `after`. Costs no credits.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed-in person and their account
         * @description The signed-in person and their account. Costs no credits.
         */
        get: operations["session.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name or the seller name
         * @description Change the name or the seller name. Costs no credits.
         */
        patch: operations["session.updateProfile"];
        trace?: never;
    };
    "/session/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys, newest first
         * @description API keys, newest first. Costs no credits.
         */
        get: operations["session.listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Create an API key. Costs no credits.
         */
        post: operations["session.createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Revoke an API key. Costs no credits.
         */
        delete: operations["session.revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/account/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the account now and delete it after 30 days
         * @description Close the account now and delete it after 30 days. Costs no credits.
         */
        post: operations["session.deleteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/account/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the deletion of the account
         * @description Cancel the deletion of the account. Costs no credits.
         */
        post: operations["session.restoreAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Price list
         * @description Price list. Costs no credits.
         */
        get: operations["session.getPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account’s plan, its limits, and all plans
         * @description The account’s plan, its limits, and all plans. Costs no credits.
         */
        get: operations["session.getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credits spent by day and operation
         * @description Credits spent by day and operation. Costs no credits.
         */
        get: operations["session.getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger entries that match a filter, newest first
         * @description Ledger entries that match a filter, newest first. Costs no credits.
         */
        get: operations["session.listLedgerEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/ledger.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger entries as CSV
         * @description Ledger entries as CSV. Costs no credits.
         */
        get: operations["session.downloadLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credits spent by product and by tag
         * @description Credits spent by product and by tag. Costs no credits.
         */
        get: operations["session.getCosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/period-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the entries of this period add up to the balance
         * @description Whether the entries of this period add up to the balance. Costs no credits.
         */
        get: operations["session.checkPeriod"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/upgrade-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the operator for another plan; at most three times a day
         * @description Ask the operator for another plan; at most three times a day. Costs no credits.
         */
        post: operations["session.requestUpgrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/library": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Responses that the account has bought in the dashboard, newest first
         * @description Responses that the account has bought in the dashboard, newest first. Costs no credits.
         */
        get: operations["session.listLibrary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/library/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A bought response as it was
         * @description A bought response as it was. Costs no credits.
         */
        get: operations["session.getLibraryEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/tracked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tracked products with their values, newest first
         * @description Tracked products with their values, newest first. Costs no credits.
         */
        get: operations["session.listTrackedProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/tracked/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A tracked product at the detail of its tier
         * @description A tracked product at the detail of its tier. Costs no credits.
         */
        get: operations["session.getTrackedProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/tracked/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Price and stock of a tracked product on its paid days, at the interval of each day’s tier
         * @description Price and stock of a tracked product on its paid days, at the interval of each day’s tier. Costs no credits.
         */
        get: operations["session.getTrackedHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/tracked/{id}/sellers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of price and stock of every seller on the days paid at tier 0
         * @description Changes of price and stock of every seller on the days paid at tier 0. Costs no credits.
         */
        get: operations["session.getTrackedSellers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Price, changes and rank of tracked products in the last week
         * @description Price, changes and rank of tracked products in the last week. Costs no credits.
         */
        get: operations["session.listTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the last 30 days, newest first
         * @description With `tag` or `q` a page may be short or empty though the Link header names a next one: so many events were compared.
         */
        get: operations["session.listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/events.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events as CSV
         * @description Events as CSV. Costs no credits.
         */
        get: operations["session.downloadEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The largest price changes and lost buyboxes of the last 24 hours, one per product
         * @description The largest price changes and lost buyboxes of the last 24 hours, one per product. Costs no credits.
         */
        get: operations["session.listMoves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A delivery with its payload and every response
         * @description A delivery with its payload and every response. Costs no credits.
         */
        get: operations["session.getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a link to sign up
         * @description Request a link to sign up.
         */
        post: operations["session.signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/finish-sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a password, create the account and sign in
         * @description Choose a password, create the account and sign in.
         */
        post: operations["session.finishSignUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Sign in.
         */
        post: operations["session.signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Sign out.
         */
        post: operations["session.signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/check-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check whether a link still works, before a password is typed
         * @description Check whether a link still works, before a password is typed.
         */
        post: operations["session.checkLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/request-password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a link to choose a new password
         * @description Request a link to choose a new password.
         */
        post: operations["session.requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a new password; ends every session but the new one
         * @description Choose a new password; ends every session but the new one.
         */
        post: operations["session.resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password; ends the other sessions
         * @description Change the password; ends the other sessions.
         */
        post: operations["session.changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "buybox.won": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `buybox.won` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.buyboxWon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "buybox.lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `buybox.lost` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.buyboxLost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "buybox.rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `buybox.rotation` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.buyboxRotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "price.drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `price.drop` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.priceDrop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "price.increase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `price.increase` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.priceIncrease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "price.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `price.suppressed` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.priceSuppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "price.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `price.restored` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.priceRestored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "seller.new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `seller.new` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.sellerNew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "seller.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `seller.removed` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.sellerRemoved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "seller.price_change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `seller.price_change` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.sellerPriceChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stock.low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `stock.low` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.stockLow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stock.out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `stock.out` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.stockOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stock.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `stock.restored` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.stockRestored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "rank.gained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `rank.gained` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.rankGained"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "rank.lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `rank.lost` event
         * @description Sent to every webhook that subscribes to this type, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.rankLost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "events.digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `events.digest` event
         * @description Sent only to webhooks with a `digest`, once per hour or day that has events, signed according to Standard Webhooks. Use `webhook-id` to discard duplicates.
         */
        post: operations["on.eventsDigest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        CreditBalance: {
            /** @description The monthly allocation plus the grants of the current period. */
            total: number;
            used_this_month: number;
            remaining: number;
            usage_percentage: number;
        };
        BillingPeriod: {
            /**
             * Format: date-time
             * @description When the current period began (UTC).
             */
            current_period_start: string;
            /**
             * Format: date-time
             * @description When the credits refresh (UTC).
             */
            next_refresh_date: string;
            days_until_refresh: number;
        };
        AccountInfo: {
            /**
             * Format: date-time
             * @description When the account was created (UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the ledger or the plan last changed (UTC).
             */
            last_updated: string;
        };
        Credits: {
            /** Format: email */
            user_email: string;
            credits: components["schemas"]["CreditBalance"];
            billing_period: components["schemas"]["BillingPeriod"];
            account_info: components["schemas"]["AccountInfo"];
        };
        /** @description Every error has this shape. Errors cost nothing. */
        Error: {
            /** @description The HTTP status. */
            error: number;
            /** @description What is wrong and what to do, as a sentence. */
            message: string;
            /** @description A stable code for programs; see /docs/errors. */
            code: string;
            /** @description The parameter or body member that is wrong, if there is one. */
            field?: string;
            /** @description The description of the code, such as /docs/errors#rate_limited. */
            doc_url: string;
            /** @description Include it when you report a problem. */
            request_id: string;
        } & {
            [key: string]: unknown;
        };
        LedgerEntry: {
            id: string;
            /**
             * Format: date-time
             * @description When the entry was booked (UTC).
             */
            at: string;
            kind: "request" | "tracking" | "refund" | "grant" | "refresh";
            /** @description Negative when charged. */
            credits: number;
            operation: string | null;
            retailer_product_code: string | null;
            /** @description Unique per booking. */
            reference: string;
        };
        ProductDetails: {
            upc: string | null;
            ean: string | null;
            retailer_product_code: string;
            brand: string | null;
            product_name: string | null;
            /** @description From the main category to the most specific one. */
            categories: string[];
            buybox_price: number | null;
            customer_rating: number | null;
            number_of_reviews: number | null;
            /**
             * Format: date-time
             * @description When the data was observed (UTC).
             */
            last_updated: string;
            /**
             * Format: date-time
             * @description When the product was delisted (404 after one day); absent while it is listed (UTC).
             */
            delisted_at?: string;
        };
        CreditCost: {
            credit_cost: number;
        };
        SearchedProduct: {
            retailer_product_code: string;
            product_name: string | null;
            brand: string | null;
            /** @description From the main category to the most specific one. */
            categories: string[];
            upc: string | null;
            ean: string | null;
            buybox_price: number | null;
            rank: number | null;
            rank_category: string | null;
            customer_rating: number | null;
            number_of_reviews: number | null;
            /**
             * Format: date-time
             * @description When the data was observed (UTC).
             */
            last_updated: string;
            /**
             * @description `exact`: code, UPC or EAN. `words`: all words. `similar`: all words, some with typing errors.
             * @enum {string}
             */
            matched_by: "exact" | "words" | "similar";
        };
        /** @description an object with min, max or both, inclusive, in the unit of the fact */
        FactRange: {
            /** @description a number from -1000000000 to 1000000000 */
            min?: number;
            /** @description a number from -1000000000 to 1000000000 */
            max?: number;
        };
        /** @description an object of filters; all must match, and a product without the fact does not */
        FinderFilters: {
            /** @description a list of 1 to 50 texts, of which one must match: names of categories, or paths such as "Home > Kitchen"; case and accents do not matter */
            categories?: string[];
            /** @description a list of 1 to 50 texts, of which one must match: brands; case and accents do not matter */
            brands?: string[];
            /** @description a list of 1 to 50 texts, of which one must match: names of the seller that holds the buybox; case and accents do not matter */
            buybox_sellers?: string[];
            /** @description true or false: whether somebody holds the buybox */
            has_buybox?: boolean;
            price?: components["schemas"]["FactRange"];
            price_change_1d?: components["schemas"]["FactRange"];
            price_change_7d?: components["schemas"]["FactRange"];
            price_change_30d?: components["schemas"]["FactRange"];
            price_change_90d?: components["schemas"]["FactRange"];
            rank?: components["schemas"]["FactRange"];
            rank_change_1d?: components["schemas"]["FactRange"];
            rank_change_7d?: components["schemas"]["FactRange"];
            rank_change_30d?: components["schemas"]["FactRange"];
            rank_change_90d?: components["schemas"]["FactRange"];
            sellers?: components["schemas"]["FactRange"];
            stock?: components["schemas"]["FactRange"];
            rating?: components["schemas"]["FactRange"];
            reviews?: components["schemas"]["FactRange"];
            units_per_day?: components["schemas"]["FactRange"];
            out_of_stock_30d?: components["schemas"]["FactRange"];
            out_of_stock_90d?: components["schemas"]["FactRange"];
            lowest_in_days?: components["schemas"]["FactRange"];
        };
        /** @description an object with by and order; rank without it */
        FinderSort: {
            /**
             * @description one of price, price_change_1d, price_change_7d, price_change_30d, price_change_90d, rank, rank_change_1d, rank_change_7d, rank_change_30d, rank_change_90d, sellers, stock, rating, reviews, units_per_day, out_of_stock_30d, out_of_stock_90d, lowest_in_days
             * @enum {string}
             */
            by?: "price" | "price_change_1d" | "price_change_7d" | "price_change_30d" | "price_change_90d" | "rank" | "rank_change_1d" | "rank_change_7d" | "rank_change_30d" | "rank_change_90d" | "sellers" | "stock" | "rating" | "reviews" | "units_per_day" | "out_of_stock_30d" | "out_of_stock_90d" | "lowest_in_days";
            /**
             * @description asc or desc; without it, the usual order of the fact
             * @enum {string}
             */
            order?: "asc" | "desc";
        };
        FinderRequest: {
            filters?: components["schemas"]["FinderFilters"];
            sort?: components["schemas"]["FinderSort"];
            /** @description the next_cursor of the previous page */
            cursor?: string;
        };
        FoundProduct: {
            retailer_product_code: string;
            product_name: string | null;
            brand: string | null;
            /** @description From the main category to the most specific one. */
            categories: string[];
            buybox_seller: string | null;
            price: number | null;
            price_change_1d: number | null;
            price_change_7d: number | null;
            price_change_30d: number | null;
            price_change_90d: number | null;
            rank: number | null;
            rank_change_1d: number | null;
            rank_change_7d: number | null;
            rank_change_30d: number | null;
            rank_change_90d: number | null;
            sellers: number | null;
            stock: number | null;
            rating: number | null;
            reviews: number | null;
            units_per_day: number | null;
            out_of_stock_30d: number | null;
            out_of_stock_90d: number | null;
            lowest_in_days: number | null;
            /** @description percent of the last 90 days that was observed */
            observed_90d: number;
            /**
             * Format: date-time
             * @description When the product was observed (UTC).
             */
            last_updated: string;
        };
        FinderPage: {
            next_cursor: string | null;
            products: components["schemas"]["FoundProduct"][];
        };
        Offer: {
            seller_name: string;
            units_in_stock: number | null;
            /**
             * Format: date-time
             * @description When the seller’s offer was last updated (UTC).
             */
            last_updated: string;
            /** @description USD */
            price: number;
            /** @description USD */
            shipping: number;
        };
        ProductOffers: {
            retailer_product_code: string;
            /** @description Empty if nobody sells the product. */
            sellers: components["schemas"]["Offer"][];
            /**
             * Format: date-time
             * @description When the product was delisted (404 after one day); absent while it is listed (UTC).
             */
            delisted_at?: string;
        };
        ProductFees: {
            retailer_product_code: string;
            /** @description USD */
            referral_fee: number;
            /** @description USD */
            closing_fee: number;
            /** @description USD */
            shipping_fee: number;
            /** @description USD; the exact sum of the three fees */
            total_fees: number;
            /** @description The fee schedule category that was applied. */
            category: string;
            /** @description True if public sources do not settle the exact fee. */
            unsettled: boolean;
            promotion: string | null;
            /**
             * Format: date-time
             * @description When the price was observed (UTC).
             */
            last_updated: string;
        };
        PricePoint: {
            /**
             * Format: date-time
             * @description When the price was observed (UTC).
             */
            date: string;
            /** @description USD */
            price: number;
        };
        PriceHistory: {
            retailer_product_code: string;
            /** @description Ascending by date. Observations without a buybox are omitted. */
            priceHistory: components["schemas"]["PricePoint"][];
        };
        BuyboxInterval: {
            /**
             * Format: date-time
             * @description Start, inclusive (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description End, exclusive (UTC).
             */
            to: string;
            /**
             * @description `suppressed`: nobody held the buybox. `not_observed`: no observation in the 48 hours before.
             * @enum {string}
             */
            state: "held" | "suppressed" | "not_observed";
            seller_name: string | null;
            first_price: number | null;
            last_price: number | null;
            min_price: number | null;
            max_price: number | null;
            average_price: number | null;
        };
        BuyboxDayShare: {
            seller_name: string | null;
            /** @description The part of the observed time of the day. */
            share: number;
        };
        BuyboxDay: {
            /**
             * Format: date
             * @description YYYY-MM-DD, UTC
             */
            date: string;
            /** @description The observed part of the day, as far as it lies in the range. */
            observed_share: number;
            /** @description The part of the observed time in which nobody held the buybox. */
            suppressed_share: number;
            average_price: number | null;
            sellers: components["schemas"]["BuyboxDayShare"][];
        };
        BuyboxSeller: {
            seller_name: string | null;
            /** @description How long the seller held the buybox. */
            seconds: number;
            /** @description The part of the observed time. */
            share: number;
            /** @description The average winning price, by time (USD). */
            average_price: number;
        };
        BuyboxHistory: {
            retailer_product_code: string;
            from: string | null;
            /**
             * Format: date-time
             * @description End of the range, at most the present (UTC).
             */
            to: string;
            /** @description Ascending, without holes. */
            intervals: components["schemas"]["BuyboxInterval"][];
            /** @description Ascending. Days without any observed time are absent. */
            days: components["schemas"]["BuyboxDay"][];
            /** @description Longest first. */
            sellers: components["schemas"]["BuyboxSeller"][];
            average_price: number | null;
            /** @description The observed time of the range. */
            observed_seconds: number;
            /** @description The observed part of the range. */
            observed_share: number;
            /** @description How long nobody held the buybox. */
            suppressed_seconds: number;
            /** @description The part of the observed time in which nobody held the buybox. */
            suppressed_share: number;
        };
        CurrentStatistics: {
            price: number | null;
            price_observed_at: string | null;
            lowest_since: string | null;
            rank: number | null;
            rank_observed_at: string | null;
            in_stock: boolean | null;
            stock_observed_at: string | null;
        };
        PriceExtreme: {
            /** @description USD */
            price: number;
            /**
             * Format: date-time
             * @description When it was first observed, or the start of the window if it held before (UTC).
             */
            at: string;
        };
        PriceStatistics: {
            average: number | null;
            typical: number | null;
            min: components["schemas"]["PriceExtreme"] | null;
            max: components["schemas"]["PriceExtreme"] | null;
            increases: number;
            decreases: number;
            suppressed_share: number | null;
            /** @description Share of the window in which the value was observed. */
            observed_share: number;
        };
        RankExtreme: {
            position: number;
            /**
             * Format: date-time
             * @description When it was first observed, or the start of the window if it held before (UTC).
             */
            at: string;
        };
        RankStatistics: {
            average: number | null;
            best: components["schemas"]["RankExtreme"] | null;
            worst: components["schemas"]["RankExtreme"] | null;
            /** @description Share of the window in which the value was observed. */
            observed_share: number;
        };
        StockStatistics: {
            out_of_stock_share: number | null;
            /** @description How often stock ran out. */
            times_out_of_stock: number;
            /** @description Share of the window in which the value was observed. */
            observed_share: number;
        };
        StatisticsWindow: {
            days: number;
            /**
             * Format: date-time
             * @description Start, inclusive (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description End, exclusive (UTC).
             */
            to: string;
            price: components["schemas"]["PriceStatistics"];
            rank: components["schemas"]["RankStatistics"];
            stock: components["schemas"]["StockStatistics"];
        };
        LastLowerPrice: {
            /** @description USD */
            price: number;
            /**
             * Format: date-time
             * @description When it was observed (UTC).
             */
            at: string;
        };
        StatisticsEvidence: {
            /** @description Observations in the window. */
            observations: number;
            first_at: string | null;
            last_at: string | null;
            observed_seconds: number;
            /** @description Times after an observation in which nothing was observed any more. */
            gaps: number;
            longest_gap_seconds: number;
        };
        StatisticsWindowEvidence: {
            days: number;
            price: components["schemas"]["StatisticsEvidence"];
            rank: components["schemas"]["StatisticsEvidence"];
            stock: components["schemas"]["StatisticsEvidence"];
        };
        StatisticsExplanation: {
            method: string;
            /** @description Changes when the method changes. */
            version: number;
            /** @description An observation holds until the next one, at most this long. */
            holds_seconds: number;
            last_lower_price: components["schemas"]["LastLowerPrice"] | null;
            windows: components["schemas"]["StatisticsWindowEvidence"][];
        };
        ProductStatistics: {
            retailer_product_code: string;
            current: components["schemas"]["CurrentStatistics"];
            /** @description In the order of `days`. */
            windows: components["schemas"]["StatisticsWindow"][];
            explanation?: components["schemas"]["StatisticsExplanation"];
        };
        OfferPoint: {
            /**
             * Format: date-time
             * @description When the offer was observed (UTC).
             */
            date: string;
            seller_name: string;
            /**
             * @description `listed`: the seller had this offer. `sold_out`: the marketplace says that nothing is left. `gone`: a complete list did not contain the seller. `not_observed`: no list has contained or excluded the seller for 48 hours; nobody knows.
             * @enum {string}
             */
            state: "listed" | "sold_out" | "gone" | "not_observed";
            price: number | null;
            shipping: number | null;
            units_in_stock: number | null;
        };
        OfferSeller: {
            seller_name: string;
            /**
             * Format: date-time
             * @description The first point of the range (UTC).
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description The last offer of the range (UTC).
             */
            last_seen: string;
            /** @description Observations with an offer. */
            observations: number;
            /**
             * @description `listed`: the seller had this offer. `sold_out`: the marketplace says that nothing is left. `gone`: a complete list did not contain the seller. `not_observed`: no list has contained or excluded the seller for 48 hours; nobody knows.
             * @enum {string}
             */
            state: "listed" | "sold_out" | "gone" | "not_observed";
        };
        OfferHistory: {
            retailer_product_code: string;
            /**
             * Format: date-time
             * @description Start of the range (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the range, at most the present (UTC).
             */
            to: string;
            /** @description Ascending by date. */
            offers: components["schemas"]["OfferPoint"][];
            /** @description In the order of their first point. */
            sellers: components["schemas"]["OfferSeller"][];
            /** @description The part of the range in which offers were observed. */
            observed_share: number;
        };
        ChartLinkRequest: {
            /** @description 1 to 20 digits */
            retailer_product_code: string;
            /**
             * @description one of 1d, 1w, 1m, 3m, 1y, 3y, all: how far back from now; 3m by default; or send from and to
             * @enum {string}
             */
            range?: "1d" | "1w" | "1m" | "3m" | "1y" | "3y" | "all";
            /**
             * Format: date-time
             * @description a time such as 2026-11-14T12:00:00Z: start of the chart; not together with range
             */
            from?: string;
            /**
             * Format: date-time
             * @description a time such as 2026-11-14T12:00:00Z: end of the chart; not later than now
             */
            to?: string;
            /** @description a whole number from 320 to 1600; 800 by default */
            width?: number;
            /** @description a whole number from 240 to 1000; 420 by default */
            height?: number;
            /**
             * @description light or dark; light by default
             * @enum {string}
             */
            theme?: "light" | "dark";
            /** @description a list of some of price, rank, stock, events; all of them by default */
            series?: ("price" | "rank" | "stock" | "events")[];
            /** @description 1, 1.5, 2, 2.5 or 3: pixels for each unit of width and height; 1.5 by default */
            scale?: number;
            /**
             * @description png or svg; png by default
             * @enum {string}
             */
            format?: "png" | "svg";
            /** @description a whole number of days from 1 to 365; 30 by default */
            expires_in_days?: number;
        };
        ChartLink: {
            /** @description Opens the picture without an API key. */
            url: string;
            /**
             * Format: date-time
             * @description The end of the chart: later data is not shown (UTC).
             */
            as_of: string;
            /**
             * Format: date-time
             * @description When the link stops working, in real time (UTC).
             */
            expires_at: string;
        };
        ProductBatch: {
            /** @description a list of product codes */
            codes?: string[];
            /** @description a list of UPCs */
            upcs?: string[];
            /** @description a list of EANs */
            eans?: string[];
            /** @description a list of the parts to return; details if absent */
            include?: ("details" | "offers" | "fees" | "stats")[];
            /** @description a list of 1 to 8 different lengths of windows from 1 to 1095 days, for stats */
            days?: number[];
            /** @description true or false; true adds how many observations led to the stats, and how */
            explain?: boolean;
        };
        /** @description The number of the item as it was sent. */
        RequestedProduct: {
            retailer_product_code?: unknown;
            upc?: unknown;
            ean?: unknown;
        };
        /** @description Why this item was refused; the other items are not affected. */
        ItemError: {
            /** @description The HTTP status. */
            error: number;
            /** @description What is wrong and what to do, as a sentence. */
            message: string;
            /** @description A stable code for programs; see /docs/errors. */
            code: string;
            /** @description The parameter or body member that is wrong, if there is one. */
            field?: string;
            /** @description The description of the code, such as /docs/errors#rate_limited. */
            doc_url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Parts that cannot be returned; they are free. */
        PartErrors: {
            fees?: components["schemas"]["ItemError"];
        };
        ProductBatchResult: {
            requested: components["schemas"]["RequestedProduct"];
            /** @description The status that a call for this item alone returns. */
            status: number;
            /** @description Its part of the charge; 0 if an earlier item names the same product. */
            credits: number;
            details?: components["schemas"]["ProductDetails"];
            offers?: components["schemas"]["ProductOffers"];
            fees?: components["schemas"]["ProductFees"];
            stats?: components["schemas"]["ProductStatistics"];
            part_errors?: components["schemas"]["PartErrors"];
            error?: components["schemas"]["ItemError"];
        };
        ProductBatchResults: {
            /** @description One per item: the codes, then the UPCs, then the EANs, each in their order. */
            results: components["schemas"]["ProductBatchResult"][];
        };
        ProfitItem: {
            /** @description 1 to 20 digits */
            retailer_product_code: string;
            /** @description a number of USD from 0 to 1000000 with at most two decimals: what you pay for the product */
            cost: number;
            /** @description a number of USD from 0 to 1000000 with at most two decimals: what you pay to ship it; 0 if absent */
            shipping?: number;
            /** @description a number of USD from 0 to 1000000 with at most two decimals: the price at which you want to sell it */
            price?: number;
            /**
             * @description marketplace, fulfilled or first_party
             * @enum {string}
             */
            seller_type?: "marketplace" | "fulfilled" | "first_party";
        };
        ProfitRequest: {
            /** @description a list of 1 to 100 items */
            items: components["schemas"]["ProfitItem"][];
        };
        ProfitAtPrice: {
            /** @description USD */
            price: number;
            /** @description USD */
            referral_fee: number;
            /** @description USD */
            closing_fee: number;
            /** @description USD */
            shipping_fee: number;
            /** @description USD */
            total_fees: number;
            /** @description USD; the price minus the fees */
            proceeds: number;
            /** @description USD; the proceeds minus cost and shipping */
            profit: number;
            margin: number | null;
            roi: number | null;
        };
        Profit: {
            /** @description The status of this item. */
            status: number;
            /** @description Its part of the charge; 0 if an earlier item names the same product. */
            credits: number;
            retailer_product_code?: string;
            break_even_price?: number | null;
            at_buybox?: components["schemas"]["ProfitAtPrice"] | null;
            at_price?: components["schemas"]["ProfitAtPrice"] | null;
            at_typical?: components["schemas"]["ProfitAtPrice"] | null;
            /** @description The fee schedule category. */
            category?: string;
            /** @description True if public sources do not settle the exact fees. */
            unsettled?: boolean;
            /**
             * Format: date-time
             * @description When the buybox price was observed (UTC).
             */
            last_updated?: string;
            error?: components["schemas"]["ItemError"];
        };
        ProfitResults: {
            /** @description One per item, in the order of the items. */
            results: components["schemas"]["Profit"][];
        };
        /** @description The market model the days are estimated with; only with `explain=true`. */
        UnitsSoldModel: {
            /** @description The version of the market model; 0 before one is fitted. */
            version: number;
        };
        UnitsSoldObservations: {
            /** @description Observations of offers on this day. */
            count: number;
            first_at: string | null;
            last_at: string | null;
            /** @description The longest time of the day without an observation. */
            longest_gap_hours: number;
        };
        UnitsSoldSeller: {
            seller_name: string;
            /** @description Not rounded to whole units. */
            units_sold: number;
        };
        UnitsSoldReading: {
            /**
             * @description `restock_to_level`, `restock_in_packs`, `restock`: more units came, to a usual level, in packs, or freely. `returned`: units came back. `transfer`: stock moved between sellers. `miscount`: one count far from those around it, ignored. `at_cap`, `possible_cap`: the count is, or may be, displayed only up to a cap. `count_unknown`: the seller displays no count. `not_observed`: nobody observed for days. `arrived`, `left`: the seller came or went.
             * @enum {string}
             */
            kind: "restock_to_level" | "restock_in_packs" | "restock" | "returned" | "transfer" | "miscount" | "at_cap" | "possible_cap" | "count_unknown" | "not_observed" | "arrived" | "left";
            seller_name: string;
            /**
             * Format: date-time
             * @description The observation before (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description The observation after (UTC).
             */
            to: string;
            units_before: number | null;
            units_after: number | null;
        };
        /** @description What the number of the day was made from; only with `explain=true`. */
        UnitsSoldExplanation: {
            /** @description Why the day has its method, as a sentence. */
            reason: string;
            observations: components["schemas"]["UnitsSoldObservations"];
            /** @description Sellers with sales, the greatest first, at most 20. */
            sellers: components["schemas"]["UnitsSoldSeller"][];
            /** @description Sellers that are not listed. */
            other_sellers: number;
            /** @description Intervals that are no plain decrease, at most 20 a day. */
            readings: components["schemas"]["UnitsSoldReading"][];
            /** @description Readings that are not listed. */
            other_readings: number;
        };
        UnitsSoldDay: {
            /**
             * Format: date
             * @description YYYY-MM-DD, UTC
             */
            date: string;
            units_sold: number | null;
            /**
             * @description `counted`: the stock decreased by this much. `inferred`: from counts around restocks or over midnight. `typical`: the day was not observed; what the product usually sells. `at_least`: some stock is displayed only up to a cap or not at all; more may have been sold. `unknown`: nothing supports a number.
             * @enum {string}
             */
            method: "counted" | "inferred" | "typical" | "at_least" | "unknown";
            /** @description The probability that the true number is from `low` to `high`. */
            confidence: number;
            low: number | null;
            high: number | null;
            explanation?: components["schemas"]["UnitsSoldExplanation"];
        };
        UnitsSoldHistory: {
            retailer_product_code: string;
            /** @enum {string} */
            time_period: "1month" | "6months" | "1year" | "3years" | "alltime";
            /** @description Credits charged for this request. */
            credit_cost: number;
            model?: components["schemas"]["UnitsSoldModel"];
            /** @description Ascending; every day from the first to the last observed day. */
            sales_history: components["schemas"]["UnitsSoldDay"][];
        };
        /** @description The smallest change that fires an event; both thresholds must be reached. */
        PriceRule: {
            percent?: number | null;
            usd?: number | null;
        };
        /** @description Stock is low at this many units, or at this many days of sales. */
        StockLowRule: {
            units?: number | null;
            days?: number | null;
        };
        /** @description The smallest change that fires an event; both thresholds must be reached. */
        RankRule: {
            percent?: number | null;
            places?: number | null;
        };
        /** @description Changes of the buybox holder within 24 hours. */
        RotationRule: {
            count?: number | null;
        };
        /** @description When events fire. Omitted parts keep their values; null restores the default. */
        Rules: {
            price?: components["schemas"]["PriceRule"] | null;
            seller_price?: components["schemas"]["PriceRule"] | null;
            stock_low?: components["schemas"]["StockLowRule"] | null;
            rank?: components["schemas"]["RankRule"] | null;
            rotation?: components["schemas"]["RotationRule"] | null;
        };
        NewTrackedProduct: {
            /** @description 1 to 20 digits */
            retailer_product_code: string;
            /**
             * @description a tier from 0 to 4 (0: 150 credits a day, 1: 90 credits a day, 2: 35 credits a day, 3: 20 credits a day, 4: 10 credits a day)
             * @enum {integer}
             */
            tier?: 0 | 1 | 2 | 3 | 4;
            seller_name?: string | null;
            rules?: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags?: string[];
            metadata?: {
                [key: string]: unknown;
            } | null;
            ttl?: number | null;
        };
        TrackedProduct: {
            id: string;
            retailer_product_code: string;
            user_id: string;
            /**
             * Format: date-time
             * @description When the product was added (UTC).
             */
            created_at: string;
            /**
             * @description a tier from 0 to 4 (0: 150 credits a day, 1: 90 credits a day, 2: 35 credits a day, 3: 20 credits a day, 4: 10 credits a day)
             * @enum {integer}
             */
            tier: 0 | 1 | 2 | 3 | 4;
            /** @enum {string} */
            status: "active" | "suspended";
            seller_name: string | null;
            rules: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags: string[];
            metadata: {
                [key: string]: unknown;
            } | null;
            ends_at: string | null;
            /**
             * Format: date-time
             * @description When the product was delisted; absent while it is listed (UTC).
             */
            delisted_at?: string;
        };
        TrackedSeller: {
            seller_name: string;
            /** @description USD */
            price: number;
            units_in_stock: number | null;
            /**
             * Format: date-time
             * @description When the offer was observed (UTC).
             */
            last_updated: string;
            price_history: components["schemas"]["PricePoint"][];
        };
        TrackingData: {
            current_price: number | null;
            units_in_stock: number | null;
            /**
             * Format: date-time
             * @description When the data was observed (UTC).
             */
            last_updated: string;
            /** @description Only for a day paid at tier 0; the prices are those of such days. */
            sellers?: components["schemas"]["TrackedSeller"][];
        };
        CollectionStatus: {
            last_collected_at: string | null;
            next_due_at: string | null;
            consecutive_failures: number;
        };
        TrackedProductDetails: {
            id: string;
            retailer_product_code: string;
            user_id: string;
            /**
             * Format: date-time
             * @description When the product was added (UTC).
             */
            created_at: string;
            /**
             * @description a tier from 0 to 4 (0: 150 credits a day, 1: 90 credits a day, 2: 35 credits a day, 3: 20 credits a day, 4: 10 credits a day)
             * @enum {integer}
             */
            tier: 0 | 1 | 2 | 3 | 4;
            /** @enum {string} */
            status: "active" | "suspended";
            seller_name: string | null;
            rules: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags: string[];
            metadata: {
                [key: string]: unknown;
            } | null;
            ends_at: string | null;
            /**
             * Format: date-time
             * @description When the product was delisted; absent while it is listed (UTC).
             */
            delisted_at?: string;
            tracking_data: components["schemas"]["TrackingData"] | null;
            collection: components["schemas"]["CollectionStatus"];
        };
        TrackedProductUpdate: {
            /**
             * @description a tier from 0 to 4 (0: 150 credits a day, 1: 90 credits a day, 2: 35 credits a day, 3: 20 credits a day, 4: 10 credits a day)
             * @enum {integer}
             */
            tier?: 0 | 1 | 2 | 3 | 4;
            seller_name?: string | null;
            rules?: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags?: string[];
            metadata?: {
                [key: string]: unknown;
            } | null;
            ttl?: number | null;
        };
        BulkNewTrackedProducts: {
            /** @description a list of 1 to 1000 items */
            items: components["schemas"]["NewTrackedProduct"][];
        };
        BulkTrackedProductResult: {
            /** @description The status that a call for this item alone returns. */
            status: number;
            product?: components["schemas"]["TrackedProduct"];
            error?: components["schemas"]["ItemError"];
        };
        BulkTrackedProductResults: {
            /** @description One per item, in the order of the items. */
            results: components["schemas"]["BulkTrackedProductResult"][];
        };
        BulkTrackedProductUpdate: {
            /** @description the id of a tracked product as text */
            id?: string;
            /** @description 1 to 20 digits */
            retailer_product_code?: string;
            /**
             * @description a tier from 0 to 4 (0: 150 credits a day, 1: 90 credits a day, 2: 35 credits a day, 3: 20 credits a day, 4: 10 credits a day)
             * @enum {integer}
             */
            tier?: 0 | 1 | 2 | 3 | 4;
            seller_name?: string | null;
            rules?: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags?: string[];
            metadata?: {
                [key: string]: unknown;
            } | null;
            ttl?: number | null;
        };
        BulkTrackedProductUpdates: {
            /** @description a list of 1 to 1000 items */
            items: components["schemas"]["BulkTrackedProductUpdate"][];
        };
        TrackedProductSelector: {
            /** @description the id of a tracked product as text */
            id?: string;
            /** @description 1 to 20 digits */
            retailer_product_code?: string;
        };
        BulkTrackedProductRemoval: {
            /** @description a list of 1 to 1000 items */
            items: components["schemas"]["TrackedProductSelector"][];
        };
        BulkRemovalResult: {
            /** @description 204 if it was removed. */
            status: number;
            id?: string;
            retailer_product_code?: string;
            error?: components["schemas"]["ItemError"];
        };
        BulkRemovalResults: {
            /** @description One per item, in the order of the items. */
            results: components["schemas"]["BulkRemovalResult"][];
        };
        NewAccountRule: {
            /** @description a name of 1 to 100 characters, not only spaces */
            name: string;
            tags?: string[] | null;
            rules?: components["schemas"]["Rules"] | null;
            condition?: string | null;
        };
        /** @description The rule was saved; this may not be intended. */
        RuleWarning: {
            code: string;
            message: string;
        };
        SavedAccountRule: {
            id: string;
            /** @description a name of 1 to 100 characters, not only spaces */
            name: string;
            tags: string[] | null;
            rules: components["schemas"]["Rules"] | null;
            condition: string | null;
            /**
             * Format: date-time
             * @description When the rule was added (UTC).
             */
            created_at: string;
            warnings: components["schemas"]["RuleWarning"][];
        };
        AccountRule: {
            id: string;
            /** @description a name of 1 to 100 characters, not only spaces */
            name: string;
            tags: string[] | null;
            rules: components["schemas"]["Rules"] | null;
            condition: string | null;
            /**
             * Format: date-time
             * @description When the rule was added (UTC).
             */
            created_at: string;
        };
        AccountRuleUpdate: {
            /** @description a name of 1 to 100 characters, not only spaces */
            name?: string;
            tags?: string[] | null;
            rules?: components["schemas"]["Rules"] | null;
            condition?: string | null;
        };
        BacktestRequest: {
            rules?: components["schemas"]["Rules"] | null;
            /** @description a condition of at most 500 characters in a subset of CEL, such as "price < 20 && stock > 0"; the names are price (the buybox price in USD), lowest_offer (the lowest price plus shipping of all offers, in USD), stock (units in stock of all offers), sellers (the number of offers, from a complete list), rank (the sales rank), units_per_day (estimated units sold per day), buybox_seller (the holder of the buybox, "" if nobody holds it), my_seller (the watched seller, "" if there is none), lost_box_hours (hours since the watched seller lost the buybox, 0 while it holds it), lowest_in_days (the number of observed days, up to 90, since the price was lower), price_change_1d (percent against the last price of the day before), price_change_7d (percent against the last price seven days before), price_change_30d (percent against the last price 30 days before) */
            condition?: string;
            seller_name?: string | null;
            /**
             * @description a whole number of days from 1 to 90
             * @default 30
             */
            days: number;
        };
        /** @description Counts by event type, including types that would not have fired. */
        EventCounts: {
            "buybox.won": number;
            "buybox.lost": number;
            "buybox.rotation": number;
            "price.drop": number;
            "price.increase": number;
            "price.suppressed": number;
            "price.restored": number;
            "seller.new": number;
            "seller.removed": number;
            "seller.price_change": number;
            "stock.low": number;
            "stock.out": number;
            "stock.restored": number;
            "rank.gained": number;
            "rank.lost": number;
        };
        /** @description Present if the request has a `condition`. */
        ConditionBacktest: {
            /** @description How often it would have matched. */
            matches: number;
            last_matched_at: string | null;
            warning: string | null;
        };
        BacktestResult: {
            /**
             * Format: date-time
             * @description Start of the counted period (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the counted period: the time of the request (UTC).
             */
            to: string;
            counts: components["schemas"]["EventCounts"];
            condition?: components["schemas"]["ConditionBacktest"];
        };
        /** @description an object of from, to (exclusive) and time_zone between which deliveries are held and sent afterwards, or null for none */
        QuietHours: {
            /** @description a time of day from 00:00 to 23:59 */
            from: string;
            /** @description a time of day from 00:00 to 23:59 */
            to: string;
            /** @description the name of a time zone, such as Europe/Berlin */
            time_zone: string;
        };
        /** @description an object of every (hour or day) and time_zone (UTC unless given) for one delivery per local hour or day that has events, or null for one per event */
        Digest: {
            /**
             * @description hour or day
             * @enum {string}
             */
            every: "hour" | "day";
            /** @description the name of a time zone, such as Europe/Berlin */
            time_zone?: string;
        };
        NewWebhook: {
            /** @description a name of 1 to 200 characters, not only spaces */
            name?: string;
            /** @description a URL that starts with https://, without spaces */
            url: string;
            /** @description a list of one or more event types, or ["*"] for all; rule.matched must be named, also beside "*" */
            events: ("buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "*")[];
            tags?: string[] | null;
            quiet_hours?: components["schemas"]["QuietHours"] | null;
            digest?: components["schemas"]["Digest"] | null;
            /**
             * @description 200_201 or any_2xx: the statuses that count as received
             * @enum {string}
             */
            success_status?: "200_201" | "any_2xx";
            /**
             * @description Active or Paused
             * @enum {string}
             */
            status?: "Active" | "Paused";
        };
        CreatedWebhook: {
            id: string;
            name: string;
            /** @enum {string} */
            method: "POST";
            url: string;
            /** @description a list of one or more event types, or ["*"] for all; rule.matched must be named, also beside "*" */
            events: ("buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "*")[];
            tags: string[] | null;
            quiet_hours: components["schemas"]["QuietHours"] | null;
            digest: components["schemas"]["Digest"] | null;
            /**
             * @description 200_201 or any_2xx: the statuses that count as received
             * @enum {string}
             */
            success_status: "200_201" | "any_2xx";
            /**
             * @description Active or Paused
             * @enum {string}
             */
            status: "Active" | "Paused";
            paused_reason: string | null;
            paused_cause: ("endpoint_gone" | "endpoint_failing" | "secret_unreadable") | null;
            /**
             * Format: date-time
             * @description When the webhook was registered (UTC).
             */
            created_at: string;
            last_delivery_at: string | null;
            success_rate: number | null;
            /** @description Signs deliveries according to Standard Webhooks. Shown only at registration and rotation. */
            secret: string;
        };
        Webhook: {
            id: string;
            name: string;
            /** @enum {string} */
            method: "POST";
            url: string;
            /** @description a list of one or more event types, or ["*"] for all; rule.matched must be named, also beside "*" */
            events: ("buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "*")[];
            tags: string[] | null;
            quiet_hours: components["schemas"]["QuietHours"] | null;
            digest: components["schemas"]["Digest"] | null;
            /**
             * @description 200_201 or any_2xx: the statuses that count as received
             * @enum {string}
             */
            success_status: "200_201" | "any_2xx";
            /**
             * @description Active or Paused
             * @enum {string}
             */
            status: "Active" | "Paused";
            paused_reason: string | null;
            paused_cause: ("endpoint_gone" | "endpoint_failing" | "secret_unreadable") | null;
            /**
             * Format: date-time
             * @description When the webhook was registered (UTC).
             */
            created_at: string;
            last_delivery_at: string | null;
            success_rate: number | null;
        };
        WebhookUpdate: {
            /** @description a name of 1 to 200 characters, not only spaces */
            name?: string;
            /** @description a URL that starts with https://, without spaces */
            url?: string;
            /** @description a list of one or more event types, or ["*"] for all; rule.matched must be named, also beside "*" */
            events?: ("buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "*")[];
            tags?: string[] | null;
            quiet_hours?: components["schemas"]["QuietHours"] | null;
            digest?: components["schemas"]["Digest"] | null;
            /**
             * @description 200_201 or any_2xx: the statuses that count as received
             * @enum {string}
             */
            success_status?: "200_201" | "any_2xx";
            /**
             * @description Active or Paused
             * @enum {string}
             */
            status?: "Active" | "Paused";
        };
        WebhookSecret: {
            id: string;
            /** @description Signs deliveries according to Standard Webhooks. Shown only at registration and rotation. */
            secret: string;
        };
        DeliveryAttempt: {
            id: string;
            /** @description The `webhook-id`, the same for every attempt. */
            delivery_id: string;
            event_id: string;
            /**
             * Format: date-time
             * @description When the attempt was made (UTC).
             */
            timestamp: string;
            /** @description The URL that was called. */
            endpoint: string;
            /** @enum {string} */
            event: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "events.digest" | "webhook.test";
            status: number | null;
            /**
             * @description success, failed, pending
             * @enum {string}
             */
            outcome: "success" | "failed" | "pending";
            duration_ms: number | null;
            payload_bytes: number;
            attempt: number;
            reason: string | null;
        };
        TestDelivery: {
            delivery_id: string;
            event_id: string;
        };
        RecoverRequest: {
            /**
             * Format: date-time
             * @description a time with its offset, such as 2026-11-14T12:00:00Z
             */
            since: string;
        };
        RecoveredDeliveries: {
            /** @description The number of deliveries to be sent, and of events for the next digest. */
            deliveries: number;
        };
        RetriedDelivery: {
            delivery_id: string;
        };
        ObservedValue: {
            value: number | string | null;
            /**
             * Format: date-time
             * @description When the value was observed (UTC).
             */
            observed_at: string;
        };
        RuleThreshold: {
            percent?: number;
            usd?: number;
            units?: number;
            days?: number;
            places?: number;
            count?: number;
        };
        /** @description The rule that fired the event. */
        AppliedRule: {
            name: string;
            threshold: components["schemas"]["RuleThreshold"] | number | string | null;
            /** @description The rule for many products whose condition became true. */
            id?: string;
            /** @description The condition of that rule. */
            condition?: string;
        };
        EventBuybox: {
            /** @description USD */
            price: number;
            seller_name: string | null;
        };
        EventRank: {
            position: number;
            category: string;
        };
        EventOffer: {
            seller_name: string;
            /** @description USD */
            price: number;
            /** @description USD */
            shipping: number;
            units_in_stock: number | null;
        };
        EventData: {
            event_id: string;
            /** @description The id of the tracked product. */
            oversight_product_id: string;
            retailer_product_code: string;
            product_name: string | null;
            tier: number;
            /** @description The tags of the product when the event was recorded. */
            tags?: string[];
            metadata?: {
                [key: string]: unknown;
            } | null;
            before: components["schemas"]["ObservedValue"] | null;
            after: components["schemas"]["ObservedValue"] | null;
            rule: components["schemas"]["AppliedRule"];
            reason: string | null;
            /** @description Present in seller events. */
            seller_name?: string;
            buybox: components["schemas"]["EventBuybox"] | null;
            units_in_stock: number | null;
            rank: components["schemas"]["EventRank"] | null;
            /** @description At most five, the cheapest first. */
            offers: components["schemas"]["EventOffer"][];
        };
        /** @description The two observations that were compared. */
        ComparedObservations: {
            before: components["schemas"]["ObservedValue"] | null;
            after: components["schemas"]["ObservedValue"] | null;
        };
        /** @description How the crawl guard judged the snapshot. */
        GuardVerdict: {
            /** @enum {string} */
            verdict: "no_loss" | "stated" | "confirmed";
            meaning: string;
        };
        /** @description The parts that the snapshot covered; the others kept their last values. */
        ObservedParts: {
            buybox: boolean;
            offers: boolean;
            rank: boolean;
        };
        EventExplanation: {
            observations: components["schemas"]["ComparedObservations"];
            rule: components["schemas"]["AppliedRule"];
            rules: (components["schemas"]["Rules"] | null) | null;
            rules_version: string | null;
            detection_version: number | null;
            guard: components["schemas"]["GuardVerdict"] | null;
            observed: components["schemas"]["ObservedParts"] | null;
        };
        Event: {
            /** @description The event_id of its deliveries. */
            id: string;
            /** @enum {string} */
            type: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
            /** @description Pass it as `after` to get later events. */
            cursor: string;
            explanation?: components["schemas"]["EventExplanation"];
        };
        SessionUser: {
            name: string;
            email: string;
        };
        SessionAccount: {
            id: string;
            email: string;
            seller_name: string | null;
            plan: string | null;
            /**
             * Format: date-time
             * @description When the account was created (UTC).
             */
            created_at: string;
            delete_at: string | null;
        };
        SessionServer: {
            /**
             * Format: date-time
             * @description The clock of the service, which runs fast in time lapse (UTC).
             */
            now: string;
            clock_speed: number;
            /** @enum {string} */
            mail: "smtp" | "log" | "none";
            /** @description Whether webhooks may target private addresses. */
            allows_private_targets: boolean;
        };
        Session: {
            user: components["schemas"]["SessionUser"];
            account: components["schemas"]["SessionAccount"];
            server: components["schemas"]["SessionServer"];
        };
        ProfileUpdate: {
            /** @description a name of at most 100 characters */
            name?: string;
            seller_name?: string | null;
        };
        ApiKey: {
            id: string;
            name: string;
            /** @description The first characters of the key. */
            hint: string;
            /**
             * Format: date-time
             * @description When the key was created (UTC).
             */
            created_at: string;
            last_used_at: string | null;
            revoked_at: string | null;
        };
        NewApiKey: {
            /** @description a name of 1 to 100 characters */
            name: string;
        };
        CreatedApiKey: {
            id: string;
            name: string;
            /** @description Shown only here. */
            api_key: string;
        };
        DeleteAccountRequest: {
            /** @description your password */
            password: string;
            /** @description the e-mail of the account, to confirm */
            confirm_email: string;
        };
        AccountDeletion: {
            delete_at: string | null;
        };
        EmptyBody: Record<string, never>;
        UnitsSoldPrices: {
            "1month": number;
            "6months": number;
            "1year": number;
            "3years": number;
            alltime: number;
        };
        TierPrice: {
            tier: number;
            interval_hours: number;
            credits_per_day: number;
        };
        SampleProduct: {
            retailer_product_code: string;
            product_name: string | null;
        };
        Prices: {
            product_details: number;
            search: number;
            finder: number;
            offers: number;
            units_in_stock: number;
            fees: number;
            price_history: number;
            buybox_history: number;
            stats: number;
            profit: number;
            offer_history: number;
            chart: number;
            units_sold: components["schemas"]["UnitsSoldPrices"];
            tiers: components["schemas"]["TierPrice"][];
            /** @description Products whose data is free in the dashboard. */
            samples: components["schemas"]["SampleProduct"][];
        };
        RequestLimits: {
            product: number;
            details: number;
            account: number;
        };
        Plan: {
            name: string;
            monthly_credits: number;
            tracked_products_max: number;
        };
        AccountPlan: {
            name: string | null;
            next_plan: string | null;
            monthly_credits: number;
            tracked_products_max: number;
            tracked_products: number;
            requests_per_second: components["schemas"]["RequestLimits"];
            plans: components["schemas"]["Plan"][];
        };
        DayUsage: {
            /** Format: date */
            date: string;
            operation: string;
            /** @description Negative if refunds exceed charges. */
            credits: number;
        };
        Usage: {
            /** Format: date */
            from: string;
            /**
             * Format: date
             * @description Today (UTC), inclusive.
             */
            to: string;
            entries: components["schemas"]["DayUsage"][];
        };
        NamedLedgerEntry: {
            id: string;
            /**
             * Format: date-time
             * @description When the entry was booked (UTC).
             */
            at: string;
            kind: "request" | "tracking" | "refund" | "grant" | "refresh";
            /** @description Negative when charged. */
            credits: number;
            operation: string | null;
            retailer_product_code: string | null;
            /** @description Unique per booking. */
            reference: string;
            product_name: string | null;
            balance_after: number | null;
        };
        ProductCost: {
            retailer_product_code: string;
            product_name: string | null;
            credits: number;
        };
        TagCost: {
            tag: string;
            credits: number;
        };
        Costs: {
            /** Format: date */
            from: string;
            /**
             * Format: date
             * @description Today (UTC), inclusive.
             */
            to: string;
            total: number;
            /** @description The 20 most expensive. */
            products: components["schemas"]["ProductCost"][];
            /** @description By the tags that tracked products have now; a product may have many. */
            tags: components["schemas"]["TagCost"][];
        };
        PeriodCheck: {
            used: number;
            sum_of_entries: number | null;
        };
        UpgradeRequest: {
            /** @description the name of a plan */
            plan: string;
        };
        RequestedUpgrade: {
            plan: string;
        };
        LibraryEntry: {
            id: string;
            /** @description What was bought, as in the ledger. */
            operation: string;
            retailer_product_code: string | null;
            product_name: string | null;
            upc: string | null;
            ean: string | null;
            /** @description The parameters of the request. */
            parameters: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was bought (UTC).
             */
            bought_at: string;
            /**
             * Format: date-time
             * @description When the data was observed (UTC).
             */
            as_of: string;
            /**
             * Format: date-time
             * @description Until then the same request is free in the dashboard (UTC).
             */
            fresh_until: string;
            /** @description What it cost. */
            credits: number;
            buybox_price: number | null;
        };
        TrackedRow: {
            id: string;
            retailer_product_code: string;
            product_name: string | null;
            brand: string | null;
            /**
             * Format: date-time
             * @description When the product was added (UTC).
             */
            created_at: string;
            tier: number;
            /** @enum {string} */
            status: "active" | "suspended";
            seller_name: string | null;
            rules: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags: string[];
            metadata: {
                [key: string]: unknown;
            } | null;
            ends_at: string | null;
            current_price: number | null;
            buybox_seller: string | null;
            units_in_stock: number | null;
            last_updated: string | null;
            next_due_at: string | null;
            consecutive_failures: number;
            shown_day: string | null;
            shown_tier: number | null;
            /** @description Collections that were due at this tier since midnight UTC */
            slots_due_today: number;
            /** @description Those that arrived within a tenth of their interval */
            slots_in_time_today: number;
            /** @description Collections that were due at this tier today and on the six days before */
            slots_due_week: number;
            /** @description Those that arrived within a tenth of their interval */
            slots_in_time_week: number;
            /** @description The cost of today’s data from GET /retailer/oversight/products/{id}; 0 if it is paid. */
            credits_for_today: number;
            /**
             * Format: date-time
             * @description When the product was delisted; absent while it is listed (UTC).
             */
            delisted_at?: string;
            attention: string | null;
            attention_code: ("suspended" | "delisted" | "collections_failing" | "no_offers" | "no_buybox" | "out_of_stock" | "buybox_elsewhere") | null;
        };
        TrackedRank: {
            position: number;
            category: string | null;
        };
        TrackedOffer: {
            seller_name: string;
            /** @description USD */
            price: number;
            /** @description USD */
            shipping: number;
            units_in_stock: number | null;
            /**
             * Format: date-time
             * @description When the offer was observed (UTC).
             */
            last_updated: string;
        };
        TrackedPage: {
            id: string;
            retailer_product_code: string;
            product_name: string | null;
            brand: string | null;
            /**
             * Format: date-time
             * @description When the product was added (UTC).
             */
            created_at: string;
            tier: number;
            /** @enum {string} */
            status: "active" | "suspended";
            seller_name: string | null;
            rules: components["schemas"]["Rules"] | null;
            /** @description a list of at most 10 different tags */
            tags: string[];
            metadata: {
                [key: string]: unknown;
            } | null;
            ends_at: string | null;
            current_price: number | null;
            buybox_seller: string | null;
            units_in_stock: number | null;
            last_updated: string | null;
            next_due_at: string | null;
            consecutive_failures: number;
            shown_day: string | null;
            shown_tier: number | null;
            /** @description Collections that were due at this tier since midnight UTC */
            slots_due_today: number;
            /** @description Those that arrived within a tenth of their interval */
            slots_in_time_today: number;
            /** @description Collections that were due at this tier today and on the six days before */
            slots_due_week: number;
            /** @description Those that arrived within a tenth of their interval */
            slots_in_time_week: number;
            /** @description The cost of today’s data from GET /retailer/oversight/products/{id}; 0 if it is paid. */
            credits_for_today: number;
            /**
             * Format: date-time
             * @description When the product was delisted; absent while it is listed (UTC).
             */
            delisted_at?: string;
            attention: string | null;
            attention_code: ("suspended" | "delisted" | "collections_failing" | "no_offers" | "no_buybox" | "out_of_stock" | "buybox_elsewhere") | null;
            categories: string[];
            upc: string | null;
            ean: string | null;
            customer_rating: number | null;
            number_of_reviews: number | null;
            rank: components["schemas"]["TrackedRank"] | null;
            /** @description Every seller for a day paid at tier 0; otherwise empty. */
            offers: components["schemas"]["TrackedOffer"][];
        };
        TrackedPoint: {
            /**
             * Format: date-time
             * @description When the values were observed (UTC).
             */
            date: string;
            price: number | null;
            units_in_stock: number | null;
            buybox_seller: string | null;
            /** @description Nobody held the buybox. */
            suppressed: boolean;
            rank: number | null;
        };
        TrackedHistory: {
            /**
             * Format: date-time
             * @description When the product was added (UTC).
             */
            from: string;
            points: components["schemas"]["TrackedPoint"][];
            rank_category: string | null;
        };
        TrackedSellerColumns: {
            seller_name: string;
            /** @description When each change was observed */
            at_seconds: number[];
            /** @description USD with shipping; null while the seller has no offer or is not observed */
            prices: (number | null)[];
            /** @description null when unknown or without an offer */
            units_in_stock: (number | null)[];
        };
        TrackedSellers: {
            to: string | null;
            sellers: components["schemas"]["TrackedSellerColumns"][];
        };
        TrackedTrend: {
            retailer_product_code: string;
            /** @description One every four hours of the last week, the last one now; null: not observed. */
            prices: (number | null)[];
            change_24h: number | null;
            change_7d: number | null;
            rank: number | null;
        };
        Move: {
            /** @description The event_id of its deliveries. */
            id: string;
            /** @enum {string} */
            type: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
            /** @description Pass it as `after` to get later events. */
            cursor: string;
            explanation?: components["schemas"]["EventExplanation"];
            change: number | null;
        };
        EventPayload: {
            /** @enum {string} */
            type: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "webhook.test";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        /** @description The number of events of each type that occurred. */
        DigestCounts: {
            "buybox.won"?: number;
            "buybox.lost"?: number;
            "buybox.rotation"?: number;
            "price.drop"?: number;
            "price.increase"?: number;
            "price.suppressed"?: number;
            "price.restored"?: number;
            "seller.new"?: number;
            "seller.removed"?: number;
            "seller.price_change"?: number;
            "stock.low"?: number;
            "stock.out"?: number;
            "stock.restored"?: number;
            "rank.gained"?: number;
            "rank.lost"?: number;
            "rule.matched"?: number;
        };
        DigestEvent: {
            event_id: string;
            /** @enum {string} */
            type: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            retailer_product_code: string;
            product_name: string | null;
            before: number | string | null;
            after: number | string | null;
            reason: string | null;
        };
        DigestData: {
            /** @description The id of the digest. */
            event_id: string;
            /**
             * Format: date-time
             * @description The start of the hour or day (UTC).
             */
            from: string;
            /**
             * Format: date-time
             * @description Its exclusive end (UTC).
             */
            to: string;
            event_count: number;
            counts: components["schemas"]["DigestCounts"];
            /** @description The most important events first, as many as fit. */
            events: components["schemas"]["DigestEvent"][];
            /** @description Lists all events recorded in this time, whatever the webhook receives. */
            events_url: string;
        };
        EventsDigest: {
            /** @enum {string} */
            type: "events.digest";
            /**
             * Format: date-time
             * @description When the hour or day ended (UTC).
             */
            timestamp: string;
            data: components["schemas"]["DigestData"];
        };
        DeliveryAttemptDetails: {
            id: string;
            /** @description The `webhook-id`, the same for every attempt. */
            delivery_id: string;
            event_id: string;
            /**
             * Format: date-time
             * @description When the attempt was made (UTC).
             */
            timestamp: string;
            /** @description The URL that was called. */
            endpoint: string;
            /** @enum {string} */
            event: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "events.digest" | "webhook.test";
            status: number | null;
            /**
             * @description success, failed, pending
             * @enum {string}
             */
            outcome: "success" | "failed" | "pending";
            duration_ms: number | null;
            payload_bytes: number;
            attempt: number;
            reason: string | null;
            response_body: string | null;
        };
        DeliveryDetails: {
            delivery_id: string;
            webhook_id: string;
            event_id: string;
            event: string;
            /** @enum {string} */
            state: "pending" | "succeeded" | "failed";
            payload: components["schemas"]["EventPayload"] | components["schemas"]["EventsDigest"] | null;
            explanation?: components["schemas"]["EventExplanation"] | null;
            attempts: components["schemas"]["DeliveryAttemptDetails"][];
        };
        SignUpRequest: {
            /** @description an e-mail address */
            email: string;
        };
        LinkSent: {
            sent_to: string;
            /**
             * @description How this service sends links.
             * @enum {string}
             */
            mail: "smtp" | "log" | "none";
        };
        FinishSignUpRequest: {
            /** @description the token of a link */
            token: string;
            /** @description a password of 10 to 128 characters */
            password: string;
        };
        SignInRequest: {
            /** @description an e-mail address */
            email: string;
            /** @description a password */
            password: string;
        };
        CheckLinkRequest: {
            /** @description the token of a link */
            token: string;
            /** @enum {string} */
            purpose: "sign-up" | "reset-password";
        };
        CheckedLink: {
            works: boolean;
        };
        RequestPasswordResetRequest: {
            /** @description an e-mail address */
            email: string;
        };
        ResetPasswordRequest: {
            /** @description the token of a link */
            token: string;
            /** @description a password of 10 to 128 characters */
            password: string;
        };
        ChangePasswordRequest: {
            /** @description a password */
            current_password: string;
            /** @description a password of 10 to 128 characters */
            new_password: string;
        };
        BuyboxWonEvent: {
            /** @constant */
            type: "buybox.won";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        BuyboxLostEvent: {
            /** @constant */
            type: "buybox.lost";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        BuyboxRotationEvent: {
            /** @constant */
            type: "buybox.rotation";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        PriceDropEvent: {
            /** @constant */
            type: "price.drop";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        PriceIncreaseEvent: {
            /** @constant */
            type: "price.increase";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        PriceSuppressedEvent: {
            /** @constant */
            type: "price.suppressed";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        PriceRestoredEvent: {
            /** @constant */
            type: "price.restored";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        SellerNewEvent: {
            /** @constant */
            type: "seller.new";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        SellerRemovedEvent: {
            /** @constant */
            type: "seller.removed";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        SellerPriceChangeEvent: {
            /** @constant */
            type: "seller.price_change";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        StockLowEvent: {
            /** @constant */
            type: "stock.low";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        StockOutEvent: {
            /** @constant */
            type: "stock.out";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        StockRestoredEvent: {
            /** @constant */
            type: "stock.restored";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        RankGainedEvent: {
            /** @constant */
            type: "rank.gained";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
        RankLostEvent: {
            /** @constant */
            type: "rank.lost";
            /**
             * Format: date-time
             * @description When it happened (UTC).
             */
            timestamp: string;
            data: components["schemas"]["EventData"];
        };
    };
    responses: {
        /** @description The request is invalid; the message says what is allowed. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing, invalid or revoked. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found. Nothing was charged. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Rate limit exceeded. Nothing was charged. Retry after `retry_after_ms`. */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal error. Nothing was charged. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Temporarily unavailable. Nothing was charged. Try again in a few seconds. */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too few credits, or the cost exceeds `x-max-credits`. Nothing was charged. */
        PaymentRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict with the current state. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request does not come from the dashboard. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description a whole number from 1 to 1000 */
        Limit: number;
        /** @description the cursor of the Link header with rel="next" */
        After: string;
        /** @description true or false; true returns only {"credit_cost"} and costs nothing */
        DryRun: boolean;
        /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
        MaxCredits: number;
    };
    requestBodies: never;
    headers: {
        /** @description Credits charged for this request. */
        CreditsCharged: number;
        /** @description Credits remaining after this request. */
        CreditsRemaining: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "account.getCredits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get credits and billing period */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_email": "demo@oversight.example",
                     *       "credits": {
                     *         "total": 250000,
                     *         "used_this_month": 9484,
                     *         "remaining": 240516,
                     *         "usage_percentage": 3
                     *       },
                     *       "billing_period": {
                     *         "current_period_start": "2026-12-03T16:59:32.586Z",
                     *         "next_refresh_date": "2027-01-03T16:59:32.586Z",
                     *         "days_until_refresh": 6
                     *       },
                     *       "account_info": {
                     *         "created_at": "2026-12-03T16:59:32.586Z",
                     *         "last_updated": "2026-12-29T08:27:37.386Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Credits"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "account.listLedgerEntries": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List ledger entries, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "ff331936-b947-854e-8665-572b8c3fec42",
                     *         "at": "2026-12-29T08:27:37.386Z",
                     *         "kind": "tracking",
                     *         "credits": -150,
                     *         "operation": "tracking tier 0",
                     *         "retailer_product_code": "579156167",
                     *         "reference": "tracking:579156167:20816:0-150"
                     *       },
                     *       {
                     *         "id": "fdbd4df3-079c-82c3-b19a-06f395bcaa65",
                     *         "at": "2026-12-29T08:27:37.386Z",
                     *         "kind": "tracking",
                     *         "credits": -150,
                     *         "operation": "tracking tier 0",
                     *         "retailer_product_code": "588173162",
                     *         "reference": "tracking:588173162:20816:0-150"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LedgerEntry"][];
                    /**
                     * @example id,at,kind,credits,operation,retailer_product_code,reference
                     *     ff331936-b947-854e-8665-572b8c3fec42,2026-12-29T08:27:37.386Z,tracking,-150,tracking tier 0,579156167,tracking:579156167:20816:0-150
                     *     fdbd4df3-079c-82c3-b19a-06f395bcaa65,2026-12-29T08:27:37.386Z,tracking,-150,tracking tier 0,588173162,tracking:588173162:20816:0-150
                     */
                    "text/csv": string;
                    /**
                     * @example {"id":"ff331936-b947-854e-8665-572b8c3fec42","at":"2026-12-29T08:27:37.386Z","kind":"tracking","credits":-150,"operation":"tracking tier 0","retailer_product_code":"579156167","reference":"tracking:579156167:20816:0-150"}
                     *     {"id":"fdbd4df3-079c-82c3-b19a-06f395bcaa65","at":"2026-12-29T08:27:37.386Z","kind":"tracking","credits":-150,"operation":"tracking tier 0","retailer_product_code":"588173162","reference":"tracking:588173162:20816:0-150"}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getDetails": {
        parameters: {
            query?: {
                /** @description 12 digits (UPC-A), 8 digits (UPC-E, starts with 0 or 1) or 14 (GTIN-14) */
                upc?: string;
                /** @description 13 digits (EAN-13), 8 digits (EAN-8) or 14 (GTIN-14) */
                ean?: string;
                /** @description 1 to 20 digits */
                retailer_product_code?: string;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Details of a product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "upc": "819704012345",
                     *       "ean": "0819704012345",
                     *       "retailer_product_code": "527182818",
                     *       "brand": "Lummand",
                     *       "product_name": "Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate",
                     *       "categories": [
                     *         "Home & Garden",
                     *         "Kitchen"
                     *       ],
                     *       "buybox_price": 37.49,
                     *       "customer_rating": 4.4,
                     *       "number_of_reviews": 7626,
                     *       "last_updated": "2026-12-04T21:22:06.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProductDetails"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.search": {
        parameters: {
            query: {
                /** @description a text of 1 to 200 characters; all characters but letters and digits separate words */
                q: string;
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Search products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "retailer_product_code": "586857596",
                     *         "product_name": "Nimbora Orchard 160 Cooperative Game, 3-8 Players, Navy",
                     *         "brand": "Nimbora",
                     *         "categories": [
                     *           "Toys & Games",
                     *           "Games"
                     *         ],
                     *         "upc": "828580012349",
                     *         "ean": "0828580012349",
                     *         "buybox_price": 36.49,
                     *         "rank": 1,
                     *         "rank_category": "Board Games",
                     *         "customer_rating": 3.9,
                     *         "number_of_reviews": 2656,
                     *         "last_updated": "2026-11-16T08:35:30.000Z",
                     *         "matched_by": "words"
                     *       },
                     *       {
                     *         "retailer_product_code": "503265476",
                     *         "product_name": "Zephwell Willow 385 Family Game, 3-8 Players, Sky",
                     *         "brand": "Zephwell",
                     *         "categories": [
                     *           "Toys & Games",
                     *           "Games"
                     *         ],
                     *         "upc": "805651649284",
                     *         "ean": "0805651649284",
                     *         "buybox_price": 47.49,
                     *         "rank": 2,
                     *         "rank_category": "Board Games",
                     *         "customer_rating": 4.7,
                     *         "number_of_reviews": 1882,
                     *         "last_updated": "2026-11-16T08:35:30.000Z",
                     *         "matched_by": "words"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SearchedProduct"][] | components["schemas"]["CreditCost"];
                    /**
                     * @example retailer_product_code,product_name,brand,categories,upc,ean,buybox_price,rank,rank_category,customer_rating,number_of_reviews,last_updated,matched_by
                     *     586857596,"Nimbora Orchard 160 Cooperative Game, 3-8 Players, Navy",Nimbora,"[""Toys & Games"",""Games""]",828580012349,0828580012349,36.49,1,Board Games,3.9,2656,2026-11-16T08:35:30.000Z,words
                     *     503265476,"Zephwell Willow 385 Family Game, 3-8 Players, Sky",Zephwell,"[""Toys & Games"",""Games""]",805651649284,0805651649284,47.49,2,Board Games,4.7,1882,2026-11-16T08:35:30.000Z,words
                     */
                    "text/csv": string;
                    /**
                     * @example {"retailer_product_code":"586857596","product_name":"Nimbora Orchard 160 Cooperative Game, 3-8 Players, Navy","brand":"Nimbora","categories":["Toys & Games","Games"],"upc":"828580012349","ean":"0828580012349","buybox_price":36.49,"rank":1,"rank_category":"Board Games","customer_rating":3.9,"number_of_reviews":2656,"last_updated":"2026-11-16T08:35:30.000Z","matched_by":"words"}
                     *     {"retailer_product_code":"503265476","product_name":"Zephwell Willow 385 Family Game, 3-8 Players, Sky","brand":"Zephwell","categories":["Toys & Games","Games"],"upc":"805651649284","ean":"0805651649284","buybox_price":47.49,"rank":2,"rank_category":"Board Games","customer_rating":4.7,"number_of_reviews":1882,"last_updated":"2026-11-16T08:35:30.000Z","matched_by":"words"}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.find": {
        parameters: {
            query?: {
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filters": {
                 *         "categories": [
                 *           "Games"
                 *         ],
                 *         "price": {
                 *           "max": 60
                 *         },
                 *         "reviews": {
                 *           "min": 100
                 *         }
                 *       },
                 *       "sort": {
                 *         "by": "units_per_day",
                 *         "order": "desc"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["FinderRequest"];
            };
        };
        responses: {
            /** @description Find products by their facts */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next_cursor": null,
                     *       "products": [
                     *         {
                     *           "retailer_product_code": "595061536",
                     *           "product_name": "Lummette Lark 290 Family Game, 3-8 Players, Ivory",
                     *           "brand": "Lummette",
                     *           "categories": [
                     *             "Toys & Games",
                     *             "Games"
                     *           ],
                     *           "buybox_seller": "Stonebridge Goods",
                     *           "price": 51.99,
                     *           "price_change_1d": 0,
                     *           "price_change_7d": 16.86,
                     *           "price_change_30d": null,
                     *           "price_change_90d": 25.31,
                     *           "rank": 3,
                     *           "rank_change_1d": 200,
                     *           "rank_change_7d": 200,
                     *           "rank_change_30d": 200,
                     *           "rank_change_90d": 50,
                     *           "sellers": 1,
                     *           "stock": 123,
                     *           "rating": 3.7,
                     *           "reviews": 3161,
                     *           "units_per_day": 107.73,
                     *           "out_of_stock_30d": 40,
                     *           "out_of_stock_90d": 13.33,
                     *           "lowest_in_days": 5,
                     *           "observed_90d": 100,
                     *           "last_updated": "2026-11-16T08:35:30.000Z"
                     *         },
                     *         {
                     *           "retailer_product_code": "548660995",
                     *           "product_name": "Stelllund Alder 195 Panorama Puzzle, 500 Pieces, Matte Black",
                     *           "brand": "Stelllund",
                     *           "categories": [
                     *             "Toys & Games",
                     *             "Games"
                     *           ],
                     *           "buybox_seller": "Quickstep House",
                     *           "price": 27.49,
                     *           "price_change_1d": 0,
                     *           "price_change_7d": 0,
                     *           "price_change_30d": 0,
                     *           "price_change_90d": 0,
                     *           "rank": 2,
                     *           "rank_change_1d": 0,
                     *           "rank_change_7d": 0,
                     *           "rank_change_30d": 0,
                     *           "rank_change_90d": -33.33,
                     *           "sellers": 3,
                     *           "stock": 764,
                     *           "rating": 4.8,
                     *           "reviews": 12319,
                     *           "units_per_day": 80.9,
                     *           "out_of_stock_30d": 0,
                     *           "out_of_stock_90d": 0,
                     *           "lowest_in_days": 113,
                     *           "observed_90d": 100,
                     *           "last_updated": "2026-11-16T08:35:30.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FinderPage"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getOffers": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Offers of every seller of a product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "sellers": [
                     *         {
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "units_in_stock": 0,
                     *           "last_updated": "2026-12-05T02:05:15.000Z",
                     *           "price": 37.35,
                     *           "shipping": 0
                     *         },
                     *         {
                     *           "seller_name": "Greenlamp Wares",
                     *           "units_in_stock": 95,
                     *           "last_updated": "2026-12-05T02:01:58.000Z",
                     *           "price": 37.35,
                     *           "shipping": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOffers"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getUnitsInStock": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Units in stock by seller */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "sellers": [
                     *         {
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "units_in_stock": 0,
                     *           "last_updated": "2026-12-05T07:05:15.000Z",
                     *           "price": 37.23,
                     *           "shipping": 0
                     *         },
                     *         {
                     *           "seller_name": "Greenlamp Wares",
                     *           "units_in_stock": 70,
                     *           "last_updated": "2026-12-05T07:01:58.000Z",
                     *           "price": 37.3,
                     *           "shipping": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOffers"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getFees": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description marketplace, fulfilled or first_party */
                seller_type?: "marketplace" | "fulfilled" | "first_party";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Fees for selling a product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "referral_fee": 5.62,
                     *       "closing_fee": 0,
                     *       "shipping_fee": 0,
                     *       "total_fees": 5.62,
                     *       "category": "Kitchen",
                     *       "unsettled": false,
                     *       "promotion": null,
                     *       "last_updated": "2026-12-05T10:52:20.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProductFees"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getPriceHistory": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description a time such as 2026-11-14T12:00:00Z: start of the range, inclusive */
                from?: string;
                /** @description a time such as 2026-11-14T12:00:00Z: end of the range, exclusive */
                to?: string;
                /** @description true or false; true returns only points whose price differs from the previous one */
                changes_only?: boolean;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Buybox price history of a product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "priceHistory": [
                     *         {
                     *           "date": "2023-11-17T17:43:27.000Z",
                     *           "price": 37.1
                     *         },
                     *         {
                     *           "date": "2023-11-18T17:43:27.000Z",
                     *           "price": 37.39
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PriceHistory"] | components["schemas"]["CreditCost"];
                    /**
                     * @example date,price
                     *     2023-11-17T17:43:27.000Z,37.1
                     *     2023-11-18T17:43:27.000Z,37.39
                     */
                    "text/csv": string;
                    /**
                     * @example {"date":"2023-11-17T17:43:27.000Z","price":37.1}
                     *     {"date":"2023-11-18T17:43:27.000Z","price":37.39}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getBuyboxHistory": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description a time such as 2026-11-14T12:00:00Z: start of the range, inclusive */
                from?: string;
                /** @description a time such as 2026-11-14T12:00:00Z: end of the range, exclusive */
                to?: string;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who held the buybox, and the share of each seller */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "from": "2026-11-10T00:00:00.000Z",
                     *       "to": "2026-11-16T08:10:45.000Z",
                     *       "intervals": [
                     *         {
                     *           "from": "2026-11-10T00:00:00.000Z",
                     *           "to": "2026-11-11T08:09:22.000Z",
                     *           "state": "held",
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "first_price": 37.47,
                     *           "last_price": 33.75,
                     *           "min_price": 33.75,
                     *           "max_price": 37.47,
                     *           "average_price": 34.69
                     *         },
                     *         {
                     *           "from": "2026-11-11T08:09:22.000Z",
                     *           "to": "2026-11-13T08:09:22.000Z",
                     *           "state": "held",
                     *           "seller_name": "Maplewood Exchange",
                     *           "first_price": 33.99,
                     *           "last_price": 33.99,
                     *           "min_price": 33.99,
                     *           "max_price": 33.99,
                     *           "average_price": 33.99
                     *         }
                     *       ],
                     *       "days": [
                     *         {
                     *           "date": "2026-11-10",
                     *           "observed_share": 1,
                     *           "suppressed_share": 0,
                     *           "average_price": 35.01,
                     *           "sellers": [
                     *             {
                     *               "seller_name": "Birchbark Direct Sales",
                     *               "share": 1
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "date": "2026-11-11",
                     *           "observed_share": 1,
                     *           "suppressed_share": 0,
                     *           "average_price": 33.91,
                     *           "sellers": [
                     *             {
                     *               "seller_name": "Maplewood Exchange",
                     *               "share": 0.660162
                     *             },
                     *             {
                     *               "seller_name": "Birchbark Direct Sales",
                     *               "share": 0.339838
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "sellers": [
                     *         {
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "seconds": 374962,
                     *           "share": 0.684431,
                     *           "average_price": 33.91
                     *         },
                     *         {
                     *           "seller_name": "Maplewood Exchange",
                     *           "seconds": 172883,
                     *           "share": 0.315569,
                     *           "average_price": 33.99
                     *         }
                     *       ],
                     *       "average_price": 33.94,
                     *       "observed_seconds": 547845,
                     *       "observed_share": 1,
                     *       "suppressed_seconds": 0,
                     *       "suppressed_share": 0
                     *     }
                     */
                    "application/json": components["schemas"]["BuyboxHistory"] | components["schemas"]["CreditCost"];
                    /**
                     * @example from,to,state,seller_name,first_price,last_price,min_price,max_price,average_price
                     *     2026-11-10T00:00:00.000Z,2026-11-11T08:09:22.000Z,held,Birchbark Direct Sales,37.47,33.75,33.75,37.47,34.69
                     *     2026-11-11T08:09:22.000Z,2026-11-13T08:09:22.000Z,held,Maplewood Exchange,33.99,33.99,33.99,33.99,33.99
                     */
                    "text/csv": string;
                    /**
                     * @example {"from":"2026-11-10T00:00:00.000Z","to":"2026-11-11T08:09:22.000Z","state":"held","seller_name":"Birchbark Direct Sales","first_price":37.47,"last_price":33.75,"min_price":33.75,"max_price":37.47,"average_price":34.69}
                     *     {"from":"2026-11-11T08:09:22.000Z","to":"2026-11-13T08:09:22.000Z","state":"held","seller_name":"Maplewood Exchange","first_price":33.99,"last_price":33.99,"min_price":33.99,"max_price":33.99,"average_price":33.99}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getStatistics": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description 1 to 8 lengths of windows from 1 to 1095 days, separated by commas; 30,90,365 if absent */
                days?: string;
                /** @description true or false; true adds how many observations led to each number, and how */
                explain?: boolean;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Statistics of price, rank and stock */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "current": {
                     *         "price": 33.99,
                     *         "price_observed_at": "2026-11-16T08:21:33.000Z",
                     *         "lowest_since": "2026-11-16T08:21:33.000Z",
                     *         "rank": 2,
                     *         "rank_observed_at": "2026-11-16T08:21:33.000Z",
                     *         "in_stock": true,
                     *         "stock_observed_at": "2026-11-16T08:21:33.000Z"
                     *       },
                     *       "windows": [
                     *         {
                     *           "days": 30,
                     *           "from": "2026-10-17T08:25:30.000Z",
                     *           "to": "2026-11-16T08:25:30.000Z",
                     *           "price": {
                     *             "average": 36.45,
                     *             "typical": 36.98,
                     *             "min": {
                     *               "price": 33.41,
                     *               "at": "2026-11-13T08:21:33.000Z"
                     *             },
                     *             "max": {
                     *               "price": 37.99,
                     *               "at": "2026-11-05T08:21:33.000Z"
                     *             },
                     *             "increases": 17,
                     *             "decreases": 9,
                     *             "suppressed_share": 0,
                     *             "observed_share": 1
                     *           },
                     *           "rank": {
                     *             "average": 1,
                     *             "best": {
                     *               "position": 1,
                     *               "at": "2026-10-25T08:21:33.000Z"
                     *             },
                     *             "worst": {
                     *               "position": 2,
                     *               "at": "2026-10-17T08:25:30.000Z"
                     *             },
                     *             "observed_share": 1
                     *           },
                     *           "stock": {
                     *             "out_of_stock_share": 0,
                     *             "times_out_of_stock": 0,
                     *             "observed_share": 1
                     *           }
                     *         },
                     *         {
                     *           "days": 90,
                     *           "from": "2026-08-18T08:25:30.000Z",
                     *           "to": "2026-11-16T08:25:30.000Z",
                     *           "price": {
                     *             "average": 36.42,
                     *             "typical": 36.76,
                     *             "min": {
                     *               "price": 33.41,
                     *               "at": "2026-09-24T08:21:33.000Z"
                     *             },
                     *             "max": {
                     *               "price": 37.99,
                     *               "at": "2026-10-01T08:21:33.000Z"
                     *             },
                     *             "increases": 50,
                     *             "decreases": 28,
                     *             "suppressed_share": 0.0333,
                     *             "observed_share": 1
                     *           },
                     *           "rank": {
                     *             "average": 2,
                     *             "best": {
                     *               "position": 1,
                     *               "at": "2026-09-22T08:21:33.000Z"
                     *             },
                     *             "worst": {
                     *               "position": 2,
                     *               "at": "2026-08-18T08:25:30.000Z"
                     *             },
                     *             "observed_share": 1
                     *           },
                     *           "stock": {
                     *             "out_of_stock_share": 0,
                     *             "times_out_of_stock": 0,
                     *             "observed_share": 1
                     *           }
                     *         }
                     *       ],
                     *       "explanation": {
                     *         "method": "Each value holds from its observation to the next. Averages and medians weigh it by that time; time without an observation does not count.",
                     *         "version": 1,
                     *         "holds_seconds": 172800,
                     *         "last_lower_price": {
                     *           "price": 33.75,
                     *           "at": "2026-11-15T08:21:33.000Z"
                     *         },
                     *         "windows": [
                     *           {
                     *             "days": 30,
                     *             "price": {
                     *               "observations": 30,
                     *               "first_at": "2026-10-17T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 2592000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             },
                     *             "rank": {
                     *               "observations": 30,
                     *               "first_at": "2026-10-17T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 2592000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             },
                     *             "stock": {
                     *               "observations": 30,
                     *               "first_at": "2026-10-17T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 2592000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             }
                     *           },
                     *           {
                     *             "days": 90,
                     *             "price": {
                     *               "observations": 90,
                     *               "first_at": "2026-08-18T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 7776000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             },
                     *             "rank": {
                     *               "observations": 90,
                     *               "first_at": "2026-08-18T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 7776000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             },
                     *             "stock": {
                     *               "observations": 90,
                     *               "first_at": "2026-08-18T08:25:30.000Z",
                     *               "last_at": "2026-11-16T08:21:33.000Z",
                     *               "observed_seconds": 7776000,
                     *               "gaps": 0,
                     *               "longest_gap_seconds": 0
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProductStatistics"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getOfferHistory": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description a time such as 2026-11-14T12:00:00Z: start of the range, inclusive */
                from?: string;
                /** @description a time such as 2026-11-14T12:00:00Z: end of the range, exclusive */
                to?: string;
                /** @description true or false; true returns only points that differ from the previous one of the seller */
                changes_only?: boolean;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Price, shipping and stock of every seller over time */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "from": "2026-08-18T08:28:31.000Z",
                     *       "to": "2026-11-16T08:28:31.000Z",
                     *       "offers": [
                     *         {
                     *           "date": "2026-08-19T08:09:22.000Z",
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "state": "listed",
                     *           "price": 36.48,
                     *           "shipping": 0,
                     *           "units_in_stock": 745
                     *         },
                     *         {
                     *           "date": "2026-08-19T08:09:22.000Z",
                     *           "seller_name": "Greenlamp Wares",
                     *           "state": "listed",
                     *           "price": 36.26,
                     *           "shipping": 0,
                     *           "units_in_stock": 90
                     *         }
                     *       ],
                     *       "sellers": [
                     *         {
                     *           "seller_name": "Birchbark Direct Sales",
                     *           "first_seen": "2026-08-19T08:09:22.000Z",
                     *           "last_seen": "2026-11-16T08:09:22.000Z",
                     *           "observations": 85,
                     *           "state": "listed"
                     *         },
                     *         {
                     *           "seller_name": "Greenlamp Wares",
                     *           "first_seen": "2026-08-19T08:09:22.000Z",
                     *           "last_seen": "2026-11-16T08:09:22.000Z",
                     *           "observations": 90,
                     *           "state": "listed"
                     *         }
                     *       ],
                     *       "observed_share": 1
                     *     }
                     */
                    "application/json": components["schemas"]["OfferHistory"] | components["schemas"]["CreditCost"];
                    /**
                     * @example date,seller_name,state,price,shipping,units_in_stock
                     *     2026-08-19T08:09:22.000Z,Birchbark Direct Sales,listed,36.48,0,745
                     *     2026-08-19T08:09:22.000Z,Greenlamp Wares,listed,36.26,0,90
                     */
                    "text/csv": string;
                    /**
                     * @example {"date":"2026-08-19T08:09:22.000Z","seller_name":"Birchbark Direct Sales","state":"listed","price":36.48,"shipping":0,"units_in_stock":745}
                     *     {"date":"2026-08-19T08:09:22.000Z","seller_name":"Greenlamp Wares","state":"listed","price":36.26,"shipping":0,"units_in_stock":90}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getChartSvg": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description one of 1d, 1w, 1m, 3m, 1y, 3y, all: how far back from now; 3m by default; or send from and to */
                range?: "1d" | "1w" | "1m" | "3m" | "1y" | "3y" | "all";
                /** @description a time such as 2026-11-14T12:00:00Z: start of the chart; not together with range */
                from?: string;
                /** @description a time such as 2026-11-14T12:00:00Z: end of the chart; not later than now */
                to?: string;
                /** @description a whole number from 320 to 1600; 800 by default */
                width?: number;
                /** @description a whole number from 240 to 1000; 420 by default */
                height?: number;
                /** @description light or dark; light by default */
                theme?: "light" | "dark";
                /** @description some of price, rank, stock, events, separated by commas; all of them by default */
                series?: string;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Chart of a product’s history as SVG */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <svg xmlns="http://www.w3.org/2000/svg">…</svg> */
                    "image/svg+xml": string;
                    /**
                     * @example {
                     *       "credit_cost": 15
                     *     }
                     */
                    "application/json": components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getChartPng": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description one of 1d, 1w, 1m, 3m, 1y, 3y, all: how far back from now; 3m by default; or send from and to */
                range?: "1d" | "1w" | "1m" | "3m" | "1y" | "3y" | "all";
                /** @description a time such as 2026-11-14T12:00:00Z: start of the chart; not together with range */
                from?: string;
                /** @description a time such as 2026-11-14T12:00:00Z: end of the chart; not later than now */
                to?: string;
                /** @description a whole number from 320 to 1600; 800 by default */
                width?: number;
                /** @description a whole number from 240 to 1000; 420 by default */
                height?: number;
                /** @description light or dark; light by default */
                theme?: "light" | "dark";
                /** @description some of price, rank, stock, events, separated by commas; all of them by default */
                series?: string;
                /** @description 1, 1.5, 2, 2.5 or 3: pixels for each unit of width and height; 1.5 by default */
                scale?: number;
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Chart of a product’s history as PNG */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example PNG… */
                    "image/png": string;
                    /**
                     * @example {
                     *       "credit_cost": 15
                     *     }
                     */
                    "application/json": components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.createChartLink": {
        parameters: {
            query?: {
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "retailer_product_code": "527182818",
                 *       "range": "3m",
                 *       "expires_in_days": 30
                 *     }
                 */
                "application/json": components["schemas"]["ChartLinkRequest"];
            };
        };
        responses: {
            /** @description Create a link to a chart */
            201: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://oversight.example/charts/EFfnWhK4CHg-6awPeZs9VD7IHiBQrS_2YrBo-0RZ.png",
                     *       "as_of": "2026-11-16T08:45:51.000Z",
                     *       "expires_at": "2026-12-16T08:45:51.944Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ChartLink"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getBatch": {
        parameters: {
            query?: {
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "codes": [
                 *         "527182818",
                 *         "4"
                 *       ],
                 *       "include": [
                 *         "details",
                 *         "fees"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProductBatch"];
            };
        };
        responses: {
            /** @description Many products at once */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "requested": {
                     *             "retailer_product_code": "527182818"
                     *           },
                     *           "status": 200,
                     *           "credits": 4,
                     *           "details": {
                     *             "upc": "819704012345",
                     *             "ean": "0819704012345",
                     *             "retailer_product_code": "527182818",
                     *             "brand": "Lummand",
                     *             "product_name": "Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate",
                     *             "categories": [
                     *               "Home & Garden",
                     *               "Kitchen"
                     *             ],
                     *             "buybox_price": 33.99,
                     *             "customer_rating": 4.4,
                     *             "number_of_reviews": 4347,
                     *             "last_updated": "2026-11-16T08:57:02.000Z"
                     *           },
                     *           "fees": {
                     *             "retailer_product_code": "527182818",
                     *             "referral_fee": 5.1,
                     *             "closing_fee": 0,
                     *             "shipping_fee": 0,
                     *             "total_fees": 5.1,
                     *             "category": "Kitchen",
                     *             "unsettled": false,
                     *             "promotion": null,
                     *             "last_updated": "2026-11-16T08:57:02.000Z"
                     *           }
                     *         },
                     *         {
                     *           "requested": {
                     *             "retailer_product_code": "4"
                     *           },
                     *           "credits": 0,
                     *           "status": 404,
                     *           "error": {
                     *             "error": 404,
                     *             "message": "There is no product with the code 4.",
                     *             "code": "product_not_found",
                     *             "field": "retailer_product_code",
                     *             "doc_url": "/docs/errors#product_not_found"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProductBatchResults"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.calculateProfit": {
        parameters: {
            query?: {
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "retailer_product_code": "527182818",
                 *           "cost": 18.5,
                 *           "shipping": 3.2,
                 *           "price": 34.99
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProfitRequest"];
            };
        };
        responses: {
            /** @description Profit of selling products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": 200,
                     *           "credits": 3,
                     *           "retailer_product_code": "527182818",
                     *           "break_even_price": 25.53,
                     *           "at_buybox": {
                     *             "price": 33.99,
                     *             "referral_fee": 5.1,
                     *             "closing_fee": 0,
                     *             "shipping_fee": 0,
                     *             "total_fees": 5.1,
                     *             "proceeds": 28.89,
                     *             "profit": 7.19,
                     *             "margin": 0.2115,
                     *             "roi": 0.3313
                     *           },
                     *           "at_price": {
                     *             "price": 34.99,
                     *             "referral_fee": 5.25,
                     *             "closing_fee": 0,
                     *             "shipping_fee": 0,
                     *             "total_fees": 5.25,
                     *             "proceeds": 29.74,
                     *             "profit": 8.04,
                     *             "margin": 0.2298,
                     *             "roi": 0.3705
                     *           },
                     *           "at_typical": {
                     *             "price": 36.76,
                     *             "referral_fee": 5.51,
                     *             "closing_fee": 0,
                     *             "shipping_fee": 0,
                     *             "total_fees": 5.51,
                     *             "proceeds": 31.25,
                     *             "profit": 9.55,
                     *             "margin": 0.2598,
                     *             "roi": 0.4401
                     *           },
                     *           "category": "Kitchen",
                     *           "unsettled": false,
                     *           "last_updated": "2026-11-16T09:19:18.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProfitResults"] | components["schemas"]["CreditCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "products.getUnitsSoldHistory": {
        parameters: {
            query: {
                /** @description 1 to 20 digits */
                retailer_product_code: string;
                /** @description 1month, 6months, 1year, 3years, alltime */
                time_period: "1month" | "6months" | "1year" | "3years" | "alltime";
                /** @description true or false; true adds observations, sellers and readings to each day, in JSON only */
                explain?: boolean;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
                /** @description true or false; true returns only {"credit_cost"} and costs nothing */
                dry_run?: components["parameters"]["DryRun"];
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Estimated units sold per day */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retailer_product_code": "527182818",
                     *       "time_period": "1month",
                     *       "credit_cost": 5,
                     *       "sales_history": [
                     *         {
                     *           "date": "2026-11-06",
                     *           "units_sold": 124,
                     *           "method": "inferred",
                     *           "confidence": 0.82,
                     *           "low": 97,
                     *           "high": 151
                     *         },
                     *         {
                     *           "date": "2026-11-07",
                     *           "units_sold": 128,
                     *           "method": "inferred",
                     *           "confidence": 0.8,
                     *           "low": 96,
                     *           "high": 160
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UnitsSoldHistory"] | components["schemas"]["CreditCost"];
                    /**
                     * @example date,units_sold,method,confidence,low,high
                     *     2026-11-06,124,inferred,0.82,97,151
                     *     2026-11-07,128,inferred,0.8,96,160
                     */
                    "text/csv": string;
                    /**
                     * @example {"date":"2026-11-06","units_sold":124,"method":"inferred","confidence":0.82,"low":97,"high":151}
                     *     {"date":"2026-11-07","units_sold":128,"method":"inferred","confidence":0.8,"low":96,"high":160}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.list": {
        parameters: {
            query?: {
                /** @description 1 to 10 tags separated by commas; returns products that have all of them */
                tags?: string;
                /** @description a JSON object; returns products whose metadata has all its members */
                metadata?: string;
                /** @description a whole number from 1 to 1000 */
                limit?: number;
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List tracked products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01a1e1a2-9b31-7011-a04d-d5afe1e90491",
                     *         "retailer_product_code": "573583359",
                     *         "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *         "created_at": "2026-12-25T17:28:34.986Z",
                     *         "tier": 0,
                     *         "status": "active",
                     *         "seller_name": null,
                     *         "rules": {
                     *           "rank": {
                     *             "places": 1,
                     *             "percent": 1
                     *           }
                     *         },
                     *         "tags": [],
                     *         "metadata": null,
                     *         "ends_at": null
                     *       },
                     *       {
                     *         "id": "01a1e1a2-9459-7015-b07f-7ccee62c4815",
                     *         "retailer_product_code": "511779960",
                     *         "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *         "created_at": "2026-12-25T10:28:06.186Z",
                     *         "tier": 0,
                     *         "status": "active",
                     *         "seller_name": null,
                     *         "rules": {
                     *           "rank": {
                     *             "places": 1,
                     *             "percent": 1
                     *           }
                     *         },
                     *         "tags": [],
                     *         "metadata": null,
                     *         "ends_at": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TrackedProduct"][];
                    /**
                     * @example id,retailer_product_code,user_id,created_at,tier,status,seller_name,rules,tags,metadata,ends_at,delisted_at
                     *     01a1e1a2-9b31-7011-a04d-d5afe1e90491,573583359,01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4,2026-12-25T17:28:34.986Z,0,active,,"{""rank"":{""places"":1,""percent"":1}}",[],,,
                     *     01a1e1a2-9459-7015-b07f-7ccee62c4815,511779960,01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4,2026-12-25T10:28:06.186Z,0,active,,"{""rank"":{""places"":1,""percent"":1}}",[],,,
                     */
                    "text/csv": string;
                    /**
                     * @example {"id":"01a1e1a2-9b31-7011-a04d-d5afe1e90491","retailer_product_code":"573583359","user_id":"01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4","created_at":"2026-12-25T17:28:34.986Z","tier":0,"status":"active","seller_name":null,"rules":{"rank":{"places":1,"percent":1}},"tags":[],"metadata":null,"ends_at":null}
                     *     {"id":"01a1e1a2-9459-7015-b07f-7ccee62c4815","retailer_product_code":"511779960","user_id":"01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4","created_at":"2026-12-25T10:28:06.186Z","tier":0,"status":"active","seller_name":null,"rules":{"rank":{"places":1,"percent":1}},"tags":[],"metadata":null,"ends_at":null}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "retailer_product_code": "527182818",
                 *       "tier": 0
                 *     }
                 */
                "application/json": components["schemas"]["NewTrackedProduct"];
            };
        };
        responses: {
            /** @description Track a product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *       "retailer_product_code": "527182818",
                     *       "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *       "created_at": "2026-12-06T21:40:49.386Z",
                     *       "tier": 0,
                     *       "status": "active",
                     *       "seller_name": null,
                     *       "rules": null,
                     *       "tags": [],
                     *       "metadata": null,
                     *       "ends_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedProduct"];
                };
            };
            /** @description Track a product */
            201: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *       "retailer_product_code": "527182818",
                     *       "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *       "created_at": "2026-12-06T21:40:49.386Z",
                     *       "tier": 0,
                     *       "status": "active",
                     *       "seller_name": null,
                     *       "rules": null,
                     *       "tags": [],
                     *       "metadata": null,
                     *       "ends_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedProduct"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.get": {
        parameters: {
            query?: {
                /** @description a whole number of days from 1 to 365: the length of the sellers’ price history at tier 0 */
                history_days?: number;
            };
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a tracked product with its data */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *       "retailer_product_code": "527182818",
                     *       "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *       "created_at": "2026-12-06T21:40:49.386Z",
                     *       "tier": 0,
                     *       "status": "active",
                     *       "seller_name": null,
                     *       "rules": null,
                     *       "tags": [],
                     *       "metadata": null,
                     *       "ends_at": null,
                     *       "tracking_data": {
                     *         "current_price": 34.36,
                     *         "units_in_stock": 1188,
                     *         "last_updated": "2026-12-26T05:31:13.000Z",
                     *         "sellers": [
                     *           {
                     *             "seller_name": "Birchbark Direct Sales",
                     *             "price": 34.36,
                     *             "units_in_stock": 323,
                     *             "last_updated": "2026-12-26T05:31:13.000Z",
                     *             "price_history": [
                     *               {
                     *                 "date": "2026-12-06T19:56:54.000Z",
                     *                 "price": 36.98
                     *               },
                     *               {
                     *                 "date": "2026-12-06T23:51:08.000Z",
                     *                 "price": 36.98
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "seller_name": "Greenlamp Wares",
                     *             "price": 35.32,
                     *             "units_in_stock": 157,
                     *             "last_updated": "2026-12-26T05:31:13.000Z",
                     *             "price_history": [
                     *               {
                     *                 "date": "2026-12-06T19:56:54.000Z",
                     *                 "price": 37.26
                     *               },
                     *               {
                     *                 "date": "2026-12-06T23:51:08.000Z",
                     *                 "price": 37.48
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "collection": {
                     *         "last_collected_at": "2026-12-26T05:36:44.586Z",
                     *         "next_due_at": "2026-12-26T05:51:57.000Z",
                     *         "consecutive_failures": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedProductDetails"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stop tracking a product */
            204: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": {
                 *         "price": {
                 *           "percent": 2,
                 *           "usd": 0.1
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TrackedProductUpdate"];
            };
        };
        responses: {
            /** @description Change a tracked product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *       "retailer_product_code": "527182818",
                     *       "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *       "created_at": "2026-12-06T21:40:49.386Z",
                     *       "tier": 0,
                     *       "status": "active",
                     *       "seller_name": null,
                     *       "rules": {
                     *         "price": {
                     *           "percent": 2,
                     *           "usd": 0.1
                     *         }
                     *       },
                     *       "tags": [],
                     *       "metadata": null,
                     *       "ends_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedProduct"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.bulkCreate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "retailer_product_code": "527182818",
                 *           "tier": 0
                 *         },
                 *         {
                 *           "retailer_product_code": "123456"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkNewTrackedProducts"];
            };
        };
        responses: {
            /** @description Track many products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": 201,
                     *           "product": {
                     *             "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *             "retailer_product_code": "527182818",
                     *             "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *             "created_at": "2026-12-06T21:40:49.386Z",
                     *             "tier": 0,
                     *             "status": "active",
                     *             "seller_name": null,
                     *             "rules": null,
                     *             "tags": [],
                     *             "metadata": null,
                     *             "ends_at": null
                     *           }
                     *         },
                     *         {
                     *           "status": 404,
                     *           "error": {
                     *             "error": 404,
                     *             "message": "There is no product with the code 123456.",
                     *             "code": "product_not_found",
                     *             "field": "retailer_product_code",
                     *             "doc_url": "/docs/errors#product_not_found"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkTrackedProductResults"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.bulkUpdate": {
        parameters: {
            query?: never;
            header?: {
                /** @description a whole number of credits; a request that costs more is refused with 402 and not charged */
                "x-max-credits"?: components["parameters"]["MaxCredits"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "01a1e36b-b99f-703a-aa18-b409912f02ba",
                 *           "tier": 3
                 *         },
                 *         {
                 *           "retailer_product_code": "123456",
                 *           "tier": 3
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkTrackedProductUpdates"];
            };
        };
        responses: {
            /** @description Change many tracked products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": 200,
                     *           "product": {
                     *             "id": "01a1e36b-b99f-703a-aa18-b409912f02ba",
                     *             "retailer_product_code": "531415926",
                     *             "user_id": "01a1e1a0-9d5f-7044-8f4c-07ec0c826dc4",
                     *             "created_at": "2026-12-06T21:40:49.386Z",
                     *             "tier": 3,
                     *             "status": "active",
                     *             "seller_name": null,
                     *             "rules": null,
                     *             "tags": [],
                     *             "metadata": null,
                     *             "ends_at": null
                     *           }
                     *         },
                     *         {
                     *           "status": 404,
                     *           "error": {
                     *             "error": 404,
                     *             "message": "No tracked product has this id.",
                     *             "code": "tracked_product_not_found",
                     *             "doc_url": "/docs/errors#tracked_product_not_found"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkTrackedProductResults"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.bulkDelete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "01a1e36b-b99f-703a-aa18-b409912f02ba"
                 *         },
                 *         {
                 *           "retailer_product_code": "527182818"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkTrackedProductRemoval"];
            };
        };
        responses: {
            /** @description Stop tracking many products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": 204,
                     *           "id": "01a1e36b-b99f-703a-aa18-b409912f02ba",
                     *           "retailer_product_code": "531415926"
                     *         },
                     *         {
                     *           "status": 204,
                     *           "id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *           "retailer_product_code": "527182818"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkRemovalResults"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "rules.list": {
        parameters: {
            query?: {
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the rules for many products, oldest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01a1e37c-34b8-700d-8bdf-e2ec1b4fe18d",
                     *         "name": "Cheap",
                     *         "tags": [
                     *           "clearance"
                     *         ],
                     *         "rules": null,
                     *         "condition": "price < 20 && stock > 0",
                     *         "created_at": "2026-11-16T08:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountRule"][];
                    /**
                     * @example id,name,tags,rules,condition,created_at
                     *     01a1e37c-34b8-700d-8bdf-e2ec1b4fe18d,Cheap,"[""clearance""]",,price < 20 && stock > 0,2026-11-16T08:30:00.000Z
                     */
                    "text/csv": string;
                    /** @example {"id":"01a1e37c-34b8-700d-8bdf-e2ec1b4fe18d","name":"Cheap","tags":["clearance"],"rules":null,"condition":"price < 20 && stock > 0","created_at":"2026-11-16T08:30:00.000Z"} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "rules.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cheap",
                 *       "tags": [
                 *         "clearance"
                 *       ],
                 *       "condition": "price < 20 && stock > 0"
                 *     }
                 */
                "application/json": components["schemas"]["NewAccountRule"];
            };
        };
        responses: {
            /** @description Add a rule for many products */
            201: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e37c-34b8-700d-8bdf-e2ec1b4fe18d",
                     *       "name": "Cheap",
                     *       "tags": [
                     *         "clearance"
                     *       ],
                     *       "rules": null,
                     *       "condition": "price < 20 && stock > 0",
                     *       "created_at": "2026-11-16T08:30:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SavedAccountRule"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "rules.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a rule for many products */
            204: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "rules.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": null
                 *     }
                 */
                "application/json": components["schemas"]["AccountRuleUpdate"];
            };
        };
        responses: {
            /** @description Change a rule for many products */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e37c-34b8-700d-8bdf-e2ec1b4fe18d",
                     *       "name": "Cheap",
                     *       "tags": null,
                     *       "rules": null,
                     *       "condition": "price < 20 && stock > 0",
                     *       "created_at": "2026-11-16T08:30:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SavedAccountRule"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "trackedProducts.backtest": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": {
                 *         "price": {
                 *           "percent": 2,
                 *           "usd": 0.1
                 *         }
                 *       },
                 *       "days": 30
                 *     }
                 */
                "application/json": components["schemas"]["BacktestRequest"];
            };
        };
        responses: {
            /** @description Count the events that rules would have fired */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-27T02:21:37.386Z",
                     *       "to": "2026-12-27T02:21:37.386Z",
                     *       "counts": {
                     *         "buybox.won": 0,
                     *         "buybox.lost": 0,
                     *         "buybox.rotation": 25,
                     *         "price.drop": 1,
                     *         "price.increase": 1,
                     *         "price.suppressed": 0,
                     *         "price.restored": 0,
                     *         "seller.new": 0,
                     *         "seller.removed": 0,
                     *         "seller.price_change": 27,
                     *         "stock.low": 1,
                     *         "stock.out": 0,
                     *         "stock.restored": 0,
                     *         "rank.gained": 0,
                     *         "rank.lost": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BacktestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhooks, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01a1e1a2-9e29-7061-a75a-204cebc227e1",
                     *         "name": "Repricer",
                     *         "method": "POST",
                     *         "url": "https://example.com/oversight",
                     *         "events": [
                     *           "*"
                     *         ],
                     *         "tags": null,
                     *         "quiet_hours": null,
                     *         "digest": null,
                     *         "success_status": "200_201",
                     *         "status": "Active",
                     *         "paused_reason": null,
                     *         "paused_cause": null,
                     *         "created_at": "2026-12-25T20:30:58.986Z",
                     *         "last_delivery_at": "2026-12-27T05:29:03.786Z",
                     *         "success_rate": 100
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Webhook"][];
                    /**
                     * @example id,name,method,url,events,tags,quiet_hours,digest,success_status,status,paused_reason,paused_cause,created_at,last_delivery_at,success_rate
                     *     01a1e1a2-9e29-7061-a75a-204cebc227e1,Repricer,POST,https://example.com/oversight,"[""*""]",,,,200_201,Active,,,2026-12-25T20:30:58.986Z,2026-12-27T05:29:03.786Z,100
                     */
                    "text/csv": string;
                    /** @example {"id":"01a1e1a2-9e29-7061-a75a-204cebc227e1","name":"Repricer","method":"POST","url":"https://example.com/oversight","events":["*"],"tags":null,"quiet_hours":null,"digest":null,"success_status":"200_201","status":"Active","paused_reason":null,"paused_cause":null,"created_at":"2026-12-25T20:30:58.986Z","last_delivery_at":"2026-12-27T05:29:03.786Z","success_rate":100} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Repricer",
                 *       "url": "https://example.com/oversight",
                 *       "events": [
                 *         "*"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Register a webhook */
            201: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a2-9e29-7061-a75a-204cebc227e1",
                     *       "name": "Repricer",
                     *       "method": "POST",
                     *       "url": "https://example.com/oversight",
                     *       "events": [
                     *         "*"
                     *       ],
                     *       "tags": null,
                     *       "quiet_hours": null,
                     *       "digest": null,
                     *       "success_status": "200_201",
                     *       "status": "Active",
                     *       "paused_reason": null,
                     *       "paused_cause": null,
                     *       "created_at": "2026-12-25T20:30:58.986Z",
                     *       "last_delivery_at": null,
                     *       "success_rate": null,
                     *       "secret": "whsec_ZXhhbXBsZWV4YW1wbGVleGFtcGxlZXhhbXBsZWV4YW0="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a webhook */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a2-9e29-7061-a75a-204cebc227e1",
                     *       "name": "Repricer",
                     *       "method": "POST",
                     *       "url": "https://example.com/oversight",
                     *       "events": [
                     *         "*"
                     *       ],
                     *       "tags": null,
                     *       "quiet_hours": null,
                     *       "digest": null,
                     *       "success_status": "200_201",
                     *       "status": "Active",
                     *       "paused_reason": null,
                     *       "paused_cause": null,
                     *       "created_at": "2026-12-25T20:30:58.986Z",
                     *       "last_delivery_at": "2026-12-27T05:29:03.786Z",
                     *       "success_rate": 100
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a webhook */
            204: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "Paused"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description Change, pause or resume a webhook */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a2-9e29-7061-a75a-204cebc227e1",
                     *       "name": "Repricer",
                     *       "method": "POST",
                     *       "url": "https://example.com/oversight",
                     *       "events": [
                     *         "*"
                     *       ],
                     *       "tags": null,
                     *       "quiet_hours": null,
                     *       "digest": null,
                     *       "success_status": "200_201",
                     *       "status": "Paused",
                     *       "paused_reason": null,
                     *       "paused_cause": null,
                     *       "created_at": "2026-12-25T20:30:58.986Z",
                     *       "last_delivery_at": "2026-12-27T21:38:25.386Z",
                     *       "success_rate": 100
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate the secret */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01a1e1a2-9e29-7061-a75a-204cebc227e1",
                     *       "secret": "whsec_ZXhhbXBsZWV4YW1wbGVleGFtcGxlZXhhbXBsZWV4YW0="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.listDeliveries": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description one of buybox.won, buybox.lost, buybox.rotation, price.drop, price.increase, price.suppressed, price.restored, seller.new, seller.removed, seller.price_change, stock.low, stock.out, stock.restored, rank.gained, rank.lost, rule.matched, events.digest, webhook.test */
                event?: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched" | "events.digest" | "webhook.test";
                /** @description success, failed, pending */
                outcome?: "success" | "failed" | "pending";
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the attempts of the last 30 days, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01a1e1a2-c93d-708b-842b-81e50dd4f054",
                     *         "delivery_id": "9b773d48-cb1c-86e2-89b8-fddf4a24ed87",
                     *         "event_id": "01ce5777-f8da-8761-b7d3-b30bce87cdad",
                     *         "timestamp": "2026-12-27T15:51:37.386Z",
                     *         "endpoint": "https://example.com/oversight",
                     *         "event": "seller.price_change",
                     *         "status": null,
                     *         "outcome": "pending",
                     *         "duration_ms": null,
                     *         "payload_bytes": 1102,
                     *         "attempt": 1,
                     *         "reason": null
                     *       },
                     *       {
                     *         "id": "01a1e1a2-c93d-708a-ae74-69b78a7a620e",
                     *         "delivery_id": "7ed9c873-f8f8-81ef-aeea-4ce211f19c23",
                     *         "event_id": "008f7767-b8c1-8d04-a110-3d6cbf65243f",
                     *         "timestamp": "2026-12-27T15:51:37.386Z",
                     *         "endpoint": "https://example.com/oversight",
                     *         "event": "buybox.rotation",
                     *         "status": null,
                     *         "outcome": "pending",
                     *         "duration_ms": null,
                     *         "payload_bytes": 1166,
                     *         "attempt": 1,
                     *         "reason": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeliveryAttempt"][];
                    /**
                     * @example id,delivery_id,event_id,timestamp,endpoint,event,status,outcome,duration_ms,payload_bytes,attempt,reason
                     *     01a1e1a2-c93d-708b-842b-81e50dd4f054,9b773d48-cb1c-86e2-89b8-fddf4a24ed87,01ce5777-f8da-8761-b7d3-b30bce87cdad,2026-12-27T15:51:37.386Z,https://example.com/oversight,seller.price_change,,pending,,1102,1,
                     *     01a1e1a2-c93d-708a-ae74-69b78a7a620e,7ed9c873-f8f8-81ef-aeea-4ce211f19c23,008f7767-b8c1-8d04-a110-3d6cbf65243f,2026-12-27T15:51:37.386Z,https://example.com/oversight,buybox.rotation,,pending,,1166,1,
                     */
                    "text/csv": string;
                    /**
                     * @example {"id":"01a1e1a2-c93d-708b-842b-81e50dd4f054","delivery_id":"9b773d48-cb1c-86e2-89b8-fddf4a24ed87","event_id":"01ce5777-f8da-8761-b7d3-b30bce87cdad","timestamp":"2026-12-27T15:51:37.386Z","endpoint":"https://example.com/oversight","event":"seller.price_change","status":null,"outcome":"pending","duration_ms":null,"payload_bytes":1102,"attempt":1,"reason":null}
                     *     {"id":"01a1e1a2-c93d-708a-ae74-69b78a7a620e","delivery_id":"7ed9c873-f8f8-81ef-aeea-4ce211f19c23","event_id":"008f7767-b8c1-8d04-a110-3d6cbf65243f","timestamp":"2026-12-27T15:51:37.386Z","endpoint":"https://example.com/oversight","event":"buybox.rotation","status":null,"outcome":"pending","duration_ms":null,"payload_bytes":1166,"attempt":1,"reason":null}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.sendTest": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event */
            202: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "01a1e1a2-a0f3-7022-9a4f-c88a31e22e22",
                     *       "event_id": "01a1e1a2-a0f3-7023-bd13-6472a2de9f56"
                     *     }
                     */
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["RecoverRequest"];
            };
        };
        responses: {
            /** @description Send missed events */
            202: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": 3278
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveredDeliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.retryDelivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a delivery */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retry a delivery now */
            202: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "01a1e1a2-a0f3-7022-9a4f-c88a31e22e22"
                     *     }
                     */
                    "application/json": components["schemas"]["RetriedDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description a cursor; events after it are omitted, as in the events_url of a digest */
                until?: string;
                /** @description true or false; true adds what led to each event, at no cost */
                explain?: boolean;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events of the last 30 days */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "001d4ac4-69eb-800c-b2bb-1ab3822a918b",
                     *         "type": "buybox.rotation",
                     *         "timestamp": "2026-12-07T07:57:22.986Z",
                     *         "data": {
                     *           "event_id": "001d4ac4-69eb-800c-b2bb-1ab3822a918b",
                     *           "oversight_product_id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                     *           "retailer_product_code": "527182818",
                     *           "product_name": "Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate",
                     *           "tier": 0,
                     *           "tags": [],
                     *           "metadata": null,
                     *           "before": {
                     *             "value": "Greenlamp Wares",
                     *             "observed_at": "2026-12-06T19:56:54.000Z"
                     *           },
                     *           "after": {
                     *             "value": "Maplewood Exchange",
                     *             "observed_at": "2026-12-07T07:57:22.000Z"
                     *           },
                     *           "rule": {
                     *             "name": "rotation",
                     *             "threshold": {
                     *               "count": 3
                     *             }
                     *           },
                     *           "reason": null,
                     *           "buybox": {
                     *             "price": 37.49,
                     *             "seller_name": "Maplewood Exchange"
                     *           },
                     *           "units_in_stock": 435,
                     *           "rank": {
                     *             "position": 1,
                     *             "category": "Kettles"
                     *           },
                     *           "offers": [
                     *             {
                     *               "seller_name": "Greenlamp Wares",
                     *               "price": 37.35,
                     *               "shipping": 0,
                     *               "units_in_stock": 128
                     *             },
                     *             {
                     *               "seller_name": "Birchbark Direct Sales",
                     *               "price": 37.48,
                     *               "shipping": 0,
                     *               "units_in_stock": 0
                     *             }
                     *           ]
                     *         },
                     *         "cursor": "WzE3OTY2NTIyNDYxODYsIjAwMWQ0YWM0LTY5ZWItODAwYy1iMmJiLTFhYjM4MjJhOTE4YiJd"
                     *       },
                     *       {
                     *         "id": "006de5a7-accf-80bd-8a53-6a3e6e8c6a29",
                     *         "type": "seller.price_change",
                     *         "timestamp": "2026-12-07T07:57:22.986Z",
                     *         "data": {
                     *           "event_id": "006de5a7-accf-80bd-8a53-6a3e6e8c6a29",
                     *           "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                     *           "retailer_product_code": "588986217",
                     *           "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                     *           "tier": 0,
                     *           "tags": [],
                     *           "metadata": null,
                     *           "before": {
                     *             "value": 55.92,
                     *             "observed_at": "2026-12-07T01:49:13.000Z"
                     *           },
                     *           "after": {
                     *             "value": 57.48,
                     *             "observed_at": "2026-12-07T07:57:22.000Z"
                     *           },
                     *           "rule": {
                     *             "name": "seller_price",
                     *             "threshold": {
                     *               "usd": 0.05,
                     *               "percent": 1
                     *             }
                     *           },
                     *           "reason": null,
                     *           "seller_name": "Copperleaf Provisions",
                     *           "buybox": {
                     *             "price": 57.49,
                     *             "seller_name": "Amberlane Depot"
                     *           },
                     *           "units_in_stock": 66,
                     *           "rank": {
                     *             "position": 1,
                     *             "category": "Coffee Makers"
                     *           },
                     *           "offers": [
                     *             {
                     *               "seller_name": "Fairwind Store",
                     *               "price": 56.15,
                     *               "shipping": 0,
                     *               "units_in_stock": 0
                     *             },
                     *             {
                     *               "seller_name": "Paperkite Supply",
                     *               "price": 57.03,
                     *               "shipping": 0,
                     *               "units_in_stock": 0
                     *             }
                     *           ]
                     *         },
                     *         "cursor": "WzE3OTY2NTIyNDYxODYsIjAwNmRlNWE3LWFjY2YtODBiZC04YTUzLTZhM2U2ZThjNmEyOSJd"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Event"][];
                    /**
                     * @example id,type,timestamp,data,cursor,explanation
                     *     001d4ac4-69eb-800c-b2bb-1ab3822a918b,buybox.rotation,2026-12-07T07:57:22.986Z,"{""event_id"":""001d4ac4-69eb-800c-b2bb-1ab3822a918b"",""oversight_product_id"":""01a1e1a0-e1fc-7069-b1e5-b5b41a8af569"",""retailer_product_code"":""527182818"",""product_name"":""Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate"",""tier"":0,""tags"":[],""metadata"":null,""before"":{""value"":""Greenlamp Wares"",""observed_at"":""2026-12-06T19:56:54.000Z""},""after"":{""value"":""Maplewood Exchange"",""observed_at"":""2026-12-07T07:57:22.000Z""},""rule"":{""name"":""rotation"",""threshold"":{""count"":3}},""reason"":null,""buybox"":{""price"":37.49,""seller_name"":""Maplewood Exchange""},""units_in_stock"":435,""rank"":{""position"":1,""category"":""Kettles""},""offers"":[{""seller_name"":""Greenlamp Wares"",""price"":37.35,""shipping"":0,""units_in_stock"":128},{""seller_name"":""Birchbark Direct Sales"",""price"":37.48,""shipping"":0,""units_in_stock"":0}]}",WzE3OTY2NTIyNDYxODYsIjAwMWQ0YWM0LTY5ZWItODAwYy1iMmJiLTFhYjM4MjJhOTE4YiJd,
                     *     006de5a7-accf-80bd-8a53-6a3e6e8c6a29,seller.price_change,2026-12-07T07:57:22.986Z,"{""event_id"":""006de5a7-accf-80bd-8a53-6a3e6e8c6a29"",""oversight_product_id"":""01a1e1a0-e907-7054-bc7a-424ddde63354"",""retailer_product_code"":""588986217"",""product_name"":""Brambison Grove 400 French Press, 8-Cup, Matte Black"",""tier"":0,""tags"":[],""metadata"":null,""before"":{""value"":55.92,""observed_at"":""2026-12-07T01:49:13.000Z""},""after"":{""value"":57.48,""observed_at"":""2026-12-07T07:57:22.000Z""},""rule"":{""name"":""seller_price"",""threshold"":{""usd"":0.05,""percent"":1}},""reason"":null,""seller_name"":""Copperleaf Provisions"",""buybox"":{""price"":57.49,""seller_name"":""Amberlane Depot""},""units_in_stock"":66,""rank"":{""position"":1,""category"":""Coffee Makers""},""offers"":[{""seller_name"":""Fairwind Store"",""price"":56.15,""shipping"":0,""units_in_stock"":0},{""seller_name"":""Paperkite Supply"",""price"":57.03,""shipping"":0,""units_in_stock"":0}]}",WzE3OTY2NTIyNDYxODYsIjAwNmRlNWE3LWFjY2YtODBiZC04YTUzLTZhM2U2ZThjNmEyOSJd,
                     */
                    "text/csv": string;
                    /**
                     * @example {"id":"001d4ac4-69eb-800c-b2bb-1ab3822a918b","type":"buybox.rotation","timestamp":"2026-12-07T07:57:22.986Z","data":{"event_id":"001d4ac4-69eb-800c-b2bb-1ab3822a918b","oversight_product_id":"01a1e1a0-e1fc-7069-b1e5-b5b41a8af569","retailer_product_code":"527182818","product_name":"Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate","tier":0,"tags":[],"metadata":null,"before":{"value":"Greenlamp Wares","observed_at":"2026-12-06T19:56:54.000Z"},"after":{"value":"Maplewood Exchange","observed_at":"2026-12-07T07:57:22.000Z"},"rule":{"name":"rotation","threshold":{"count":3}},"reason":null,"buybox":{"price":37.49,"seller_name":"Maplewood Exchange"},"units_in_stock":435,"rank":{"position":1,"category":"Kettles"},"offers":[{"seller_name":"Greenlamp Wares","price":37.35,"shipping":0,"units_in_stock":128},{"seller_name":"Birchbark Direct Sales","price":37.48,"shipping":0,"units_in_stock":0}]},"cursor":"WzE3OTY2NTIyNDYxODYsIjAwMWQ0YWM0LTY5ZWItODAwYy1iMmJiLTFhYjM4MjJhOTE4YiJd"}
                     *     {"id":"006de5a7-accf-80bd-8a53-6a3e6e8c6a29","type":"seller.price_change","timestamp":"2026-12-07T07:57:22.986Z","data":{"event_id":"006de5a7-accf-80bd-8a53-6a3e6e8c6a29","oversight_product_id":"01a1e1a0-e907-7054-bc7a-424ddde63354","retailer_product_code":"588986217","product_name":"Brambison Grove 400 French Press, 8-Cup, Matte Black","tier":0,"tags":[],"metadata":null,"before":{"value":55.92,"observed_at":"2026-12-07T01:49:13.000Z"},"after":{"value":57.48,"observed_at":"2026-12-07T07:57:22.000Z"},"rule":{"name":"seller_price","threshold":{"usd":0.05,"percent":1}},"reason":null,"seller_name":"Copperleaf Provisions","buybox":{"price":57.49,"seller_name":"Amberlane Depot"},"units_in_stock":66,"rank":{"position":1,"category":"Coffee Makers"},"offers":[{"seller_name":"Fairwind Store","price":56.15,"shipping":0,"units_in_stock":0},{"seller_name":"Paperkite Supply","price":57.03,"shipping":0,"units_in_stock":0}]},"cursor":"WzE3OTY2NTIyNDYxODYsIjAwNmRlNWE3LWFjY2YtODBiZC04YTUzLTZhM2U2ZThjNmEyOSJd"}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.get": {
        parameters: {
            query?: {
                /** @description Return 204 instead of 401 when nobody is signed in. */
                optional?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed-in person and their account */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The signed-in person and their account */
            204: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.updateProfile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileUpdate"];
            };
        };
        responses: {
            /** @description Change the name or the seller name */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listKeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description API keys, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.createKey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Create an API key */
            201: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.revokeKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a key */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke an API key */
            204: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.deleteAccount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteAccountRequest"];
            };
        };
        responses: {
            /** @description Close the account now and delete it after 30 days */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDeletion"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.restoreAccount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmptyBody"];
            };
        };
        responses: {
            /** @description Cancel the deletion of the account */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDeletion"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getPrices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Price list */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prices"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getPlan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account’s plan, its limits, and all plans */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPlan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getUsage": {
        parameters: {
            query?: {
                /** @description 1 to 366 days */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Credits spent by day and operation */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listLedgerEntries": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description one of request, tracking, refund, grant, refresh */
                kind?: "request" | "tracking" | "refund" | "grant" | "refresh";
                /** @description the name of an operation */
                operation?: string;
                /** @description a time: start of the range, inclusive */
                from?: string;
                /** @description a time: end of the range, exclusive */
                to?: string;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ledger entries that match a filter, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedLedgerEntry"][];
                    /** @example id,at,kind,credits,operation,retailer_product_code,reference,product_name,balance_after */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.downloadLedger": {
        parameters: {
            query?: {
                /** @description one of request, tracking, refund, grant, refresh */
                kind?: "request" | "tracking" | "refund" | "grant" | "refresh";
                /** @description the name of an operation */
                operation?: string;
                /** @description a time: start of the range, inclusive */
                from?: string;
                /** @description a time: end of the range, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ledger entries as CSV */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getCosts": {
        parameters: {
            query?: {
                /** @description 1 to 31 days */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Credits spent by product and by tag */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Costs"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.checkPeriod": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the entries of this period add up to the balance */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeriodCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.requestUpgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpgradeRequest"];
            };
        };
        responses: {
            /** @description Ask the operator for another plan; at most three times a day */
            202: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedUpgrade"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listLibrary": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description 1 to 20 digits */
                retailer_product_code?: string;
                /** @description one of details, offers, units-in-stock, fees, profit, search, finder, stats, price-history, buybox-history, offer-history, units-sold-history */
                operation?: "details" | "offers" | "units-in-stock" | "fees" | "profit" | "search" | "finder" | "stats" | "price-history" | "buybox-history" | "offer-history" | "units-sold-history";
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Responses that the account has bought in the dashboard, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryEntry"][];
                    /** @example id,operation,retailer_product_code,product_name,upc,ean,parameters,bought_at,as_of,fresh_until,credits,buybox_price */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getLibraryEntry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an entry */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A bought response as it was */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listTrackedProducts": {
        parameters: {
            query?: {
                limit?: number;
                after?: string;
                /** @description true or false; true returns the products that need attention */
                attention?: boolean;
                /** @description a product code of 1 to 20 digits */
                retailer_product_code?: string;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tracked products with their values, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedRow"][];
                    /** @example id,retailer_product_code,product_name,brand,created_at,tier,status,seller_name,rules,tags,metadata,ends_at,current_price,buybox_seller,units_in_stock,last_updated,next_due_at,consecutive_failures,shown_day,shown_tier,slots_due_today,slots_in_time_today,slots_due_week,slots_in_time_week,credits_for_today,delisted_at,attention,attention_code */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getTrackedProduct": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tracked product at the detail of its tier */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getTrackedHistory": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Price and stock of a tracked product on its paid days, at the interval of each day’s tier */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedHistory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getTrackedSellers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a tracked product */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes of price and stock of every seller on the days paid at tier 0 */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedSellers"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listTrends": {
        parameters: {
            query: {
                /** @description 1 to 50 product codes, separated by commas */
                codes: string;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Price, changes and rank of tracked products in the last week */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedTrend"][];
                    /** @example retailer_product_code,prices,change_24h,change_7d,rank */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listEvents": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 1000 */
                limit?: components["parameters"]["Limit"];
                /** @description the cursor of the Link header with rel="next" */
                after?: components["parameters"]["After"];
                /** @description one of buybox.won, buybox.lost, buybox.rotation, price.drop, price.increase, price.suppressed, price.restored, seller.new, seller.removed, seller.price_change, stock.low, stock.out, stock.restored, rank.gained, rank.lost, rule.matched */
                type?: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched";
                /** @description a product code of 1 to 20 digits */
                retailer_product_code?: string;
                /** @description a tag of the products */
                tag?: string;
                /** @description words of the product, the seller or the reason */
                q?: string;
                /** @description a time: start of the range, inclusive */
                from?: string;
                /** @description a time: end of the range, exclusive */
                to?: string;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events of the last 30 days, newest first */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    /** @example id,type,timestamp,data,cursor,explanation */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.downloadEvents": {
        parameters: {
            query?: {
                /** @description one of buybox.won, buybox.lost, buybox.rotation, price.drop, price.increase, price.suppressed, price.restored, seller.new, seller.removed, seller.price_change, stock.low, stock.out, stock.restored, rank.gained, rank.lost, rule.matched */
                type?: "buybox.won" | "buybox.lost" | "buybox.rotation" | "price.drop" | "price.increase" | "price.suppressed" | "price.restored" | "seller.new" | "seller.removed" | "seller.price_change" | "stock.low" | "stock.out" | "stock.restored" | "rank.gained" | "rank.lost" | "rule.matched";
                /** @description a product code of 1 to 20 digits */
                retailer_product_code?: string;
                /** @description a tag of the products */
                tag?: string;
                /** @description words of the product, the seller or the reason */
                q?: string;
                /** @description a time: start of the range, inclusive */
                from?: string;
                /** @description a time: end of the range, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events as CSV */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.listMoves": {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 20 */
                limit?: number;
                /** @description json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson */
                format?: "json" | "columns" | "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The largest price changes and lost buyboxes of the last 24 hours, one per product */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Move"][];
                    /** @example id,type,timestamp,data,cursor,explanation,change */
                    "text/csv": string;
                    /** @example  */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.getDelivery": {
        parameters: {
            query?: {
                /** @description true or false; true adds what led to the event */
                explain?: boolean;
            };
            header?: never;
            path: {
                /** @description the id of a delivery */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A delivery with its payload and every response */
            200: {
                headers: {
                    "x-credits-charged": components["headers"]["CreditsCharged"];
                    "x-credits-remaining": components["headers"]["CreditsRemaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetails"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "session.signUp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUpRequest"];
            };
        };
        responses: {
            /** @description Request a link to sign up */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkSent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.finishSignUp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinishSignUpRequest"];
            };
        };
        responses: {
            /** @description Choose a password, create the account and sign in */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.signIn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Sign in */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.signOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmptyBody"];
            };
        };
        responses: {
            /** @description Sign out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.checkLink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckLinkRequest"];
            };
        };
        responses: {
            /** @description Check whether a link still works, before a password is typed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedLink"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.requestPasswordReset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestPasswordResetRequest"];
            };
        };
        responses: {
            /** @description Request a link to choose a new password */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkSent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.resetPassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description Choose a new password; ends every session but the new one */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "session.changePassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Change the password; ends the other sessions */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "on.buyboxWon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "buybox.won",
                 *       "timestamp": "2026-12-21T23:54:58.986Z",
                 *       "data": {
                 *         "event_id": "002f24b2-be70-824f-bee3-9176b43b2170",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": null,
                 *           "observed_at": "2026-12-21T20:34:20.000Z"
                 *         },
                 *         "after": {
                 *           "value": "Amberlane Depot",
                 *           "observed_at": "2026-12-21T23:54:58.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 57.49,
                 *           "seller_name": "Amberlane Depot"
                 *         },
                 *         "units_in_stock": 398,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Eastmill Collective",
                 *             "price": 55.39,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Fairwind Store",
                 *             "price": 56.92,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BuyboxWonEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.buyboxLost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "buybox.lost",
                 *       "timestamp": "2026-12-21T00:16:06.186Z",
                 *       "data": {
                 *         "event_id": "00593857-257d-8bcb-bd38-ee2ae2b36ff3",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": "Fairwind Store",
                 *           "observed_at": "2026-12-20T15:44:54.000Z"
                 *         },
                 *         "after": {
                 *           "value": null,
                 *           "observed_at": "2026-12-21T00:15:51.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": "out of stock",
                 *         "buybox": null,
                 *         "units_in_stock": 0,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Eastmill Collective",
                 *             "price": 53.42,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Fairwind Store",
                 *             "price": 57.93,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BuyboxLostEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.buyboxRotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "buybox.rotation",
                 *       "timestamp": "2026-12-07T07:57:22.986Z",
                 *       "data": {
                 *         "event_id": "001d4ac4-69eb-800c-b2bb-1ab3822a918b",
                 *         "oversight_product_id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                 *         "retailer_product_code": "527182818",
                 *         "product_name": "Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": "Greenlamp Wares",
                 *           "observed_at": "2026-12-06T19:56:54.000Z"
                 *         },
                 *         "after": {
                 *           "value": "Maplewood Exchange",
                 *           "observed_at": "2026-12-07T07:57:22.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "rotation",
                 *           "threshold": {
                 *             "count": 3
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 37.49,
                 *           "seller_name": "Maplewood Exchange"
                 *         },
                 *         "units_in_stock": 435,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Kettles"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Greenlamp Wares",
                 *             "price": 37.35,
                 *             "shipping": 0,
                 *             "units_in_stock": 128
                 *           },
                 *           {
                 *             "seller_name": "Birchbark Direct Sales",
                 *             "price": 37.48,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BuyboxRotationEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.priceDrop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "price.drop",
                 *       "timestamp": "2026-12-07T18:24:30.186Z",
                 *       "data": {
                 *         "event_id": "00bedb8b-ff1e-8102-9c29-02bcfbd07853",
                 *         "oversight_product_id": "01a1e1a0-f009-7063-afb3-dad5eec884e3",
                 *         "retailer_product_code": "550789616",
                 *         "product_name": "Sorreva Willow 280 Stockpot, 8 in, Pine",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 18.48,
                 *           "observed_at": "2026-12-07T08:34:20.000Z"
                 *         },
                 *         "after": {
                 *           "value": 18.26,
                 *           "observed_at": "2026-12-07T18:24:30.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "price",
                 *           "threshold": {
                 *             "usd": 0.05,
                 *             "percent": 1
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 18.26,
                 *           "seller_name": "Amberlane Traders"
                 *         },
                 *         "units_in_stock": 388,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Cookware"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Amberlane Traders",
                 *             "price": 18.26,
                 *             "shipping": 0,
                 *             "units_in_stock": 218
                 *           },
                 *           {
                 *             "seller_name": "Oldtown House",
                 *             "price": 18.37,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PriceDropEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.priceIncrease": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "price.increase",
                 *       "timestamp": "2026-12-08T01:56:39.786Z",
                 *       "data": {
                 *         "event_id": "00cca084-3df5-8407-9dc9-39fb8a3ea76c",
                 *         "oversight_product_id": "01a1e1a0-e1fc-7069-b1e5-b5b41a8af569",
                 *         "retailer_product_code": "527182818",
                 *         "product_name": "Lummand Haven 335 Stovetop Kettle, 1.0 l, Slate",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 37.26,
                 *           "observed_at": "2026-12-06T19:56:54.000Z"
                 *         },
                 *         "after": {
                 *           "value": 38.34,
                 *           "observed_at": "2026-12-08T01:56:39.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "price",
                 *           "threshold": {
                 *             "usd": 0.05,
                 *             "percent": 1
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 38.34,
                 *           "seller_name": "Greenlamp Wares"
                 *         },
                 *         "units_in_stock": 364,
                 *         "rank": {
                 *           "position": 3,
                 *           "category": "Kettles"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Birchbark Direct Sales",
                 *             "price": 37.97,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Greenlamp Wares",
                 *             "price": 38.34,
                 *             "shipping": 0,
                 *             "units_in_stock": 92
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PriceIncreaseEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.priceSuppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "price.suppressed",
                 *       "timestamp": "2026-12-11T19:23:18.186Z",
                 *       "data": {
                 *         "event_id": "00eaa5f3-bc56-8185-8c35-bcb5f79795e3",
                 *         "oversight_product_id": "01a1e1a0-fb88-7034-9541-e002f55ecd34",
                 *         "retailer_product_code": "574396414",
                 *         "product_name": "Wyndridge Fjord 80 Table Lamp, 15 in, Sage",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 48.79,
                 *           "observed_at": "2026-12-11T10:06:44.000Z"
                 *         },
                 *         "after": {
                 *           "value": null,
                 *           "observed_at": "2026-12-11T19:23:18.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "buybox": null,
                 *         "units_in_stock": 963,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Table Lamps"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Newport Outlet",
                 *             "price": 48.33,
                 *             "shipping": 5.99,
                 *             "units_in_stock": 227
                 *           },
                 *           {
                 *             "seller_name": "Fairwind House",
                 *             "price": 54.49,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PriceSuppressedEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.priceRestored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "price.restored",
                 *       "timestamp": "2026-12-14T19:31:56.586Z",
                 *       "data": {
                 *         "event_id": "0131d3ff-418d-8731-9db2-2c996c5f0ac1",
                 *         "oversight_product_id": "01a1e1a0-fb88-7034-9541-e002f55ecd34",
                 *         "retailer_product_code": "574396414",
                 *         "product_name": "Wyndridge Fjord 80 Table Lamp, 15 in, Sage",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": null,
                 *           "observed_at": "2026-12-11T19:23:18.000Z"
                 *         },
                 *         "after": {
                 *           "value": 46.68,
                 *           "observed_at": "2026-12-14T19:31:42.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 46.68,
                 *           "seller_name": "Newport Outlet"
                 *         },
                 *         "units_in_stock": 949,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Table Lamps"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Newport Outlet",
                 *             "price": 46.68,
                 *             "shipping": 5.99,
                 *             "units_in_stock": 188
                 *           },
                 *           {
                 *             "seller_name": "Redwagon Shop",
                 *             "price": 50.29,
                 *             "shipping": 3.99,
                 *             "units_in_stock": 302
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PriceRestoredEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.sellerNew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "seller.new",
                 *       "timestamp": "2026-12-08T22:15:08.586Z",
                 *       "data": {
                 *         "event_id": "02f6980f-f8f6-8dca-8b49-e32eb709bf6d",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": null,
                 *           "observed_at": "2026-12-08T16:08:10.000Z"
                 *         },
                 *         "after": {
                 *           "value": "Eastmill Collective",
                 *           "observed_at": "2026-12-08T22:15:08.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "seller_name": "Eastmill Collective",
                 *         "buybox": {
                 *           "price": 56.2,
                 *           "seller_name": "Eastmill Collective"
                 *         },
                 *         "units_in_stock": 869,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Copperleaf Provisions",
                 *             "price": 55.92,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Eastmill Collective",
                 *             "price": 56.2,
                 *             "shipping": 0,
                 *             "units_in_stock": 458
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SellerNewEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.sellerRemoved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "seller.removed",
                 *       "timestamp": "2026-12-13T06:10:20.586Z",
                 *       "data": {
                 *         "event_id": "00426dd2-d3b9-8c54-9f31-954342305bf0",
                 *         "oversight_product_id": "01a1e1a1-5852-707a-aa07-3d0cb2279d7a",
                 *         "retailer_product_code": "577840601",
                 *         "product_name": "Thorneva Meadow 190 Vertical Mouse, Large, Sage",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": "Lakeshore Direct Sales",
                 *           "observed_at": "2026-12-12T16:05:46.000Z"
                 *         },
                 *         "after": {
                 *           "value": null,
                 *           "observed_at": "2026-12-13T06:10:06.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "seller_name": "Lakeshore Direct Sales",
                 *         "buybox": {
                 *           "price": 13.79,
                 *           "seller_name": "Eastmill Deals"
                 *         },
                 *         "units_in_stock": 946,
                 *         "rank": {
                 *           "position": 2,
                 *           "category": "Computer Mice"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Eastmill Deals",
                 *             "price": 13.79,
                 *             "shipping": 0,
                 *             "units_in_stock": 296
                 *           },
                 *           {
                 *             "seller_name": "Silverbrook House",
                 *             "price": 14.09,
                 *             "shipping": 0,
                 *             "units_in_stock": 249
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SellerRemovedEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.sellerPriceChange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "seller.price_change",
                 *       "timestamp": "2026-12-07T07:57:22.986Z",
                 *       "data": {
                 *         "event_id": "006de5a7-accf-80bd-8a53-6a3e6e8c6a29",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 55.92,
                 *           "observed_at": "2026-12-07T01:49:13.000Z"
                 *         },
                 *         "after": {
                 *           "value": 57.48,
                 *           "observed_at": "2026-12-07T07:57:22.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "seller_price",
                 *           "threshold": {
                 *             "usd": 0.05,
                 *             "percent": 1
                 *           }
                 *         },
                 *         "reason": null,
                 *         "seller_name": "Copperleaf Provisions",
                 *         "buybox": {
                 *           "price": 57.49,
                 *           "seller_name": "Amberlane Depot"
                 *         },
                 *         "units_in_stock": 66,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Fairwind Store",
                 *             "price": 56.15,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Paperkite Supply",
                 *             "price": 57.03,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SellerPriceChangeEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.stockLow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "stock.low",
                 *       "timestamp": "2026-12-07T18:24:30.186Z",
                 *       "data": {
                 *         "event_id": "012fa1f0-21ae-8fe2-8088-09eb46eafe2e",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 116,
                 *           "observed_at": "2026-12-07T01:49:13.000Z"
                 *         },
                 *         "after": {
                 *           "value": 8,
                 *           "observed_at": "2026-12-07T18:24:30.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "stock_low",
                 *           "threshold": {
                 *             "units": 10
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 57.49,
                 *           "seller_name": "Amberlane Depot"
                 *         },
                 *         "units_in_stock": 8,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Copperleaf Provisions",
                 *             "price": 56.21,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Paperkite Supply",
                 *             "price": 57.25,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StockLowEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.stockOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "stock.out",
                 *       "timestamp": "2026-12-21T00:16:06.186Z",
                 *       "data": {
                 *         "event_id": "04ad5694-8071-8a23-8b95-912e15f3f5e7",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 548,
                 *           "observed_at": "2026-12-07T21:00:58.000Z"
                 *         },
                 *         "after": {
                 *           "value": 0,
                 *           "observed_at": "2026-12-21T00:15:51.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "buybox": null,
                 *         "units_in_stock": 0,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Eastmill Collective",
                 *             "price": 53.42,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Fairwind Store",
                 *             "price": 57.93,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StockOutEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.stockRestored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "stock.restored",
                 *       "timestamp": "2026-12-21T23:54:58.986Z",
                 *       "data": {
                 *         "event_id": "02f9db0d-f0f3-8aeb-b3c3-1686a1ff58fc",
                 *         "oversight_product_id": "01a1e1a0-e907-7054-bc7a-424ddde63354",
                 *         "retailer_product_code": "588986217",
                 *         "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 0,
                 *           "observed_at": "2026-12-21T00:15:51.000Z"
                 *         },
                 *         "after": {
                 *           "value": 398,
                 *           "observed_at": "2026-12-21T23:54:58.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "any_change",
                 *           "threshold": null
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 57.49,
                 *           "seller_name": "Amberlane Depot"
                 *         },
                 *         "units_in_stock": 398,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Coffee Makers"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Eastmill Collective",
                 *             "price": 55.39,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           },
                 *           {
                 *             "seller_name": "Fairwind Store",
                 *             "price": 56.92,
                 *             "shipping": 0,
                 *             "units_in_stock": 0
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StockRestoredEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.rankGained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "rank.gained",
                 *       "timestamp": "2026-12-10T02:16:06.186Z",
                 *       "data": {
                 *         "event_id": "0091277b-ad25-8c89-a165-bc14f6cae78c",
                 *         "oversight_product_id": "01a1e1a0-fb88-7034-9541-e002f55ecd34",
                 *         "retailer_product_code": "574396414",
                 *         "product_name": "Wyndridge Fjord 80 Table Lamp, 15 in, Sage",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 3,
                 *           "observed_at": "2026-12-07T21:49:42.000Z"
                 *         },
                 *         "after": {
                 *           "value": 1,
                 *           "observed_at": "2026-12-10T02:15:51.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "rank",
                 *           "threshold": {
                 *             "places": 1,
                 *             "percent": 1
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 47.87,
                 *           "seller_name": "Newport Outlet"
                 *         },
                 *         "units_in_stock": 904,
                 *         "rank": {
                 *           "position": 1,
                 *           "category": "Table Lamps"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Newport Outlet",
                 *             "price": 47.87,
                 *             "shipping": 5.99,
                 *             "units_in_stock": 132
                 *           },
                 *           {
                 *             "seller_name": "Redwagon Shop",
                 *             "price": 51.21,
                 *             "shipping": 3.99,
                 *             "units_in_stock": 261
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RankGainedEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.rankLost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "rank.lost",
                 *       "timestamp": "2026-12-09T04:12:44.586Z",
                 *       "data": {
                 *         "event_id": "00a1d53d-5c7d-8f9b-83f5-684418fcf550",
                 *         "oversight_product_id": "01a1e1a0-f009-7063-afb3-dad5eec884e3",
                 *         "retailer_product_code": "550789616",
                 *         "product_name": "Sorreva Willow 280 Stockpot, 8 in, Pine",
                 *         "tier": 0,
                 *         "tags": [],
                 *         "metadata": null,
                 *         "before": {
                 *           "value": 1,
                 *           "observed_at": "2026-12-07T08:34:20.000Z"
                 *         },
                 *         "after": {
                 *           "value": 2,
                 *           "observed_at": "2026-12-09T04:07:13.000Z"
                 *         },
                 *         "rule": {
                 *           "name": "rank",
                 *           "threshold": {
                 *             "places": 1,
                 *             "percent": 1
                 *           }
                 *         },
                 *         "reason": null,
                 *         "buybox": {
                 *           "price": 18.15,
                 *           "seller_name": "Amberlane Traders"
                 *         },
                 *         "units_in_stock": 705,
                 *         "rank": {
                 *           "position": 2,
                 *           "category": "Cookware"
                 *         },
                 *         "offers": [
                 *           {
                 *             "seller_name": "Amberlane Traders",
                 *             "price": 18.15,
                 *             "shipping": 0,
                 *             "units_in_stock": 58
                 *           },
                 *           {
                 *             "seller_name": "Oldtown House",
                 *             "price": 18.42,
                 *             "shipping": 0,
                 *             "units_in_stock": 566
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RankLostEvent"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.eventsDigest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "events.digest",
                 *       "timestamp": "2026-12-22T00:00:00.000Z",
                 *       "data": {
                 *         "event_id": "7c1e0f3a-2f8b-8d0e-9a77-5d0c3c1b9e42",
                 *         "from": "2026-12-21T23:00:00.000Z",
                 *         "to": "2026-12-22T00:00:00.000Z",
                 *         "event_count": 3,
                 *         "counts": {
                 *           "buybox.won": 1,
                 *           "price.drop": 2
                 *         },
                 *         "events": [
                 *           {
                 *             "event_id": "002f24b2-be70-824f-bee3-9176b43b2170",
                 *             "type": "buybox.won",
                 *             "timestamp": "2026-12-21T23:54:58.986Z",
                 *             "retailer_product_code": "588986217",
                 *             "product_name": "Brambison Grove 400 French Press, 8-Cup, Matte Black",
                 *             "before": null,
                 *             "after": "Corwell Goods",
                 *             "reason": null
                 *           }
                 *         ],
                 *         "events_url": "/retailer/events?after=WzE3NjYzNTgwMDAwMDAsImZmZmZmZmZmLWZmZmYtZmZmZi1mZmZmLWZmZmZmZmZmZmZmZiJd&until=WzE3NjYzNjE1OTgwMDAsImZmZmZmZmZmLWZmZmYtZmZmZi1mZmZmLWZmZmZmZmZmZmZmZiJd"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EventsDigest"];
            };
        };
        responses: {
            /** @description Received. 201 also counts as received; other statuses are retried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused; retried later. 410 pauses the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
