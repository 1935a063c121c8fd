// Changes the password: the current one, the new one twice.

import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { ApiProblem, explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { PASSWORD_HINT, type PasswordErrors, passwordErrors } from '../app/password-rule.ts';
import { Button } from '../design/button.tsx';
import { PasswordField } from '../design/field.tsx';
import { toast } from '../design/toast.tsx';

const EMPTY = { current: '', next: '', repeated: '' };

export function PasswordForm({ email }: { email: string }) {
  const [typed, setTyped] = useState(EMPTY);
  const [tried, setTried] = useState(false);
  const change = useOnceMutation({
    mutationFn: () =>
      call('POST /session/change-password', {
        body: { current_password: typed.current, new_password: typed.next },
      }),
    onSuccess: () => {
      setTyped(EMPTY);
      setTried(false);
      toast.done('Password changed. Your other sessions have ended.');
    },
  });
  const errors: PasswordErrors = tried ? passwordErrors(typed) : {};
  const refused = change.isError ? change.error : null;
  const isWrongPassword = refused instanceof ApiProblem && refused.code === 'password_incorrect';
  const set = (field: keyof typeof EMPTY) => (value: string) => {
    setTyped({ ...typed, [field]: value });
    if (change.isError) change.reset();
  };
  return (
    <form
      noValidate
      className="flex max-w-120 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (Object.keys(passwordErrors(typed)).length === 0) change.mutate();
      }}
    >
      {/* A password manager stores the new password under this name. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        value={typed.current}
        onChange={set('current')}
        error={errors.current ?? (isWrongPassword ? explain(refused).detail : undefined)}
        required
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        value={typed.next}
        onChange={set('next')}
        hint={errors.next ? undefined : PASSWORD_HINT}
        error={errors.next}
        required
      />
      <PasswordField
        label="New password again"
        autoComplete="new-password"
        value={typed.repeated}
        onChange={set('repeated')}
        error={errors.repeated}
        required
      />
      {refused !== null && !isWrongPassword ? (
        <p role="alert" className="text-sm text-critical">
          {explain(refused).detail}
        </p>
      ) : null}
      <div>
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
