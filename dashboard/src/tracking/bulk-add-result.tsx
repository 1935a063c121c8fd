// The progress of adding, and the result of each line.
import { useState } from 'react';
import { paths } from '../app/paths.ts';
import type { Tone } from '../design/badge.tsx';
import { StatusDot } from '../design/badge.tsx';
import { Switch } from '../design/choice.tsx';
import { TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import type { Column } from '../design/table-column.ts';
import { VirtualTable } from '../design/virtual-table.tsx';
import {
  type AddLine,
  type AddState,
  looksLikeBarcode,
  STATE_WORDS,
  summaryOf,
} from './add-outcome.ts';
import type { AddRun } from './bulk-add.ts';
import { ProgressBar } from './progress-bar.tsx';

const TONES: Record<AddState, Tone> = {
  waiting: 'neutral',
  added: 'positive',
  tracked: 'accent',
  'not-found': 'critical',
  refused: 'critical',
  limit: 'caution',
  stopped: 'neutral',
  'left-out': 'neutral',
};

const COLUMNS: Column<AddLine>[] = [
  { id: 'line', header: 'Line', width: 60, cell: ({ line }) => line },
  {
    id: 'code',
    header: 'Code',
    width: 144,
    cell: ({ code, state }) =>
      state === 'added' || state === 'tracked' ? (
        <TextLink to={paths.product(code)}>{code}</TextLink>
      ) : (
        <span title={code}>{code}</span>
      ),
  },
  {
    id: 'state',
    header: 'Result',
    width: 136,
    cell: ({ state }) => <StatusDot tone={TONES[state]}>{STATE_WORDS[state]}</StatusDot>,
  },
  {
    id: 'detail',
    header: 'Reason',
    wideOnly: true,
    cell: ({ detail }) => <span title={detail ?? undefined}>{detail}</span>,
  },
];

const keyOf = ({ position }: AddLine) => String(position);

export function BulkAddResult({ run }: { run: AddRun }) {
  const { lines, isOver } = run;
  const [onlyOthers, setOnlyOthers] = useState(false);
  const others = lines.filter(({ state }) => state !== 'added');
  const done = lines.filter(({ state }) => state !== 'waiting').length;
  const barcodes = lines.filter(
    ({ code, state }) => state === 'not-found' && looksLikeBarcode(code),
  ).length;
  return (
    <div className="flex flex-col gap-3">
      <ProgressBar label="Codes done" value={done} of={lines.length} />
      <p role={isOver ? 'status' : undefined} className="text-sm text-ink tabular-nums">
        {isOver ? summaryOf(lines) : `${countText(done)} of ${countText(lines.length)}: `}
        {isOver ? '' : summaryOf(lines)}
      </p>
      {isOver && barcodes > 0 ? (
        <Notice tone="caution">
          {barcodes === 1
            ? 'One code that was not found may be'
            : `${countText(barcodes)} codes that were not found may each be`}{' '}
          a UPC or EAN. Product codes are needed here:{' '}
          <TextLink to={paths.products()}>look up the product</TextLink> to get its code.
        </Notice>
      ) : null}
      {isOver && others.length > 0 && others.length < lines.length ? (
        <Switch
          label={`Show only those not added (${countText(others.length)})`}
          checked={onlyOthers}
          onChange={setOnlyOthers}
        />
      ) : null}
      <div className="overflow-hidden rounded-md border border-line">
        <VirtualTable
          caption="Result per line"
          rows={isOver && onlyOthers ? others : lines}
          rowKey={keyOf}
          columns={COLUMNS}
          rowHeight={32}
          maxHeight="40dvh"
        />
      </div>
    </div>
  );
}
