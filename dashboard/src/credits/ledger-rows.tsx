// The ledger's entries: a table on a wide screen, two lines each on a phone.
import { memo } from 'react';
import { paths } from '../app/paths.ts';
import { Badge } from '../design/badge.tsx';
import { classNames } from '../design/class-names.ts';
import { TextLink } from '../design/link.tsx';
import { Absent, Count } from '../design/money.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Time } from '../design/time.tsx';
import { entryText, KIND_WORDS, type LedgerEntry, signedText } from './ledger-words.ts';
import { runningBalances } from './running-balance.ts';

type Props = { entries: readonly LedgerEntry[] };

export function LedgerTable({ entries }: Props) {
  const balances = runningBalances(entries);
  return (
    <DataTable caption="Ledger entries">
      <TableHead>
        <Th>Time</Th>
        <Th>Kind</Th>
        <Th>Operation</Th>
        <Th>Product</Th>
        <Th align="end">Credits</Th>
        <Th align="end">Balance</Th>
        <Th>Reference</Th>
      </TableHead>
      <TableBody>
        {entries.map((entry, index) => (
          <Row key={entry.id} entry={entry} balance={balances[index] ?? null} />
        ))}
      </TableBody>
    </DataTable>
  );
}

/** An entry never changes, so that a live update renders only new rows. */
const Row = memo(function Row({ entry, balance }: RowProps) {
  return (
    <Tr>
      <Td className="text-muted">
        <Time at={entry.at} />
      </Td>
      <Td>
        <Badge tone={entry.credits > 0 ? 'positive' : 'neutral'}>{KIND_WORDS[entry.kind]}</Badge>
      </Td>
      <Td className="max-w-72 truncate text-ink" title={entryText(entry)}>
        {entryText(entry)}
      </Td>
      <Td>
        <Product entry={entry} />
      </Td>
      <Td align="end">
        <Amount entry={entry} />
      </Td>
      <Td align="end" className="text-muted">
        <Count of={balance} absent="known for the whole list of this period only" />
      </Td>
      <Td className="max-w-44">
        <code
          title={entry.reference}
          className="block truncate font-mono text-xs text-muted select-all"
        >
          {entry.reference}
        </code>
      </Td>
    </Tr>
  );
}, sameRow);

type RowProps = { entry: LedgerEntry; balance: number | null };

function sameRow(a: RowProps, b: RowProps): boolean {
  return sameEntry(a, b) && a.balance === b.balance;
}

export function LedgerList({ entries }: Props) {
  return (
    <ul aria-label="Ledger entries" className="divide-y divide-line">
      {entries.map((entry) => (
        <Item key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

const Item = memo(function Item({ entry }: { entry: LedgerEntry }) {
  return (
    <li className="flex items-start gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <div className="text-sm text-ink">{entryText(entry)}</div>
        <div className="flex flex-wrap gap-x-2 text-xs text-muted">
          <Time at={entry.at} />
          {entry.retailer_product_code === null ? null : <Product entry={entry} />}
        </div>
        <code className="block truncate font-mono text-2xs text-faint select-all">
          {entry.reference}
        </code>
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1 text-sm">
        <Amount entry={entry} />
        <span className="text-2xs text-muted">{KIND_WORDS[entry.kind]}</span>
      </div>
    </li>
  );
}, sameEntry);

function sameEntry(a: { entry: LedgerEntry }, b: { entry: LedgerEntry }): boolean {
  return a.entry.id === b.entry.id;
}

function Product({ entry }: { entry: LedgerEntry }) {
  const code = entry.retailer_product_code;
  if (code === null) return <Absent reason="no product" />;
  return (
    <TextLink
      to={paths.product(code)}
      title={`${entry.product_name ?? 'Product'}, ${code}`}
      className="block max-w-60 truncate tabular-nums"
    >
      {entry.product_name ?? code}
    </TextLink>
  );
}

function Amount({ entry }: { entry: LedgerEntry }) {
  return (
    <span
      data-numeric
      className={classNames('font-medium', entry.credits > 0 ? 'text-positive' : 'text-ink')}
    >
      {signedText(entry.credits)}
    </span>
  );
}
