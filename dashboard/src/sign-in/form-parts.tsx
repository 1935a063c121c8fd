// Parts shared by the sign-in forms: fields, errors, the redirect, where the link was sent.
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiProblem, explain } from '../app/api-problem.ts';
import { PASSWORD_CHARS_MIN, PASSWORD_HINT } from '../app/password-rule.ts';
import { queryClient } from '../app/query-client.ts';
import { changeAccount } from '../app/shown-account.ts';
import { Button } from '../design/button.tsx';
import { PasswordField, TextField, useFocusOnError } from '../design/field.tsx';
import { Notice } from '../design/page.tsx';
import { safeNext } from '../shell/signed-out.ts';

/** What to correct and the name of the field; null if it concerns no single field. */
type FieldError = { field: 'email' | 'password' | 'new-password' | null; text: string };
type ErrorOf = (field: FieldError['field']) => string | undefined;

type FormProps = {
  submitLabel: string;
  /** What to correct first, or null when the form can be sent. */
  check: () => FieldError | null;
  onSubmit: () => Promise<void>;
  children: (errorOf: ErrorOf) => ReactNode;
};

export function OutsideForm({ submitLabel, check, onSubmit, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [fieldError, setFieldError] = useState<FieldError | null>(null);
  const form = useFocusOnError(fieldError);
  const errorOf: ErrorOf = (field) => (fieldError?.field === field ? fieldError.text : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const wrong = check();
    setFieldError(wrong);
    if (wrong !== null) return;
    setBusy(true);
    try {
      await onSubmit();
    } catch (error) {
      setFieldError(fieldErrorOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => void submit(event)}
      // The error of a field is cleared when the field changes.
      onChange={({ target }) => {
        if ((target as Partial<HTMLInputElement>).name === fieldError?.field) setFieldError(null);
      }}
      className="flex flex-col gap-4"
    >
      {children(errorOf)}
      <div role="alert">
        {errorOf(null) ? <Notice tone="critical">{errorOf(null)}</Notice> : null}
      </div>
      <Button type="submit" variant="primary" busy={busy}>
        {submitLabel}
      </Button>
    </form>
  );
}

/** The server validates more strictly than these forms. */
const FIELD_OF_CODE: Readonly<Record<string, FieldError['field']>> = {
  email_malformed: 'email',
  password_length_invalid: 'new-password',
  password_too_common: 'new-password',
};

/** The server's message; for a network failure with its title. */
function fieldErrorOf(error: unknown): FieldError {
  const { title, detail } = explain(error);
  if (!(error instanceof ApiProblem)) return { field: null, text: `${title}. ${detail}` };
  return { field: FIELD_OF_CODE[error.code] ?? null, text: detail };
}

type ValueProps = {
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
  error: string | undefined;
};

export function EmailField(props: ValueProps) {
  return (
    <TextField
      {...props}
      label="E-mail"
      type="email"
      name="email"
      autoComplete="username"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
      required
    />
  );
}

export function NewPasswordField({ label = 'Password', ...rest }: ValueProps & { label?: string }) {
  return (
    <PasswordField
      {...rest}
      label={label}
      name="new-password"
      autoComplete="new-password"
      minLength={PASSWORD_CHARS_MIN}
      hint={PASSWORD_HINT}
      required
    />
  );
}

export function emailError(email: string): FieldError | null {
  if (email.trim() === '') return { field: 'email', text: 'Enter your e-mail address.' };
  if (/^[^\s@]+@[^\s@]+$/.test(email.trim())) return null;
  return {
    field: 'email',
    text: 'Enter an e-mail address such as name@example.com.',
  };
}

export const newPasswordError = (password: string): FieldError | null =>
  password.length >= PASSWORD_CHARS_MIN
    ? null
    : {
        field: 'new-password',
        text: `Use at least ${PASSWORD_CHARS_MIN} characters.`,
      };

/** After sign-in: clear what was cached before and go to the requested page. */
export function useEnter(): (next?: string | null) => void {
  const router = useRouter();
  return (next) => {
    queryClient.clear();
    changeAccount();
    // Replaces the entry: going back must not lead to the submitted form.
    router.history.replace(safeNext(next));
  };
}

export type Sent = { sent_to: string; mail: 'smtp' | 'log' | 'none' };
export type LinkFor = 'sign-up' | 'reset';

/** Where the link was sent: by e-mail, to the log of a server without e-mail, or nowhere. */
export function LinkSent(props: { sent: Sent; linkFor: LinkFor; onAgain: () => void }) {
  const { sent, linkFor, onAgain } = props;
  return (
    <div role="status" className="flex flex-col gap-4">
      {sent.mail === 'smtp' ? (
        <p>
          If <strong className="font-medium">{sent.sent_to}</strong> can be used here, we have sent
          a link to it. It works once.
        </p>
      ) : (
        <Notice tone="caution">{unsentText(sent, linkFor)}</Notice>
      )}
      <Button onClick={onAgain}>Use another address</Button>
    </div>
  );
}

/** "none": others can reach the server, so its log holds no link into an existing account. */
function unsentText({ sent_to, mail }: Sent, linkFor: LinkFor): string {
  const none = 'This server has no e-mail set up';
  if (mail === 'log') return `${none}. The link for ${sent_to} is in the server’s log.`;
  return linkFor === 'sign-up'
    ? `${none}. Its operator finds the link for ${sent_to} in the log, unless that address already has an account.`
    : `${none}, so no link is sent. Ask its operator for help.`;
}
