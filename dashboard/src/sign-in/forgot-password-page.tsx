// Ask for a link that sets a new password.
import { useState } from 'react';
import { call } from '../api-client.ts';
import { TextLink } from '../design/link.tsx';
import { paths } from '../paths.ts';
import { EmailField, emailFault, LinkSent, OutsideForm, type Sent } from './form-parts.tsx';
import { OutsideFrame } from './outside-frame.tsx';

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);
  const below = (
    <p>
      <TextLink to={paths.signIn()}>Back to sign in</TextLink>
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
      title="Forgot your password?"
      description="A link to set a new one comes by e-mail."
      below={below}
    >
      <OutsideForm
        submitLabel="Send the link"
        check={() => emailFault(email)}
        onSubmit={async () => {
          const body = { email: email.trim() };
          setSent(await call('POST /session/request-password-reset', { body }));
        }}
      >
        <EmailField value={email} onChange={setEmail} autoFocus />
      </OutsideForm>
    </OutsideFrame>
  );
}
