// Exports the account's data and deletes the account.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { call, downloadPath } from '../app/api-client.ts';
import { ApiProblem, explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryClient } from '../app/query-client.ts';
import { sessionQuery } from '../app/session.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { PasswordField, TextField } from '../design/field.tsx';

export function ExportButton() {
  return (
    <ButtonLink
      href={downloadPath('/session/account/export')}
      download
      icon={<Download aria-hidden className="size-3.5" />}
    >
      Export all data
    </ButtonLink>
  );
}

export function DeleteAccount({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete account…
      </Button>
      {open ? <DeleteDialog email={email} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const NOTHING = { email: '', password: '' };

/** The fields of the dialog, their errors, and the request. */
function useDeletion(email: string) {
  const [typed, setTyped] = useState(NOTHING);
  const [tried, setTried] = useState(false);
  const remove = useOnceMutation({
    mutationFn: () =>
      call('POST /session/account/delete', {
        body: { confirm_email: typed.email, password: typed.password },
      }),
    // The page that shows the deletion date replaces this one.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  const refused = remove.isError ? remove.error : null;
  const field = refused instanceof ApiProblem ? refused.field : null;
  const isEmail = typed.email.trim().toLowerCase() === email;
  const set = (name: keyof typeof NOTHING) => (value: string) => {
    setTyped({ ...typed, [name]: value });
    if (remove.isError) remove.reset();
  };
  const submit = () => {
    setTried(true);
    if (isEmail && typed.password !== '') remove.mutate();
  };
  const message = refused === null ? undefined : explain(refused).detail;
  const missing = tried && typed.password === '' ? 'Enter your password.' : undefined;
  return {
    typed,
    set,
    submit,
    isBusy: remove.isPending,
    emailError: tried && !isEmail ? `Type ${email} exactly.` : undefined,
    passwordError: field === 'password' ? message : missing,
    formError: field === 'password' ? undefined : message,
  };
}

function DeleteDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const { typed, set, submit, isBusy, emailError, passwordError, formError } = useDeletion(email);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this account?"
      footer={
        <>
          <Button onClick={onClose}>Keep the account</Button>
          <Button variant="danger" busy={isBusy} onClick={submit}>
            Delete account
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-3 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Consequences />
        <TextField
          label={`Type ${email} to confirm`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed.email}
          onChange={set('email')}
          error={emailError}
          required
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          value={typed.password}
          onChange={set('password')}
          error={passwordError}
          required
        />
        {formError === undefined ? null : (
          <p role="alert" className="text-critical">
            {formError}
          </p>
        )}
        {/* Enter in a field submits; the buttons are in the dialog's footer. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

function Consequences() {
  return (
    <ul className="list-disc space-y-1 pl-5 text-muted">
      <li>Tracking, charges, webhooks and API keys stop now.</li>
      <li>After 30 days everything is deleted and cannot be recovered.</li>
      <li>Until then you can sign in to export your data or restore the account.</li>
    </ul>
  );
}
