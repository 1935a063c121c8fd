// How a customer may name a product, and what is allowed for each way.

export const CODE_PATTERN = '^[0-9]{1,20}$';
export const UPC_PATTERN = '^[0-9]{12}$';
export const EAN_PATTERN = '^[0-9]{13}$';
