// Finds a product by UPC, EAN, code or address and opens it, or by words and lists what matches. A
// product in the library, and a sample, opens for free.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { ApiProblem } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import {
  codeInAddress,
  digitsOf,
  guessKind,
  isWords,
  type NumberKind,
  numberError,
  numberWarning,
} from '../app/product-number.ts';
import { requestSearch, searchText } from '../app/search-request.ts';
import { useServerNowMs } from '../app/server-clock.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { CostButton } from '../design/cost.tsx';
import { TextField } from '../design/field.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { relativeText } from '../design/time.tsx';
import { trackedByCode } from '../tracking/tracked-product.ts';
import { PaidProblem } from './paid-parts.tsx';
import { buy, useAccountId, useIsSample, useStoredDetails } from './paid-responses.ts';

const KINDS: readonly { value: NumberKind; label: string; name: string }[] = [
  { value: 'upc', label: 'UPC', name: 'UPC, UPC-E or GTIN' },
  { value: 'ean', label: 'EAN', name: 'EAN-13, EAN-8 or GTIN' },
  { value: 'retailer_product_code', label: 'Code', name: 'Product code' },
];

/** The typed number, its kind, and what the button does. */
function useNumberForm(initial: string) {
  const router = useRouter();
  const [typed, setTyped] = useState(initial);
  const [chosen, setChosen] = useState<NumberKind | null>(null);
  const [inputError, setInputError] = useState<string | null>(null);
  const prices = usePrices().data;
  const [, setAddress] = useAddressSearch({ s: '', after: '' });
  const addressCode = codeInAddress(typed);
  const digits = addressCode ?? digitsOf(typed);
  const kind = addressCode === null ? (chosen ?? guessKind(typed)) : 'retailer_product_code';
  const areWords = isWords(typed);
  const isSample = useIsSample(digits);
  const credits = areWords ? prices?.search : prices?.product_details;
  const inLibrary = useStoredDetails()(kind, digits);
  const stored = isSample ? { code: digits, atMs: inLibrary?.atMs ?? null } : inLibrary;
  const lookUp = useLookUp();
  const change = (text: string) => {
    setTyped(text);
    setInputError(null);
    lookUp.reset();
    // A new number gets a new guess.
    if (digitsOf(text) === '') setChosen(null);
  };
  const choose = (next: NumberKind) => {
    setChosen(next);
    setInputError(null);
    lookUp.reset();
  };
  const open = (code: string) => router.history.push(paths.product(code));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (areWords) {
      const text = searchText(typed);
      requestSearch(text);
      setAddress({ s: text, after: '' });
      return;
    }
    const error = numberError(typed, kind);
    setInputError(error);
    if (error !== null || lookUp.isPending) return;
    if (stored) open(stored.code);
    else if (credits !== undefined)
      lookUp.mutate({ kind, digits, credits }, { onSuccess: (code) => open(code) });
  };
  return {
    typed,
    digits,
    kind,
    isNumber: digits !== '' && addressCode === null && !areWords,
    areWords,
    chosen,
    inputError,
    stored,
    credits,
    lookUp,
    change,
    choose,
    submit,
  };
}

export function LookUpForm({ initial }: { initial: string }) {
  const form = useNumberForm(initial);
  const { typed, digits, kind, areWords, chosen, inputError, stored, lookUp } = form;
  const now = useServerNowMs();
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-2">
      <div className="flex flex-col gap-2 sm:flex-row sm:items-center">
        <TextField
          label="Find a product"
          labelHidden
          placeholder="Name, brand, UPC, EAN, code or product address"
          type="search"
          data-page-search
          spellCheck={false}
          maxLength={ADDRESS_CHARS_MAX}
          value={typed}
          onChange={form.change}
          icon={<Search aria-hidden />}
          className="flex-1"
          inputClassName="tabular-nums"
        />
        <div className="flex items-center justify-between gap-2">
          {form.isNumber ? (
            <SegmentedControl
              label="Kind of number"
              value={kind}
              onChange={form.choose}
              options={KINDS}
            />
          ) : null}
          {stored ? (
            <Button type="submit" variant="primary">
              Open product
            </Button>
          ) : (
            <CostButton
              type="submit"
              variant="primary"
              credits={form.credits}
              busy={lookUp.isPending}
            >
              {areWords ? 'Search' : 'Look up'}
            </CostButton>
          )}
        </div>
      </div>
      <Remark
        inputError={inputError}
        // The response to a miss says the same.
        doubt={lookUp.error || areWords ? null : numberWarning(digits, kind)}
        plain={
          stored
            ? openText(stored.atMs, now)
            : areWords
              ? 'A search that finds nothing is free.'
              : plainText(digits, kind, chosen)
        }
      />
      {lookUp.error ? <Miss error={lookUp.error} kind={kind} onChoose={form.choose} /> : null}
    </form>
  );
}

const MISSES: ReadonlySet<string> = new Set(['product_not_found', 'gtin_search_unsupported']);

/** A number that is no UPC or EAN of the marketplace may still be a product code. */
function Miss({
  error,
  kind,
  onChoose,
}: {
  error: Error;
  kind: NumberKind;
  onChoose: (kind: NumberKind) => void;
}) {
  const isMiss = error instanceof ApiProblem && MISSES.has(error.code);
  return (
    <PaidProblem
      error={error}
      action={
        isMiss && kind !== 'retailer_product_code' ? (
          <Button size="sm" onClick={() => onChoose('retailer_product_code')}>
            Try it as a product code
          </Button>
        ) : undefined
      }
    />
  );
}

/** One line of fixed height, so that nothing moves while typing. */
function Remark({
  inputError,
  doubt,
  plain,
}: {
  inputError: string | null;
  doubt: string | null;
  plain: string;
}) {
  if (inputError !== null)
    return (
      <p role="alert" className="min-h-4 text-xs text-critical">
        {inputError}
      </p>
    );
  return (
    <p role="status" className={`min-h-4 text-xs ${doubt ? 'text-caution' : 'text-muted'}`}>
      {doubt ?? plain}
    </p>
  );
}

/** Long enough for the address of a product. */
const ADDRESS_CHARS_MAX = 2_000;

const openText = (atMs: number | null, nowMs: number) =>
  atMs === null
    ? 'A sample product. Opening it is free.'
    : `In your library, looked up ${relativeText(atMs, nowMs)}. Opening it is free.`;

function plainText(digits: string, kind: NumberKind, chosen: NumberKind | null): string {
  if (chosen === null && kind === 'upc') {
    const name = digits.length === 14 ? 'GTIN' : 'UPC';
    return `${digits.length} digits are read as a ${name}. Choose Code if it is a product code.`;
  }
  if (chosen === null && kind === 'ean')
    return '13 digits are read as an EAN. Choose Code if it is a product code.';
  if (digits === '') return 'If the product is not found, you are not charged.';
  return kind === 'retailer_product_code' ? 'Read as a product code.' : '';
}

type LookUpRequest = { kind: NumberKind; digits: string; credits: number };

/** Returns the product's code. The page of a tracked product is free and needs only its code. */
function useLookUp() {
  const account = useAccountId();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ kind, digits, credits }: LookUpRequest): Promise<string> => {
      if (kind === 'retailer_product_code') {
        // Offline the request would wait, and be charged whenever the connection returns.
        const trackedQuery = {
          ...trackedByCode(digits),
          networkMode: 'always',
          retry: false,
        } as const;
        const row = await client.fetchQuery(trackedQuery);
        if (row !== null) return row.retailer_product_code;
      }
      const question = { what: 'details', code: digits, by: kind } as const;
      return (await buy<'details'>(account, question, { maxCredits: credits }))
        .retailer_product_code;
    },
  });
}
