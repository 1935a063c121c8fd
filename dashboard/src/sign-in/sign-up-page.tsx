// Sign up: the e-mail first, then a link to it that finishes the account.
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { AskForLink } from './ask-for-link.tsx';

export function SignUpPage() {
  return (
    <AskForLink
      title="Sign up"
      description="A Free account with monthly credits. A link to set the password comes by e-mail."
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
