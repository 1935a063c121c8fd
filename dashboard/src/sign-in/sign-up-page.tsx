// Sign up: the e-mail first, then a link to it that finishes the account.
import { useState } from 'react';
import { call } from '../api-client.ts';
import { TextLink } from '../design/link.tsx';
import { paths } from '../paths.ts';
import { EmailField, emailFault, LinkSent, OutsideForm, type Sent } from './form-parts.tsx';
import { OutsideFrame } from './outside-frame.tsx';

export function SignUpPage() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);
  const below = (
    <p>
      Have an account? <TextLink to={paths.signIn()}>Sign in</TextLink>
    </p>
  );
  if (sent)
    return (
      <OutsideFrame title="Open the link" below={below}>
        <LinkSent sent={sent} onAgain={() => setSent(null)} />
      </OutsideFrame>
    );
  return (
    <OutsideFrame
      title="Sign up"
      description="A Free account with monthly credits. A link to set the password comes by e-mail."
      below={below}
    >
      <OutsideForm
        submitLabel="Send the link"
        check={() => emailFault(email)}
        onSubmit={async () =>
          setSent(await call('POST /session/sign-up', { body: { email: email.trim() } }))
        }
      >
        <EmailField value={email} onChange={setEmail} autoFocus />
      </OutsideForm>
    </OutsideFrame>
  );
}
