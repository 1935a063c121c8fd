// The page "Settings": keys, profile, seller, password, data, theme.

import { paths } from '../app/paths.ts';
import { useSession } from '../app/session.ts';
import { TextLink } from '../design/link.tsx';
import { Page, PageHeader, Section } from '../design/page.tsx';
import { ErrorState, SkeletonText } from '../design/states.tsx';
import { ApiKeys } from './api-keys.tsx';
import { PasswordForm } from './password-form.tsx';
import { NameForm, SellerForm } from './profile-forms.tsx';
import { ThemeChooser } from './theme-chooser.tsx';
import { DeleteAccount, ExportButton } from './your-data.tsx';

export function SettingsPage() {
  const session = useSession();
  const body = session.data ? (
    <Sections session={session.data} />
  ) : session.isError ? (
    <ErrorState error={session.error} onRetry={session.refetch} />
  ) : (
    <SkeletonText lines={8} />
  );
  return (
    <Page>
      <PageHeader title="Settings" />
      <div className="flex flex-col gap-6">{body}</div>
    </Page>
  );
}

type Session = NonNullable<ReturnType<typeof useSession>['data']>;

function Sections({ session }: { session: Session }) {
  const { user, account } = session;
  return (
    <>
      <Section
        title="API keys"
        description={
          <>
            Your programs send one as <code className="font-mono text-xs">x-api-key</code>. All keys
            of an account share its credits and limits. See the{' '}
            <TextLink to={paths.api()}>API examples</TextLink>.
          </>
        }
      >
        <ApiKeys accountId={account.id} />
      </Section>
      <Section title="Profile" description="Your name in this dashboard.">
        <NameForm key={user.name} name={user.name} email={user.email} />
      </Section>
      <Section
        title="Seller to watch for"
        description="Your seller name on the marketplace, as shown in its offers."
      >
        <SellerForm key={account.seller_name} sellerName={account.seller_name} />
      </Section>
      <Section title="Password" description="Changing it ends all your other sessions.">
        <PasswordForm email={user.email} />
      </Section>
      <Section
        title="Your data"
        description="A zip archive with all data of this account, one NDJSON file for each kind, without secrets."
      >
        <ExportButton />
      </Section>
      <Section
        title="Delete account"
        description="Stops everything now and deletes it after 30 days. You can restore it until then."
      >
        <DeleteAccount email={account.email} />
      </Section>
      <Section title="Theme" description="Stored in this browser.">
        <ThemeChooser />
      </Section>
    </>
  );
}
