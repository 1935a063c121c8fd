// The seller's own costs, as typed into the form.

export type OwnCosts = { cost: number; shipping: number; price: number | null };

const AMOUNT = /^\d{1,6}(?:[.,]\d{1,2})?$/;

/** An amount in USD with at most two decimals; undefined if the text is not one. */
export function amountOf(text: string): number | undefined {
  const digits = text.trim().replace(/^\$/, '');
  return AMOUNT.test(digits) ? Number(digits.replace(',', '.')) : undefined;
}

/** Undefined while the form is incomplete or wrong. Shipping and price may be empty. */
export function ownCostsOf(texts: {
  cost: string;
  shipping: string;
  price: string;
}): OwnCosts | undefined {
  const cost = amountOf(texts.cost);
  const shipping = texts.shipping.trim() === '' ? 0 : amountOf(texts.shipping);
  const price = texts.price.trim() === '' ? null : amountOf(texts.price);
  if (cost === undefined || shipping === undefined || price === undefined) return undefined;
  return { cost, shipping, price };
}
