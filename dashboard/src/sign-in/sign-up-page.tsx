// Sign-up: the e-mail address first, then a link that finishes the account.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { AskForLink } from './ask-for-link.tsx';

export function SignUpPage() {
  return (
    <AskForLink
      title="Sign up"
      description="A free account with monthly credits. We send you a link to set your password."
      linkFor="sign-up"
      onAsk={(body) => call('POST /session/sign-up', { body })}
      below={
        <p>
          Have an account? <TextLink to={paths.signIn()}>Sign in</TextLink>
        </p>
      }
    />
  );
}
