// The page "API": the reference, and examples that run as copied.
import { useQuery } from '@tanstack/react-query';
import { BookOpen } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { isProductCode } from '../app/product-number.ts';
import { queryKey } from '../app/query-keys.ts';
import { usePrices, useSession } from '../app/session.ts';
import { ButtonLink } from '../design/button.tsx';
import { CostLabel } from '../design/cost.tsx';
import { TextField } from '../design/field.tsx';
import { creditsText } from '../design/money.tsx';
import { Card, Page, PageHeader, Section } from '../design/page.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { keysQuery } from '../keys/api-keys.ts';
import {
  type FreshKey,
  forgetFreshKey,
  looksLikeKey,
  maskedKey,
  useFreshKey,
} from '../keys/fresh-key.ts';
import { CodeExample } from './code-example.tsx';
import {
  EXAMPLES,
  type ExampleId,
  type ExampleValues,
  LANGUAGES,
  type Language,
} from './example.ts';
import { exampleCode } from './example-code.ts';
import { KeyCard } from './key-card.tsx';

const NO_KEY = 'YOUR_API_KEY';
const NO_CODE = 'YOUR_PRODUCT_CODE';

export function ApiExamplesPage() {
  const accountId = useSession().data?.account.id ?? '';
  const [{ lang }, setSearch] = useAddressSearch({ lang: 'curl' });
  const language = LANGUAGES.find(({ value }) => value === lang)?.value ?? 'curl';
  const [pasted, setPasted] = useState('');
  const [shown, setShown] = useState(false);
  const fresh = useLiveFreshKey(accountId);
  const product = useProductCode();
  const prices = usePrices().data;
  const chosen = looksLikeKey(pasted.trim())
    ? { apiKey: pasted.trim(), name: null }
    : fresh && pasted === ''
      ? fresh
      : null;
  const apiKey = chosen?.apiKey ?? NO_KEY;
  const values: ExampleValues = {
    baseUrl: location.origin,
    apiKey,
    code: product.code,
    maxCredits: prices?.price_history ?? 15,
  };
  return (
    <Page>
      <PageHeader
        title="API"
        description="Examples to copy, with your key and this server’s address filled in."
        actions={
          <ButtonLink href={paths.docs()} icon={<BookOpen aria-hidden className="size-4" />}>
            API reference
          </ButtonLink>
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <KeyCard
          accountId={accountId}
          chosen={chosen}
          pasted={pasted}
          shown={shown}
          onPaste={setPasted}
          onShow={setShown}
        />
        <Card title="Product in the examples">{product.field}</Card>
      </div>
      <SegmentedControl
        label="Language"
        value={language}
        onChange={(value) => setSearch({ lang: value })}
        options={LANGUAGES}
        className="self-start"
      />
      <ExampleList
        language={language}
        values={values}
        shownKey={shown || chosen === null ? apiKey : maskedKey(apiKey)}
      />
    </Page>
  );
}

type ListProps = { language: Language; values: ExampleValues; shownKey: string };

function ExampleList({ language, values, shownKey }: ListProps) {
  const label = LANGUAGES.find(({ value }) => value === language)?.label ?? language;
  return (
    <div className="flex flex-col gap-5">
      {EXAMPLES.map(({ id, title, text }) => (
        <Section
          key={id}
          title={title}
          description={
            <>
              {text}
              <span className="mt-1 block text-xs text-faint first-letter:uppercase">
                <Cost of={id} />
              </span>
            </>
          }
        >
          <CodeExample
            code={exampleCode(id, language, values)}
            name={`${title} in ${label}`}
            apiKey={values.apiKey}
            shownKey={shownKey}
          />
        </Section>
      ))}
    </div>
  );
}

/** What running an example costs. */
function Cost({ of }: { of: ExampleId }): ReactNode {
  const prices = usePrices().data;
  if (of === 'verify') return null;
  if (of === 'credits' || of === 'webhook') return <CostLabel credits={0} />;
  if (prices === undefined) return null;
  if (of === 'details') return <CostLabel credits={prices.product_details} />;
  if (of === 'history') return <CostLabel credits={prices.price_history} />;
  const perDay = prices.tiers.find(({ tier }) => tier === 4)?.credits_per_day;
  return perDay === undefined ? null : `${creditsText(perDay)} per day while tracked`;
}

/** The key created in this tab, unless it was revoked since. */
function useLiveFreshKey(accountId: string): FreshKey | null {
  const fresh = useFreshKey(accountId);
  const keys = useQuery({ ...keysQuery, enabled: fresh !== null });
  const record = keys.data?.find(({ id }) => id === fresh?.id);
  const revoked = record !== undefined && record.revoked_at !== null;
  useEffect(() => {
    if (revoked && fresh) forgetFreshKey(accountId, fresh.id);
  }, [revoked, fresh, accountId]);
  return revoked ? null : fresh;
}

/** A product of the account, so that the examples return data; or any other. */
function useProductCode() {
  const [typed, setTyped] = useState<string | null>(null);
  const tracked = useQuery({
    queryKey: queryKey('tracked', 'newest'),
    queryFn: ({ signal }) => call('GET /session/tracked', { query: { limit: 1 }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const newest = tracked.data?.[0]?.retailer_product_code;
  const text = typed ?? newest ?? '';
  const valid = isProductCode(text.trim());
  const field = (
    <TextField
      label="Product code"
      value={text}
      onChange={setTyped}
      inputMode="numeric"
      spellCheck={false}
      placeholder={NO_CODE}
      error={valid || text.trim() === '' ? undefined : 'A product code has only digits.'}
      hint={
        text.trim() === ''
          ? `Without a code the examples say ${NO_CODE}.`
          : typed === null
            ? 'Your newest tracked product.'
            : undefined
      }
    />
  );
  return { code: valid ? text.trim() : NO_CODE, field };
}
