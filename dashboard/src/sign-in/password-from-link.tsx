// Sets a password with the token of a link; for finishing a sign-up and for a reset.
import { type ReactNode, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { Notice } from '../design/page.tsx';
import { OutsideFrame } from '../shell/outside-frame.tsx';
import { NewPasswordField, newPasswordError, OutsideForm, useEnter } from './form-parts.tsx';

export function PasswordFromLink(props: {
  title: string;
  description: string;
  label: string;
  submitLabel: string;
  below: ReactNode;
  onSubmit: (token: string, password: string) => Promise<unknown>;
}) {
  const { title, description, label, submitLabel, below, onSubmit } = props;
  const [password, setPassword] = useState('');
  const [{ token }] = useAddressSearch({ token: '' });
  const enter = useEnter();
  if (token === '')
    return (
      <OutsideFrame title={title} below={below}>
        <Notice tone="caution">
          The link is incomplete. Open the whole link, or request a new one.
        </Notice>
      </OutsideFrame>
    );
  return (
    <OutsideFrame title={title} description={description} below={below}>
      <OutsideForm
        submitLabel={submitLabel}
        check={() => newPasswordError(password)}
        onSubmit={async () => {
          await onSubmit(token, password);
          enter();
        }}
      >
        {(errorOf) => (
          <NewPasswordField
            label={label}
            value={password}
            onChange={setPassword}
            error={errorOf('new-password')}
            autoFocus
          />
        )}
      </OutsideForm>
    </OutsideFrame>
  );
}
