// A signing secret just made: kept in this tab's memory until it is put away, and how to check signatures with it.
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { CodeBlock, SecretBox } from '../design/copy-button.tsx';
import { Card, focusPageTitle } from '../design/page.tsx';
import { Tabs } from '../design/tabs.tsx';
import { SAMPLES } from './verification-sample.ts';

type NewSecret = { secret: string; rotated: boolean };

// Under no topic, so that no live message asks for it again; signing out clears it with the rest.
const keyOf = (id: string) => ['new-webhook-secret', id];

export function keepNewSecret(client: QueryClient, id: string, made: NewSecret): void {
  client.setQueryDefaults(keyOf(id), { gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(keyOf(id), made);
}

/** Nothing, unless the webhook's secret was made in this tab and not yet put away. */
export function NewSecretCard({ id }: { id: string }) {
  const client = useQueryClient();
  const { data } = useQuery<NewSecret | null>({
    queryKey: keyOf(id),
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return null;
  return (
    <Card
      title={data.rotated ? 'New signing secret' : 'Signing secret'}
      description={
        data.rotated
          ? 'For 24 hours both secrets sign each delivery, so you can change yours without a gap.'
          : 'Webhook created. Every delivery is signed with this secret.'
      }
      actions={
        <Button
          size="sm"
          onClick={() => {
            client.setQueryData(keyOf(id), null);
            focusPageTitle();
          }}
        >
          I have stored it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <SecretBox
          name="Signing secret"
          secret={data.secret}
          note="It cannot be shown again once you put it away or reload. A lost one is replaced by Rotate secret."
        />
        <VerificationHint />
      </div>
    </Card>
  );
}

type Language = keyof typeof SAMPLES | 'headers';

function VerificationHint() {
  const [shown, setShown] = useState<Language>('headers');
  return (
    <Tabs
      label="How to check a signature"
      value={shown}
      onChange={setShown}
      tabs={[
        { value: 'headers', label: 'How to verify', panel: <Headers /> },
        { value: 'typescript', label: 'TypeScript', panel: <Sample language="typescript" /> },
        { value: 'python', label: 'Python', panel: <Sample language="python" /> },
      ]}
    />
  );
}

function Sample({ language }: { language: keyof typeof SAMPLES }) {
  const name = language === 'python' ? 'Python example' : 'TypeScript example';
  return <CodeBlock code={SAMPLES[language]} name={name} />;
}

const HEADERS = [
  ['webhook-id', 'The delivery. The same at every attempt, so you can tell a repetition.'],
  ['webhook-timestamp', 'When it was sent, in seconds. Refuse what is over 5 minutes old.'],
  ['webhook-signature', 'v1, and the base64 of HMAC-SHA256 over id.timestamp.body.'],
] as const;

function Headers() {
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      <p>
        Deliveries follow Standard Webhooks, so its libraries work as they are. Three headers say
        that a request is ours and unchanged:
      </p>
      <dl className="flex flex-col gap-1.5">
        {HEADERS.map(([name, meaning]) => (
          <div key={name} className="sm:grid sm:grid-cols-[9.5rem_1fr]">
            <dt className="font-mono text-xs leading-5 text-ink">{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
