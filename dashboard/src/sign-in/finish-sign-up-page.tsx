// Finishes a sign-up: the link's token and a password create the account.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { PasswordFromLink } from './password-from-link.tsx';

export function FinishSignUpPage() {
  return (
    <PasswordFromLink
      purpose="sign-up"
      newLink={paths.signUp()}
      title="Set your password"
      description="This creates your account and signs you in."
      label="Password"
      submitLabel="Create account"
      onSubmit={(token, password) =>
        call('POST /session/finish-sign-up', { body: { token, password } })
      }
      below={
        <p>
          Does the link not work? <TextLink to={paths.signUp()}>Request a new one</TextLink>
        </p>
      }
    />
  );
}
