// The API examples: their titles, texts and languages, and the values that fill them.
export type Language = 'curl' | 'typescript' | 'python';

export const LANGUAGES: readonly { value: Language; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
];

/** The values of an example; all must be safe inside quotes. */
export type ExampleValues = {
  baseUrl: string;
  apiKey: string;
  code: string;
  /** The most that the price history may cost, as on its button. */
  maxCredits: number;
};

export type ExampleId = 'credits' | 'details' | 'history' | 'track' | 'webhook' | 'verify';
export type Examples = Readonly<Record<ExampleId, (values: ExampleValues) => string>>;

type ExampleText = { id: ExampleId; title: string; text: string };

export const EXAMPLES: readonly ExampleText[] = [
  {
    id: 'credits',
    title: 'Credits left',
    text: 'A good first call: it shows whether the key works.',
  },
  {
    id: 'details',
    title: 'Product details',
    text: 'By the marketplace’s product code; upc or ean work the same way.',
  },
  {
    id: 'history',
    title: 'Price history',
    text: 'With x-max-credits a request that would cost more is rejected, free of charge.',
  },
  {
    id: 'track',
    title: 'Track a product',
    text: 'Tier 4 collects once a day; 3, 2, 1 and 0 more often. A product already tracked at another tier returns 409.',
  },
  {
    id: 'webhook',
    title: 'Register a webhook',
    text: 'Replace example.com by your own host. The response holds the signing secret, which is shown only once.',
  },
  {
    id: 'verify',
    title: 'Verify a webhook’s signature',
    text: 'Use the raw body, before parsing. Reject deliveries older than five minutes.',
  },
];
