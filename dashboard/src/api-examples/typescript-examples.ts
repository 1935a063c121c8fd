// The examples for TypeScript: fetch, and node:crypto for the signature. They run unchanged.
import type { Examples } from './example.ts';

/** The end of a request: `message` says what is wrong. */
const CHECKED = `\
if (!response.ok) throw new Error(\`\${response.status}: \${(await response.json()).message}\`);`;

export const typescriptExamples: Examples = {
  credits: ({ baseUrl, apiKey }) => `\
const response = await fetch('${baseUrl}/user/credits', {
  headers: { 'x-api-key': '${apiKey}' },
});
${CHECKED}

const { credits } = await response.json();
console.log(\`\${credits.remaining} of \${credits.total} credits left\`);
`,
  details: ({ baseUrl, apiKey, code }) => `\
const query = new URLSearchParams({ retailer_product_code: '${code}' });
const response = await fetch(\`${baseUrl}/retailer/product/details?\${query}\`, {
  headers: { 'x-api-key': '${apiKey}' },
});
${CHECKED}

const product = await response.json();
console.log(product.product_name, product.buybox_price);
`,
  history: ({ baseUrl, apiKey, code, maxCredits }) => `\
const query = new URLSearchParams({ retailer_product_code: '${code}' });
const response = await fetch(\`${baseUrl}/retailer/product/price-history?\${query}\`, {
  headers: { 'x-api-key': '${apiKey}', 'x-max-credits': '${maxCredits}' },
});
${CHECKED}

const { priceHistory } = await response.json();
for (const { date, price } of priceHistory) console.log(date, price);
console.log(response.headers.get('x-credits-remaining'), 'credits left');
`,
  track: ({ baseUrl, apiKey, code }) => `\
const response = await fetch('${baseUrl}/retailer/oversight/products', {
  method: 'POST',
  headers: {
    'x-api-key': '${apiKey}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ retailer_product_code: '${code}', tier: 4 }),
});
${CHECKED}

const tracked = await response.json();
console.log('tracked as', tracked.id);
`,
  webhook: ({ baseUrl, apiKey }) => `\
const response = await fetch('${baseUrl}/retailer/webhooks', {
  method: 'POST',
  headers: {
    'x-api-key': '${apiKey}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    name: 'Repricer',
    url: 'https://example.com/hooks/oversight',
    events: ['price.drop', 'buybox.lost'],
  }),
});
${CHECKED}

const { id, secret } = await response.json();
console.log(id, 'keep this secret:', secret);
`,
  verify: () => `\
import { createHmac, timingSafeEqual } from 'node:crypto';

type Delivery = { headers: Record<string, string | string[] | undefined>; body: string };

/** secret: the whsec_... returned at creation. body: the raw text, not parsed. */
export function isGenuine({ headers, body }: Delivery, secret: string): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const signatures = String(headers['webhook-signature']);

  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (!(Math.abs(ageSeconds) <= 300)) return false;

  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest('base64');
  const expected = Buffer.from(\`v1,\${digest}\`);

  // Two signatures, separated by a space, while a secret is being rotated.
  return signatures.split(' ').some((signature) => {
    const received = Buffer.from(signature);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}
`,
};
