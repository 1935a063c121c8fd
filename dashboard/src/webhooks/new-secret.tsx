// A new signing secret, kept in this tab's memory until dismissed, and how to verify signatures.
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { CodeBlock, SecretBox } from '../design/copy-button.tsx';
import { Card, focusPageTitle } from '../design/page.tsx';
import { Tabs } from '../design/tabs.tsx';
import { SAMPLES } from './verification-sample.ts';

type NewSecret = { secret: string; rotated: boolean };

// Under no topic, so that no live message refetches it; a sign-out clears it with the rest.
const keyOf = (id: string) => ['new-webhook-secret', id];

export function keepNewSecret(client: QueryClient, id: string, made: NewSecret): void {
  client.setQueryDefaults(keyOf(id), { gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(keyOf(id), made);
}

/** Renders nothing unless the secret was created in this tab and not yet dismissed. */
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
          ? 'For 24 hours deliveries are signed with both secrets, so you can switch without a gap.'
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
          note="It is not shown again after you dismiss it or reload. If you lose it, rotate the secret."
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
      label="How to verify a signature"
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
  [
    'webhook-id',
    'The id of the delivery, the same for every attempt, so you can detect duplicates.',
  ],
  ['webhook-timestamp', 'When it was sent, in seconds. Reject deliveries older than 5 minutes.'],
  ['webhook-signature', 'v1, followed by the base64 of HMAC-SHA256 over id.timestamp.body.'],
] as const;

function Headers() {
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      <p>
        Deliveries follow Standard Webhooks, so its libraries work unchanged. Three headers prove
        that a request is genuine:
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
