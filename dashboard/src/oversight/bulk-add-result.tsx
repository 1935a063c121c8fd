// How far the adding is, and what became of each line.
import { useMemo } from 'react';
import type { Tone } from '../design/badge.tsx';
import { StatusDot } from '../design/badge.tsx';
import { TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { type Column, VirtualTable } from '../design/virtual-table.tsx';
import { paths } from '../paths.ts';
import { type AddLine, type AddState, FAILED, STATE_WORDS, summaryOf } from './add-outcome.ts';
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
};

const COLUMNS: Column<AddLine>[] = [
  { id: 'line', header: 'Line', width: 64, cell: ({ line }) => line },
  {
    ...{ id: 'code', header: 'Code', width: 112 },
    cell: ({ code, state }) =>
      state === 'added' || state === 'tracked' ? (
        <TextLink to={paths.product(code)}>{code}</TextLink>
      ) : (
        code
      ),
  },
  {
    ...{ id: 'state', header: 'Result', width: 136 },
    cell: ({ state }) => <StatusDot tone={TONES[state]}>{STATE_WORDS[state]}</StatusDot>,
  },
  {
    ...{ id: 'detail', header: 'Reason', wideOnly: true },
    cell: ({ detail }) => <span title={detail ?? undefined}>{detail}</span>,
  },
];

const keyOf = ({ code }: AddLine) => code;

export function BulkAddResult({ run }: { run: AddRun }) {
  const { lines, isOver } = run;
  // Once all is over, what failed is what one wants to see.
  const shown = useMemo(
    () =>
      isOver
        ? lines.toSorted((a, b) => Number(FAILED.has(b.state)) - Number(FAILED.has(a.state)))
        : lines,
    [lines, isOver],
  );
  const done = lines.filter(({ state }) => state !== 'waiting').length;
  return (
    <div className="flex flex-col gap-3">
      <ProgressBar label="Codes sent" value={done} of={lines.length} />
      <p role={isOver ? 'status' : undefined} className="text-sm text-ink tabular-nums">
        {isOver ? summaryOf(lines) : `${countText(done)} of ${countText(lines.length)}: `}
        {isOver ? '' : summaryOf(lines)}
      </p>
      <div className="overflow-hidden rounded-md border border-line">
        <VirtualTable
          caption="Result per line"
          rows={shown}
          rowKey={keyOf}
          columns={COLUMNS}
          rowHeight={32}
          maxHeight="40dvh"
        />
      </div>
    </div>
  );
}
