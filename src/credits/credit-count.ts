// Credits in a sentence: "1 credit", "5 credits".
export const creditCount = (credits: number): string =>
  `${credits} ${credits === 1 ? 'credit' : 'credits'}`;
