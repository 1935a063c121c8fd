// Patterns of the identifiers by which a product is named.

export const CODE_PATTERN = '^[0-9]{1,20}$';
export const UPC_PATTERN = '^[0-9]{12}$';
export const EAN_PATTERN = '^[0-9]{13}$';

/** What a customer may look up: a UPC-A, a UPC-E (number system 0 or 1) or a GTIN-14. */
export const UPC_LOOK_UP_PATTERN = '^([0-9]{12}|[01][0-9]{7}|[0-9]{14})$';
/** What a customer may look up: an EAN-13, an EAN-8 or a GTIN-14. */
export const EAN_LOOK_UP_PATTERN = '^([0-9]{13}|[0-9]{8}|[0-9]{14})$';
