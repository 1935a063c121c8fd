// Requests a link to set a new password.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { AskForLink } from './ask-for-link.tsx';

export function ForgotPasswordPage() {
  return (
    <AskForLink
      title="Forgot your password?"
      description="We send you a link to set a new one."
      linkFor="reset"
      onAsk={(body) => call('POST /session/request-password-reset', { body })}
      below={
        <p>
          <TextLink to={paths.signIn()}>Back to sign in</TextLink>
        </p>
      }
    />
  );
}
