// What the API examples show, in which languages, and what each costs when it is run.
export type Language = 'curl' | 'typescript' | 'python';

export const LANGUAGES: readonly { value: Language; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
];

/** What an example is filled with; all of it must be safe to stand inside quotes. */
export type Filling = {
  baseUrl: string;
  apiKey: string;
  code: string;
  /** The most that the price history may cost, as its button would say. */
  maxCredits: number;
};

export type ExampleId = 'credits' | 'details' | 'history' | 'track' | 'webhook' | 'verify';
export type Examples = Readonly<Record<ExampleId, (filling: Filling) => string>>;

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
    text: 'x-max-credits refuses the request, free of charge, should it ever cost more.',
  },
  {
    id: 'track',
    title: 'Track a product',
    text: 'Tier 4 looks once a day; 3, 2, 1 and 0 look more often. One that is tracked at another tier answers 409.',
  },
  {
    id: 'webhook',
    title: 'Register a webhook',
    text: 'Put your own address in the place of example.com. The answer holds the signing secret, shown only there.',
  },
  {
    id: 'verify',
    title: 'Verify a webhook’s signature',
    text: 'Over the body exactly as it came, before any parsing. Refuse what is older than five minutes.',
  },
];
