// Sets a password with the token of a link; for finishing a sign-up and for a reset.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { call } from '../app/api-client.ts';
import { ButtonLink } from '../design/button.tsx';
import { Notice } from '../design/page.tsx';
import { OutsideFrame } from '../shell/outside-frame.tsx';
import { NewPasswordField, newPasswordError, OutsideForm, useEnter } from './form-parts.tsx';

export function PasswordFromLink(props: {
  purpose: 'sign-up' | 'reset-password';
  /** Where a new link is requested. */
  newLink: string;
  title: string;
  description: string;
  label: string;
  submitLabel: string;
  below: ReactNode;
  onSubmit: (token: string, password: string) => Promise<unknown>;
}) {
  const { purpose, newLink, title, description, label, submitLabel, below, onSubmit } = props;
  const [password, setPassword] = useState('');
  const [{ token }] = useAddressSearch({ token: '' });
  const enter = useEnter();
  const closed = useClosedLink(purpose, token);
  if (closed !== null)
    return (
      <OutsideFrame title={title}>
        <div className="flex flex-col gap-4">
          <Notice tone="caution">{closed}</Notice>
          <ButtonLink variant="primary" to={newLink}>
            Request a new link
          </ButtonLink>
        </div>
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

/**
 * Why the link does not work; null while it may. Checked at once, so that nobody types a password
 * for nothing; when the check itself fails, the form reports it.
 */
function useClosedLink(purpose: 'sign-up' | 'reset-password', token: string): string | null {
  const { data } = useQuery({
    queryKey: ['check-link', purpose, token],
    queryFn: ({ signal }) => call('POST /session/check-link', { body: { purpose, token }, signal }),
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === '') return 'The link is incomplete. Open the whole link, or request a new one.';
  return data?.works === false
    ? 'This link was already used or has expired. Request a new one.'
    : null;
}
