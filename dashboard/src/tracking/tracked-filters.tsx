// Search, filters and sort order of the tracked products, all kept in the URL.
import { ArrowDownNarrowWide, ArrowUpNarrowWide, Search } from 'lucide-react';
import { IconButton } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { classNames } from '../design/class-names.ts';
import { TextField } from '../design/field.tsx';
import { countText } from '../design/money.tsx';
import { type TierPrices, tierName } from './tier-words.tsx';
import { type Direction, SORTS } from './tracked-view.ts';

export const VIEW_DEFAULTS = {
  q: '',
  tier: '',
  status: '',
  tag: '',
  attention: '',
  sort: 'added',
  order: '',
};
type View = { [K in keyof typeof VIEW_DEFAULTS]: string };

/** The initial direction of a column: newest and soonest first, names from A. */
export const directionOf = ({ sort, order }: View): Direction =>
  order === 'ascending' || order === 'descending'
    ? order
    : ['added', 'updated'].includes(sort)
      ? 'descending'
      : 'ascending';

export function TrackedFilters({
  view,
  onChange,
  prices,
  tags,
  needing,
}: {
  view: View;
  onChange: (patch: Partial<View>) => void;
  prices: TierPrices | undefined;
  /** The tags in use. */
  tags: readonly string[];
  /** How many products need attention; undefined until all are loaded. */
  needing: number | undefined;
}) {
  return (
    <div className="grid grid-cols-2 gap-2 md:flex md:items-center">
      <TextField
        label="Search tracked products"
        labelHidden
        type="search"
        data-page-search
        placeholder="Name, brand, code or seller"
        icon={<Search aria-hidden />}
        value={view.q}
        onChange={(q) => onChange({ q })}
        className="col-span-2 md:w-72"
      />
      <SelectField
        label="Tier"
        labelHidden
        value={view.tier}
        onChange={(tier) => onChange({ tier })}
        options={[
          { value: '', label: 'All tiers' },
          ...(prices ?? []).map(({ tier }) => ({
            value: String(tier),
            label: `${tier} · ${tierName(tier, prices)}`,
          })),
        ]}
        className="md:w-36"
      />
      <SelectField
        label="Status"
        labelHidden
        value={view.status}
        onChange={(status) => onChange({ status })}
        options={[
          { value: '', label: 'Any status' },
          { value: 'active', label: 'Active' },
          { value: 'suspended', label: 'Suspended' },
        ]}
        className="md:w-32"
      />
      <TagFilter tags={tags} tag={view.tag} onChange={(tag) => onChange({ tag })} />
      <AttentionFilter
        isOn={view.attention !== ''}
        needing={needing}
        onChange={(isOn) => onChange({ attention: isOn ? 'yes' : '' })}
      />
      <SortControl view={view} onChange={onChange} />
    </div>
  );
}

type TagProps = { tags: readonly string[]; tag: string; onChange: (tag: string) => void };

function TagFilter({ tags, tag, onChange }: TagProps) {
  if (tags.length === 0 && tag === '') return null;
  return (
    <SelectField
      label="Tag"
      labelHidden
      value={tag}
      onChange={onChange}
      options={[
        { value: '', label: 'Any tag' },
        ...tags.map((one) => ({ value: one, label: `#${one}` })),
      ]}
      className="md:w-32"
    />
  );
}

type SortProps = { view: View; onChange: (patch: Partial<View>) => void };

function SortControl({ view, onChange }: SortProps) {
  const direction = directionOf(view);
  const other = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <div className="flex items-center gap-1 md:ml-auto">
      <SelectField
        label="Sort by"
        labelHidden
        value={view.sort}
        onChange={(sort) => onChange({ sort, order: '' })}
        options={SORTS.map(({ id, name }) => ({ value: id, label: `By ${name.toLowerCase()}` }))}
        className="min-w-0 flex-1 md:w-36"
      />
      <IconButton
        label={direction === 'ascending' ? 'Ascending' : 'Descending'}
        icon={
          direction === 'ascending' ? (
            <ArrowUpNarrowWide aria-hidden className="size-4" />
          ) : (
            <ArrowDownNarrowWide aria-hidden className="size-4" />
          )
        }
        onClick={() => onChange({ order: other })}
      />
    </div>
  );
}

function AttentionFilter(props: {
  isOn: boolean;
  needing: number | undefined;
  onChange: (isOn: boolean) => void;
}) {
  const { isOn, needing, onChange } = props;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
      className={classNames(
        'inline-flex h-8 items-center justify-center gap-1.5 rounded-md border px-3 text-sm whitespace-nowrap coarse:h-10',
        isOn
          ? 'border-accent-ink bg-accent-soft text-accent-ink'
          : 'border-control-line bg-surface text-ink hover:bg-hover',
      )}
    >
      Needs attention
      {/* Keeps its width, so that the filters beside it do not move. */}
      <span className="min-w-4 text-left tabular-nums opacity-80">
        {needing === undefined ? '' : countText(needing)}
      </span>
    </button>
  );
}
