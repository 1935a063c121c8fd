// Patterns of the identifiers by which a customer may name a product.

export const CODE_PATTERN = '^[0-9]{1,20}$';
export const UPC_PATTERN = '^[0-9]{12}$';
export const EAN_PATTERN = '^[0-9]{13}$';
