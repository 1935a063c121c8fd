// Single-line and multi-line fields with label, hint and error.
import { Eye, EyeOff } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { classNames } from './class-names.ts';

export type FieldTexts = {
  label: string;
  /** Visible to screen readers only; for search boxes and filters whose purpose is clear. */
  labelHidden?: boolean;
  hint?: ReactNode;
  error?: ReactNode;
};

type FrameProps = FieldTexts & {
  id: string;
  className?: string | undefined;
  children: ReactNode;
};

export function FieldFrame(props: FrameProps) {
  const { id, label, labelHidden, hint, error, className, children } = props;
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'text-xs font-medium text-ink'}>
        {label}
      </label>
      {children}
      {hint ? (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs text-critical">
          {error}
        </p>
      ) : null}
    </div>
  );
}

export function describedBy(id: string, { hint, error }: FieldTexts): string | undefined {
  const ids = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(' ');
}

/** For forms: after a rejection (a new object each time) the first invalid field gets the focus. */
export function useFocusOnError(error: object | null): Ref<HTMLFormElement> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}

type TextFieldProps = FieldTexts &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'children'> & {
    value: string;
    onChange: (value: string) => void;
    /** An icon before the text. */
    icon?: ReactNode;
    /** A unit or a small button after the text. */
    suffix?: ReactNode;
    ref?: Ref<HTMLInputElement>;
    inputClassName?: string;
  };

export function TextField(props: TextFieldProps) {
  const { label, labelHidden, hint, error, value, onChange, icon, suffix, ...rest } = props;
  const { className, inputClassName, id: givenId, ...input } = rest;
  const ownId = useId();
  const id = givenId ?? ownId;
  const texts = { label, labelHidden, hint, error };
  return (
    <FieldFrame {...texts} id={id} className={className}>
      <div className="relative flex items-center">
        {icon ? (
          <span className="pointer-events-none absolute left-2.5 text-faint [&>svg]:size-3.5">
            {icon}
          </span>
        ) : null}
        <input
          autoComplete="off"
          {...input}
          id={id}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, texts)}
          className={classNames('control', inputClassName)}
          style={{
            paddingLeft: icon ? 30 : undefined,
            paddingRight: suffix ? 40 : undefined,
            ...input.style,
          }}
        />
        {suffix ? (
          <span className="absolute right-2 flex items-center text-xs text-muted">{suffix}</span>
        ) : null}
      </div>
    </FieldFrame>
  );
}

/** A password with a button that shows it. */
export function PasswordField(
  props: Omit<TextFieldProps, 'type' | 'suffix'> & {
    autoComplete: 'current-password' | 'new-password';
  },
) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      suffix={
        <button
          type="button"
          aria-label={shown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!shown)}
          className="rounded-sm p-1 text-muted hover:text-ink"
        >
          <Icon aria-hidden className="size-4" />
        </button>
      }
    />
  );
}

type NumberFieldProps = FieldTexts & {
  /** Null means an empty field. */
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
  suffix?: ReactNode;
  disabled?: boolean;
  required?: boolean;
  id?: string;
  className?: string;
};

export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  // The text stays as typed ("1.", ""); the number is its current meaning.
  const [typed, setTyped] = useState<string | null>(null);
  const means = (text: string) => (text.trim() === '' ? null : Number(text));
  const shown = typed !== null && means(typed) === value ? typed : (value?.toString() ?? '');
  return (
    <TextField
      {...rest}
      inputMode="decimal"
      type="number"
      value={shown}
      onChange={(text) => {
        setTyped(text);
        const number = means(text);
        if (number === null || Number.isFinite(number)) onChange(number);
      }}
      inputClassName="tabular-nums"
    />
  );
}

type TextAreaProps = FieldTexts &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value' | 'children'> & {
    value: string;
    onChange: (value: string) => void;
    mono?: boolean;
    ref?: Ref<HTMLTextAreaElement>;
  };

export function TextArea(props: TextAreaProps) {
  const { label, labelHidden, hint, error, value, onChange, mono, className, ...rest } = props;
  const ownId = useId();
  const id = rest.id ?? ownId;
  const texts = { label, labelHidden, hint, error };
  return (
    <FieldFrame {...texts} id={id} className={className}>
      <textarea
        rows={5}
        {...rest}
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, texts)}
        className={classNames('control min-h-20 resize-y', mono && 'font-mono')}
      />
    </FieldFrame>
  );
}
