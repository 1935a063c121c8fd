// The chips above the chart: which lines are shown, with their values at the crosshair.
import { useState } from 'react';
import { classNames } from '../design/class-names.ts';
import type { Line, LineColour } from './chart-model.ts';
import type { ChartSeries } from './chart-series.ts';
import { colourVariable } from './palette.ts';

const DEFAULT_SELLERS = 4;
/** On a phone one line that scrolls, so that the chart is not pushed off the screen. */
const ROW =
  'flex min-w-0 items-center gap-1.5 sm:flex-wrap max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 ' +
  'max-sm:[scrollbar-width:none]';
/** More are behind a button. */
const CHIPS_MAX = 8;

/** The watched seller and those who sold longest. */
export function defaultSellers({ sellers }: ChartSeries, ownSeller: string | null): string[] {
  const longest = [...sellers].sort((a, b) => b.listedMs - a.listedMs).map(({ name }) => name);
  const first = longest.filter((name) => name !== ownSeller).slice(0, DEFAULT_SELLERS);
  return ownSeller !== null && longest.includes(ownSeller) ? [ownSeller, ...first] : first;
}

type ChipsProps = {
  series: ChartSeries;
  compared: Line | null;
  hasEvents: boolean;
  ownSeller: string | null;
  hidden: readonly string[];
  sellers: readonly string[];
  onHidden: (hidden: readonly string[]) => void;
  onSellers: (sellers: readonly string[]) => void;
  onEmphasis: (seller: string | null) => void;
};

const NAMES: Readonly<Record<string, string>> = {
  buybox: 'Buybox',
  lowest: 'Lowest offer',
  rank: 'Rank',
  stock: 'Stock',
  sold: 'Units sold',
};

export function SeriesChips(props: ChipsProps) {
  const { series, compared, hidden, onHidden } = props;
  const toggle = (id: string) =>
    onHidden(hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]);
  const lines = series.lines.map(({ id, colour }) => ({ id, name: NAMES[id] ?? id, colour }));
  const chips: { id: string; name: string; colour: LineColour | null }[] = [...lines];
  if (compared !== null) chips.push({ id: compared.id, name: compared.name, colour: 'compare' });
  if (series.buybox.holders.length > 0)
    chips.push({ id: 'holder', name: 'Buybox holder', colour: null });
  if (props.hasEvents) chips.push({ id: 'events', name: 'Events', colour: null });
  return (
    <div className="flex flex-col gap-1.5">
      <fieldset className={ROW}>
        <legend className="sr-only">Lines shown</legend>
        {chips.map(({ id, name, colour }) => (
          <Chip
            key={id}
            colour={colour}
            isOn={!hidden.includes(id)}
            onClick={() => toggle(id)}
            name={name}
          />
        ))}
      </fieldset>
      {series.sellers.length > 0 ? <SellerChips {...props} /> : null}
    </div>
  );
}

function SellerChips({ series, sellers, ownSeller, onSellers, onEmphasis }: ChipsProps) {
  const [isOpen, setOpen] = useState(false);
  const names = series.sellers.map(({ name }) => name);
  // Those shown first, then in the order of their first offer.
  const ordered = [
    ...names.filter((name) => sellers.includes(name)),
    ...names.filter((name) => !sellers.includes(name)),
  ];
  const listed = isOpen ? names : ordered.slice(0, CHIPS_MAX);
  const isAll = names.every((name) => sellers.includes(name));
  return (
    <fieldset className={ROW}>
      <legend className="sr-only">Sellers shown</legend>
      {listed.map((name) => {
        const isOn = sellers.includes(name);
        return (
          <Chip
            key={name}
            name={name}
            note={name === ownSeller ? 'You' : null}
            colour={series.colourOfSeller.get(name) ?? 0}
            reading={isOn ? `seller:${name}` : null}
            isOn={isOn}
            onClick={() =>
              onSellers(isOn ? sellers.filter((one) => one !== name) : [...sellers, name])
            }
            onPoint={isOn ? (isPointed) => onEmphasis(isPointed ? name : null) : undefined}
          />
        );
      })}
      {names.length > CHIPS_MAX ? (
        <TextButton onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer sellers' : `${names.length - listed.length} more sellers`}
        </TextButton>
      ) : null}
      <TextButton onClick={() => onSellers(isAll ? [] : names)}>
        {isAll ? 'Hide all' : 'Show all'}
      </TextButton>
    </fieldset>
  );
}

const TextButton = ({ onClick, children }: { onClick: () => void; children: React.ReactNode }) => (
  <button
    type="button"
    onClick={onClick}
    className="h-6 shrink-0 rounded-sm px-1 text-xs text-muted hover:text-ink hover:underline coarse:h-8"
  >
    {children}
  </button>
);

function Chip({
  name,
  note,
  colour,
  reading,
  isOn,
  onClick,
  onPoint,
}: {
  name: string;
  note?: string | null;
  colour: LineColour | null;
  /** The line whose value it shows. */
  reading?: string | null;
  isOn: boolean;
  onClick: () => void;
  onPoint?: ((isPointed: boolean) => void) | undefined;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      onPointerEnter={() => onPoint?.(true)}
      onPointerLeave={() => onPoint?.(false)}
      onFocus={() => onPoint?.(true)}
      onBlur={() => onPoint?.(false)}
      className={classNames(
        'inline-flex h-6 max-w-64 shrink-0 items-center gap-1.5 rounded-full border px-2 text-xs coarse:h-8',
        isOn
          ? 'border-line-strong bg-surface text-ink hover:bg-hover'
          : 'border-line bg-transparent text-muted hover:text-ink',
      )}
    >
      {colour === null ? null : (
        <span
          aria-hidden
          className={classNames('size-2 shrink-0 rounded-full', !isOn && 'opacity-40')}
          style={{ background: colourVariable(colour) }}
        />
      )}
      <span className="truncate">{name}</span>
      {note ? <span className="text-faint">{note}</span> : null}
      {reading ? (
        <span
          aria-hidden
          data-reading={reading}
          className="min-w-12 text-right font-medium tabular-nums"
        />
      ) : null}
    </button>
  );
}
