// Fields for choosing: select, checkbox, switch, radio cards.
import { Check, ChevronDown, Minus } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, FieldFrame, type FieldTexts } from './field.tsx';

export type Option<V extends string> = { value: V; label: string; disabled?: boolean };

type SelectFieldProps<V extends string> = FieldTexts & {
  value: V;
  onChange: (value: V) => void;
  options: readonly Option<V>[];
  disabled?: boolean;
  id?: string;
  className?: string;
};

export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { value, onChange, options, disabled, className, ...texts } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  return (
    <FieldFrame {...texts} id={id} className={className}>
      <div className="relative flex items-center">
        <select
          id={id}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value as V)}
          aria-invalid={texts.error ? true : undefined}
          aria-describedby={describedBy(id, texts)}
          className="control appearance-none truncate pr-8"
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute right-2.5 size-3.5 text-muted"
        />
      </div>
    </FieldFrame>
  );
}

type CheckboxProps = {
  label: ReactNode;
  labelHidden?: boolean;
  hint?: ReactNode;
  checked: boolean;
  /** Some but not all items are selected. */
  mixed?: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** The id of the element that describes the error. */
  errorId?: string | undefined;
  className?: string;
};

export function Checkbox(props: CheckboxProps) {
  const { labelHidden, hint, checked, mixed = false, onChange, disabled, className } = props;
  const { errorId } = props;
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  const Mark = mixed ? Minus : Check;
  return (
    <div className={classNames('flex items-start gap-2', className)}>
      <span
        className={classNames(
          'relative grid size-4 shrink-0 place-items-center',
          !labelHidden && 'mt-0.5',
        )}
      >
        <input
          ref={box}
          id={id}
          type="checkbox"
          checked={checked}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
          aria-invalid={errorId ? true : undefined}
          aria-describedby={[errorId, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined}
          className="size-4 appearance-none rounded-sm border border-control-line bg-surface aria-invalid:border-critical checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:opacity-50"
        />
        {checked || mixed ? (
          <Mark
            aria-hidden
            strokeWidth={3}
            className="pointer-events-none absolute size-3 text-on-accent"
          />
        ) : null}
      </span>
      <ChoiceLabel id={id} {...props} />
    </div>
  );
}

function ChoiceLabel({
  id,
  label,
  labelHidden,
  hint,
}: Pick<CheckboxProps, 'label' | 'labelHidden' | 'hint'> & { id: string }) {
  return (
    <span className="min-w-0">
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'text-sm text-ink'}>
        {label}
      </label>
      {hint ? (
        <span id={`${id}-hint`} className="block text-xs text-muted">
          {hint}
        </span>
      ) : null}
    </span>
  );
}

/** Takes effect at once; inside a form with a Save button use a Checkbox. */
export function Switch(props: Omit<CheckboxProps, 'mixed' | 'errorId'>) {
  const { hint, checked, onChange, disabled, className } = props;
  const id = useId();
  return (
    <div className={classNames('flex items-start gap-2.5', className)}>
      <span className="relative mt-0.5 inline-flex h-4 w-7 shrink-0">
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={checked}
          checked={checked}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="peer h-4 w-7 appearance-none rounded-full bg-control-line transition-colors checked:bg-accent disabled:opacity-50"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-3 rounded-full bg-on-accent transition-transform peer-checked:translate-x-3"
        />
      </span>
      <ChoiceLabel id={id} {...props} />
    </div>
  );
}

export type RadioCard<V extends string> = {
  value: V;
  title: ReactNode;
  detail?: ReactNode;
  /** Shown at the right edge: a price. */
  aside?: ReactNode;
  disabled?: boolean;
};

type RadioCardsProps<V extends string> = {
  legend: string;
  legendHidden?: boolean;
  value: V | null;
  onChange: (value: V) => void;
  cards: readonly RadioCard<V>[];
  className?: string;
};

export function RadioCards<V extends string>(props: RadioCardsProps<V>) {
  const { legend, legendHidden, value, onChange, cards, className } = props;
  const name = useId();
  return (
    <fieldset className={classNames('min-w-0', className)}>
      <legend className={legendHidden ? 'sr-only' : 'mb-1 text-xs font-medium text-ink'}>
        {legend}
      </legend>
      <div className="divide-y divide-line overflow-hidden rounded-md border border-line-strong">
        {cards.map((card) => (
          <label
            key={card.value}
            className="flex cursor-pointer items-start gap-2.5 px-3 py-2 hover:bg-hover has-checked:bg-accent-soft has-disabled:cursor-default has-disabled:opacity-50 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent-ink"
          >
            <input
              type="radio"
              name={name}
              value={card.value}
              checked={card.value === value}
              disabled={card.disabled}
              onChange={() => onChange(card.value)}
              className="mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-control-line bg-surface outline-none checked:border-5 checked:border-accent"
            />
            <span className="min-w-0 flex-1">
              <span className="block text-sm font-medium text-ink">{card.title}</span>
              {card.detail ? <span className="block text-xs text-muted">{card.detail}</span> : null}
            </span>
            {card.aside ? (
              <span className="shrink-0 text-right text-xs text-muted tabular-nums">
                {card.aside}
              </span>
            ) : null}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
