// Sign-in with e-mail and password.
import { useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { call } from '../app/api-client.ts';
import { ApiProblem } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import { PasswordField } from '../design/field.tsx';
import { TextLink } from '../design/link.tsx';
import { OutsideFrame } from '../shell/outside-frame.tsx';
import { EmailField, emailError, OutsideForm, useEnter } from './form-parts.tsx';

const NO_PASSWORD = { field: 'password', text: 'Enter your password.' } as const;

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [{ next }] = useAddressSearch({ next: '' });
  const [offersLink, setOffersLink] = useState(false);
  const enter = useEnter();
  const typed = { email: email.trim() };
  const submit = async () => {
    try {
      await call('POST /session/sign-in', { body: { email: email.trim(), password } });
    } catch (error) {
      // Too many attempts, perhaps by somebody else: a link by e-mail still lets the user in.
      setOffersLink(error instanceof ApiProblem && error.details.mail_link === true);
      throw error;
    }
    enter(next);
  };
  return (
    <OutsideFrame
      title="Sign in"
      description={next === '' ? undefined : 'You are signed out. Sign in to continue.'}
      below={
        <>
          <p>
            No account? <TextLink to={paths.signUp(typed)}>Sign up</TextLink>
          </p>
          <p>
            <TextLink to={paths.forgotPassword(typed)}>Forgot your password?</TextLink>
          </p>
        </>
      }
    >
      <OutsideForm
        submitLabel="Sign in"
        check={() => emailError(email) ?? (password === '' ? NO_PASSWORD : null)}
        onSubmit={submit}
      >
        {(errorOf) => (
          <>
            <EmailField value={email} onChange={setEmail} error={errorOf('email')} autoFocus />
            <PasswordField
              label="Password"
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              error={errorOf('password')}
              required
            />
            {offersLink ? (
              <p>
                <TextLink to={paths.forgotPassword(typed)}>Get a link by e-mail</TextLink>
              </p>
            ) : null}
          </>
        )}
      </OutsideForm>
    </OutsideFrame>
  );
}
