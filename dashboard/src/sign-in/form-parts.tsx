// The parts that the forms outside share: fields, the failure, the way in, where the link went.
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiProblem, explain } from '../api-problem.ts';
import { Button } from '../design/button.tsx';
import { PasswordField, TextField } from '../design/field.tsx';
import { Notice } from '../design/page.tsx';
import { PASSWORD_CHARS_MIN, PASSWORD_HINT } from '../password-rule.ts';
import { queryClient } from '../query-client.ts';
import { safeNext } from '../shell/signed-out.ts';
import { changeAccount } from '../shown-account.ts';

type FormProps = {
  submitLabel: string;
  /** A sentence of what must be mended first, or null when the form may go. */
  check?: () => string | null;
  onSubmit: () => Promise<void>;
  children: ReactNode;
};

export function OutsideForm({ submitLabel, check, onSubmit, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const wrong = check?.() ?? null;
    setFailure(wrong);
    if (wrong !== null) return;
    setBusy(true);
    try {
      await onSubmit();
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {children}
      <div role="alert">{failure === null ? null : <Notice tone="critical">{failure}</Notice>}</div>
      <Button type="submit" variant="primary" busy={busy}>
        {submitLabel}
      </Button>
    </form>
  );
}

/** The server's own sentence; of a failure on the way, what that was as well. */
function failureText(error: unknown): string {
  const { title, detail } = explain(error);
  return error instanceof ApiProblem ? detail : `${title}. ${detail}`;
}

type ValueProps = { value: string; onChange: (value: string) => void; autoFocus?: boolean };

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

export const emailFault = (email: string) =>
  /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? null : 'Enter your e-mail address.';

export const newPasswordFault = (password: string) =>
  password.length >= PASSWORD_CHARS_MIN
    ? null
    : `The password needs at least ${PASSWORD_CHARS_MIN} characters.`;

/** After a cookie was given: forget what was known before it, and go where one wanted to. */
export function useEnter(): (next?: string | null) => void {
  const router = useRouter();
  return (next) => {
    queryClient.clear();
    changeAccount();
    // In its place: going back must not lead to a form that has been filled in.
    router.history.replace(safeNext(next));
  };
}

export type Sent = { sent_to: string; mail: 'smtp' | 'log' | 'none' };
export type LinkFor = 'sign-up' | 'reset';

/** Where the link went: by mail, into the log of a server that has no mail set up, or nowhere. */
export function LinkSent(props: { sent: Sent; linkFor: LinkFor; onAgain: () => void }) {
  const { sent, linkFor, onAgain } = props;
  return (
    <div role="status" className="flex flex-col gap-4">
      {sent.mail === 'smtp' ? (
        <p>
          If <strong className="font-medium">{sent.sent_to}</strong> can use it, a link is on its
          way there. It works once.
        </p>
      ) : (
        <Notice tone="caution">{unsentText(sent, linkFor)}</Notice>
      )}
      <Button onClick={onAgain}>Use another address</Button>
    </div>
  );
}

/** "none": others can reach the server, so its log holds no link into an account that is there. */
function unsentText({ sent_to, mail }: Sent, linkFor: LinkFor): string {
  const none = 'This server has no e-mail set up';
  if (mail === 'log') return `${none}. The link for ${sent_to} stands in the server’s log.`;
  return linkFor === 'sign-up'
    ? `${none}. Whoever runs it finds the link for ${sent_to} in its log, unless that address has an account already.`
    : `${none}, so no link is sent. Ask whoever runs it for help.`;
}
