// Requests a link by e-mail and then says where it was sent; for sign-up and forgotten passwords.
import { type ReactNode, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { OutsideFrame } from '../shell/outside-frame.tsx';
import {
  EmailField,
  emailError,
  type LinkFor,
  LinkSent,
  OutsideForm,
  type Sent,
} from './form-parts.tsx';

export function AskForLink(props: {
  title: string;
  description: string;
  linkFor: LinkFor;
  below: ReactNode;
  onAsk: (body: { email: string }) => Promise<Sent>;
}) {
  const { title, description, linkFor, below, onAsk } = props;
  // Typed on the sign-in page before.
  const [{ email: typed }] = useAddressSearch({ email: '' });
  const [email, setEmail] = useState(typed);
  const [sent, setSent] = useState<Sent | null>(null);
  if (sent)
    return (
      <OutsideFrame title="Open the link" below={below}>
        <LinkSent sent={sent} linkFor={linkFor} onAgain={() => setSent(null)} />
      </OutsideFrame>
    );
  return (
    <OutsideFrame title={title} description={description} below={below}>
      <OutsideForm
        submitLabel="Send the link"
        check={() => emailError(email)}
        onSubmit={async () => setSent(await onAsk({ email: email.trim() }))}
      >
        {(errorOf) => (
          <EmailField value={email} onChange={setEmail} error={errorOf('email')} autoFocus />
        )}
      </OutsideForm>
    </OutsideFrame>
  );
}
