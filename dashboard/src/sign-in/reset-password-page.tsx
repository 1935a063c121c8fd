// Sets a new password with the link's token; all other sessions end.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { PasswordFromLink } from './password-from-link.tsx';

export function ResetPasswordPage() {
  return (
    <PasswordFromLink
      purpose="reset-password"
      newLink={paths.forgotPassword()}
      title="Set a new password"
      description="This signs you in here and ends all your other sessions."
      label="New password"
      submitLabel="Set password"
      onSubmit={(token, password) =>
        call('POST /session/reset-password', { body: { token, password } })
      }
      below={
        <p>
          Does the link not work? <TextLink to={paths.forgotPassword()}>Request a new one</TextLink>
        </p>
      }
    />
  );
}
