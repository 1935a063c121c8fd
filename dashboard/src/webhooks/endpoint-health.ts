// What the numbers and reasons of an endpoint's health mean to a customer. Pure.

/** Percentages of deliveries received in seven days; below the second the customer should act. */
export const GOOD_PERCENT = 99;
export const POOR_PERCENT = 90;

/** A reason of the server as a sentence: "Responded with 500." */
export const sentence = (words: string) => {
  const upper = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
