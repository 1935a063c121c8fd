// Switching between views: tabs with panels, and a segmented control.
import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

export type Tab<V extends string> = { value: V; label: ReactNode; panel: ReactNode };

export function Tabs<V extends string>({
  label,
  value,
  onChange,
  tabs,
  className,
}: {
  label: string;
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  className?: string;
}) {
  return (
    <Base.Root value={value} onValueChange={(now) => onChange(now as V)} className={className}>
      <Base.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent py-2 text-sm whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

/** One of a few options, such as a chart's range. Radio buttons underneath. */
export function SegmentedControl<V extends string>({
  label,
  value,
  onChange,
  options,
  className,
}: {
  label: string;
  value: V | null;
  onChange: (value: V) => void;
  options: readonly { value: V; label: ReactNode; name?: string; disabled?: boolean }[];
  className?: string;
}) {
  const name = useId();
  return (
    <fieldset
      className={classNames(
        'inline-flex h-fit w-fit rounded-md border border-line-strong bg-surface p-0.5',
        className,
      )}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex h-6 cursor-pointer items-center justify-center gap-1 rounded-sm px-2 text-xs whitespace-nowrap text-muted select-none hover:text-ink has-checked:bg-pressed has-checked:font-medium has-checked:text-ink has-disabled:opacity-50 has-focus-visible:outline-2 has-focus-visible:outline-accent-ink coarse:h-8 coarse:px-3 [&_svg]:size-3.5"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            aria-label={option.name}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
