// Finishes a sign-up: the link's token and a password make the account.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { PasswordFromLink } from './password-from-link.tsx';

export function FinishSignUpPage() {
  return (
    <PasswordFromLink
      title="Set your password"
      description="Then your account is made and you are signed in."
      label="Password"
      submitLabel="Create account"
      onSubmit={(token, password) =>
        call('POST /session/finish-sign-up', { body: { token, password } })
      }
      below={
        <p>
          The link does not work? <TextLink to={paths.signUp()}>Ask for a new one</TextLink>
        </p>
      }
    />
  );
}
