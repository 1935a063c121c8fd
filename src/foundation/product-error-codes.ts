// Error codes about products: naming one, looking it up, searching the catalogue.
import type { ErrorCodeEntry } from './error-kind.ts';

export const PRODUCT_ERROR_CODES = {
  product_selector_missing: {
    kind: 'invalid_request',
    title: 'No product selected',
    cause:
      'None of `upc`, `ean` and `retailer_product_code` is given; in a bulk item, neither `id` nor `retailer_product_code`.',
    remedy: 'Pass exactly one of them.',
  },
  product_selector_ambiguous: {
    kind: 'invalid_request',
    title: 'Several product selectors',
    cause:
      'More than one of `upc`, `ean` and `retailer_product_code` is given; in a bulk item, both `id` and `retailer_product_code`.',
    remedy: 'Pass exactly one of them.',
  },
  upc_malformed: {
    kind: 'invalid_request',
    title: 'UPC malformed',
    cause: '`upc` is not a UPC-A (12 digits), a UPC-E (8 digits) or a GTIN-14.',
    remedy: 'Send all digits, with leading zeros and without spaces or dashes.',
  },
  ean_malformed: {
    kind: 'invalid_request',
    title: 'EAN malformed',
    cause: '`ean` is not an EAN-13, an EAN-8 or a GTIN-14.',
    remedy: 'Send all digits, with leading zeros and without spaces or dashes.',
  },
  product_code_malformed: {
    kind: 'invalid_request',
    title: 'Product code malformed',
    cause: '`retailer_product_code` does not have 1 to 20 digits.',
    remedy: 'Send the number that the marketplace uses in the address of its product page.',
  },
  product_not_found: {
    kind: 'not_found',
    title: 'Product not found',
    cause: 'Neither the catalogue nor the marketplace has this product.',
    remedy: 'Check the UPC, EAN or code.',
  },
  product_delisted: {
    kind: 'not_found',
    title: 'Product delisted',
    cause: 'The marketplace no longer lists the product. `delisted_at` says since when.',
    remedy: 'Its price and sales history remain available.',
  },
  product_not_for_sale: {
    kind: 'not_found',
    title: 'Product not for sale',
    cause: 'No seller offers the product, so there is no price to calculate fees from.',
    remedy: 'Try again when the product has an offer.',
  },
  gtin_search_unsupported: {
    kind: 'not_found',
    title: 'Search by UPC or EAN not supported',
    cause:
      'The product is not in the catalogue and the marketplace cannot be searched by UPC or EAN.',
    remedy: 'Request it once by `retailer_product_code`; afterwards its UPC and EAN work too.',
  },
  source_unavailable: {
    kind: 'source_unavailable',
    title: 'Marketplace unavailable',
    cause: 'The marketplace cannot be reached and the catalogue has no data for the product.',
    remedy: 'Send the request again in a few seconds.',
  },
  source_data_unusable: {
    kind: 'source_unavailable',
    title: 'Marketplace data unusable',
    cause: 'The marketplace returned data for the product that cannot be used.',
    remedy: 'Send the request again later.',
  },
  search_too_slow: {
    kind: 'temporarily_unavailable',
    title: 'Search took too long',
    cause: 'The search or the filters took longer than a request may take and were cancelled.',
    remedy: 'Use filters or words that fewer products match, or sort by a fact that you filter by.',
  },
  filter_unknown: {
    kind: 'invalid_request',
    title: 'Unknown filter',
    cause: '`filters` has a member that is not a filter. `field` names it.',
    remedy: 'Use the filters that `message` lists.',
  },
  filter_range_invalid: {
    kind: 'invalid_request',
    title: 'Range reversed or empty',
    cause: 'The `min` of a filter is above its `max`, or it has neither. `field` names the filter.',
    remedy: 'Send a `min` that is not above `max`, or only one of them.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
