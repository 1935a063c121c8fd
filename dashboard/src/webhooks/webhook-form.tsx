// The form of a webhook, new or existing; the server's errors appear beside their fields.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useLayoutEffect, useState } from 'react';
import { call } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { refresh } from '../app/query-keys.ts';
import { useSession } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField, useFocusOnError } from '../design/field.tsx';
import { browserTimeZone } from '../design/locale.ts';
import { Notice } from '../design/page.tsx';
import { toast } from '../design/toast.tsx';
import { readTags, tagProblem } from '../tracking/tag.ts';
import { DIGEST_OPTIONS, digestChoiceOf, digestOf } from './digest-choice.ts';
import { choiceOf, type EventChoice, eventsOf, type Webhook } from './event-choice.ts';
import { EventChoiceField } from './event-choice-field.tsx';
import { keepNewSecret } from './new-secret.tsx';
import { webhookQuery } from './webhook-calls.ts';
import { type WebhookError, webhookErrorOf } from './webhook-error.ts';

const NAME_CHARS_MAX = 200;

export function NewWebhookDialog({
  open,
  onClose,
  onCreated,
}: {
  open: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}) {
  const client = useQueryClient();
  const create = async (entered: Entered) => {
    const { name, ...rest } = entered;
    const made = await call('POST /retailer/webhooks', {
      // Without a name the server uses the host.
      body: name === '' ? rest : entered,
    });
    const { secret, ...webhook } = made;
    keepNewSecret(client, webhook.id, { secret, rotated: false });
    client.setQueryData(webhookQuery(webhook.id).queryKey, webhook);
    void refresh(client, 'webhooks');
    onCreated(webhook.id);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="New webhook"
      saveLabel="Create webhook"
      onSave={create}
    />
  );
}

export function EditWebhookDialog({
  open,
  onClose,
  webhook,
}: {
  open: boolean;
  onClose: () => void;
  webhook: Webhook;
}) {
  const client = useQueryClient();
  const save = async (entered: Entered) => {
    const changed = await call('PATCH /retailer/webhooks/{id}', {
      params: { id: webhook.id },
      body: changeOf(webhook, entered),
    });
    client.setQueryData(webhookQuery(changed.id).queryKey, changed);
    toast.done('Webhook saved');
    void refresh(client, 'webhooks');
    onClose();
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Edit webhook"
      saveLabel="Save changes"
      start={webhook}
      onSave={save}
    />
  );
}

type Entered = {
  name: string;
  url: string;
  events: Webhook['events'];
  tags: string[] | null;
  quiet_hours: Webhook['quiet_hours'];
  digest: Webhook['digest'];
  success_status: Webhook['success_status'];
};

/** Only what changed: an unreachable target must not prevent a new name. */
function changeOf(webhook: Webhook, entered: Entered) {
  const { name, url, events, tags, quiet_hours, digest, success_status } = entered;
  const sameEvents = events.join() === eventsOf(choiceOf(webhook.events)).join();
  return {
    ...(name === webhook.name || name === '' ? {} : { name }),
    ...(url === webhook.url ? {} : { url }),
    ...(sameEvents ? {} : { events }),
    ...(tags?.join() === webhook.tags?.join() ? {} : { tags }),
    ...(quietText(quiet_hours) === quietText(webhook.quiet_hours) ? {} : { quiet_hours }),
    ...(digest?.every === webhook.digest?.every ? {} : { digest }),
    ...(success_status === webhook.success_status ? {} : { success_status }),
  };
}

type FormDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  saveLabel: string;
  start?: Webhook;
  onSave: (entered: Entered) => Promise<void>;
};

function FormDialog(props: FormDialogProps) {
  const form = useId();
  const [busy, setBusy] = useState(false);
  const [isEdited, setEdited] = useState(false);
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      isEdited={isEdited}
      title={props.title}
      width="lg"
      footer={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} busy={busy}>
            {props.saveLabel}
          </Button>
        </>
      }
    >
      {/* Mounted inside, so that each opening starts with the current values. */}
      <Fields
        id={form}
        start={props.start}
        onSave={props.onSave}
        onBusy={setBusy}
        onEdited={setEdited}
      />
    </Dialog>
  );
}

type FieldsProps = {
  id: string;
  start: Webhook | undefined;
  onSave: (entered: Entered) => Promise<void>;
  onBusy: (busy: boolean) => void;
  onEdited: (isEdited: boolean) => void;
};

type Draft = {
  name: string;
  url: string;
  choice: EventChoice;
  tags: string;
  quiet: string;
  digest: Webhook['digest'];
  success: Webhook['success_status'];
};

function useDraft({ start, onSave, onBusy, onEdited }: FieldsProps) {
  const [first] = useState<Draft>(() => ({
    name: start?.name ?? '',
    url: start?.url ?? '',
    choice: choiceOf(start?.events ?? ['*']),
    tags: start?.tags?.join(', ') ?? '',
    quiet: quietText(start?.quiet_hours ?? null),
    digest: start?.digest ?? null,
    success: start?.success_status ?? '200_201',
  }));
  const [draft, setDraft] = useState(first);
  const [formError, setFormError] = useState<WebhookError | null>(null);
  const save = useOnceMutation({
    mutationFn: onSave,
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
    onError: (error) => setFormError(webhookErrorOf(error)),
  });
  const isEdited = JSON.stringify(enteredOf(draft)) !== JSON.stringify(enteredOf(first));
  // Before anything else is pressed: Escape may follow at once.
  useLayoutEffect(() => {
    onEdited(isEdited);
    return () => onEdited(false);
  }, [onEdited, isEdited]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const entered = enteredOf(draft);
    const wrong = missingIn(entered, draft.quiet);
    setFormError(wrong);
    if (wrong === null) save.mutate(entered);
  };
  const errorOf = (field: WebhookError['field']) =>
    formError?.field === field ? formError.text : undefined;
  /** The error of a field is cleared when the field changes. */
  const change = (field: WebhookError['field'], patch: Partial<Draft>) => {
    setDraft({ ...draft, ...patch });
    if (formError?.field === field) setFormError(null);
  };
  return { draft, change, submit, errorOf, formError };
}

const tagsOf = (text: string) => {
  const tags = readTags(text);
  return tags.length === 0 ? null : tags;
};

/** "22:00-07:00"; empty for none. */
const quietText = (quiet: Webhook['quiet_hours']) =>
  quiet === null ? '' : `${quiet.from}-${quiet.to} ${quiet.time_zone}`;

const QUIET = /^(\d\d:\d\d)\s*[-–]\s*(\d\d:\d\d)\s*(\S*)$/;

/** Without a time zone, that of the browser. */
function quietOf(text: string): Webhook['quiet_hours'] {
  const [, from, to, zone] = QUIET.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined) return null;
  return { from, to, time_zone: zone || browserTimeZone() };
}

const enteredOf = ({ name, url, choice, tags, quiet, digest, success }: Draft): Entered => ({
  name: name.trim(),
  url: url.trim(),
  events: eventsOf(choice),
  tags: tagsOf(tags),
  quiet_hours: quietOf(quiet),
  digest,
  success_status: success,
});

function Fields(props: FieldsProps) {
  const { draft, change, submit, errorOf, formError } = useDraft(props);
  const form = useFocusOnError(formError);
  const isNew = props.start === undefined;
  const takesPrivate = useSession().data?.server.allows_private_targets ?? false;
  const scheme = takesPrivate ? 'http:// or https://' : 'https://';
  return (
    <form ref={form} id={props.id} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {errorOf(null) ? <Notice tone="critical">{errorOf(null)}</Notice> : null}
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => change('name', { name })}
        maxLength={NAME_CHARS_MAX}
        placeholder="Repricer"
        hint={isNew ? 'Optional. The default is the host of the URL.' : undefined}
        error={errorOf('name')}
      />
      <TextField
        label="URL"
        value={draft.url}
        onChange={(url) => change('url', { url })}
        type="url"
        inputMode="url"
        spellCheck={false}
        autoCapitalize="none"
        placeholder="https://example.com/hooks/oversight"
        hint={`Receives a POST for each event or digest. Must begin with ${scheme}.`}
        error={errorOf('url')}
        inputClassName="font-mono"
        required
      />
      <EventChoiceField
        choice={draft.choice}
        onChange={(choice) => change('events', { choice })}
        error={errorOf('events')}
      />
      <TextField
        label="Only products with one of these tags"
        value={draft.tags}
        onChange={(tags) => change('tags', { tags })}
        placeholder="All products"
        hint="Optional; separated by commas."
        error={errorOf('tags')}
        spellCheck={false}
        autoCapitalize="none"
      />
      <SendingFields draft={draft} change={change} errorOf={errorOf} start={props.start} />
    </form>
  );
}

type SendingProps = Pick<ReturnType<typeof useDraft>, 'draft' | 'change' | 'errorOf'> & {
  start: Webhook | undefined;
};

/** When deliveries are sent, and when they count as received. */
function SendingFields({ draft, change, errorOf, start }: SendingProps) {
  return (
    <>
      <SelectField
        label="Received when the endpoint returns"
        value={draft.success}
        onChange={(success) => change(null, { success })}
        options={[
          { value: '200_201', label: '200 or 201' },
          { value: 'any_2xx', label: 'Any 2xx' },
        ]}
      />
      <SelectField
        label="Send"
        value={digestChoiceOf(draft.digest)}
        onChange={(choice) => change('digest', { digest: digestOf(choice, start?.digest ?? null) })}
        options={DIGEST_OPTIONS}
        hint="A digest counts the events of an hour or a day and lists the most important ones."
        error={errorOf('digest')}
      />
      <TextField
        label="Quiet hours"
        value={draft.quiet}
        onChange={(quiet) => change('quiet_hours', { quiet })}
        placeholder="22:00-07:00"
        hint="Optional, in your time zone unless you add another. Deliveries are sent afterwards."
        error={errorOf('quiet_hours')}
        spellCheck={false}
      />
    </>
  );
}

function missingIn(entered: Entered, quiet: string): WebhookError | null {
  const { url, events, tags, quiet_hours } = entered;
  if (quiet.trim() !== '' && quiet_hours === null)
    return { field: 'quiet_hours', text: 'Enter two times, such as 22:00-07:00.' };
  if (url === '') return { field: 'url', text: 'Enter the URL to call.' };
  if (events.length === 0) return { field: 'events', text: 'Choose at least one kind of event.' };
  const wrongTags = tagProblem(tags ?? []);
  return wrongTags === undefined ? null : { field: 'tags', text: wrongTags };
}
