// The key that fills the examples: created in this tab, pasted, or new.
import { Eye, EyeOff, KeyRound } from 'lucide-react';
import { explain } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import { Button } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { TextField } from '../design/field.tsx';
import { TextLink } from '../design/link.tsx';
import { Card, focusPageTitle } from '../design/page.tsx';
import { useCreateKey } from '../keys/api-keys.ts';
import { looksLikeKey, maskedKey } from '../keys/fresh-key.ts';

const KEY_NAME = 'API examples';

type ChosenKey = { apiKey: string; name: string | null };

type Props = {
  accountId: string;
  chosen: ChosenKey | null;
  pasted: string;
  onPaste: (text: string) => void;
  shown: boolean;
  onShow: (shown: boolean) => void;
};

export function KeyCard(props: Props) {
  return (
    <Card title="Your key">
      {props.chosen === null ? <NoKey {...props} /> : <HasKey {...props} chosen={props.chosen} />}
    </Card>
  );
}

function HasKey({ chosen, shown, onShow, pasted, onPaste }: Props & { chosen: ChosenKey }) {
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 rounded-md border border-line bg-sunken px-2 py-1 font-mono text-xs break-all text-ink">
          {shown ? chosen.apiKey : maskedKey(chosen.apiKey)}
        </code>
        <div className="flex gap-2">
          <Button
            size="sm"
            aria-pressed={shown}
            icon={<Icon aria-hidden className="size-3.5" />}
            onClick={() => onShow(!shown)}
          >
            {shown ? 'Hide key' : 'Show key'}
          </Button>
          <CopyButton text={chosen.apiKey} name="key">
            Copy key
          </CopyButton>
          {pasted === '' ? null : (
            <Button size="sm" variant="quiet" onClick={() => onPaste('')}>
              Use another
            </Button>
          )}
        </div>
      </div>
      <p className="text-xs wrap-anywhere text-muted">
        {chosen.name === null
          ? 'Pasted. It stays on this page and is forgotten when you leave it. '
          : `“${chosen.name}”, created in this tab. It is kept until you sign out or close the tab. `}
        Copied examples contain the whole key.
      </p>
    </div>
  );
}

function NoKey({ accountId, pasted, onPaste }: Props) {
  const create = useCreateKey(accountId);
  const text = pasted.trim();
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-3 sm:flex-row sm:items-start">
        <TextField
          label="Paste a key"
          value={pasted}
          onChange={onPaste}
          placeholder="ovs_…"
          spellCheck={false}
          autoCapitalize="none"
          className="flex-1"
          inputClassName="font-mono"
          error={
            text === '' || looksLikeKey(text)
              ? undefined
              : 'A key is ovs_ followed by 36 letters and digits.'
          }
        />
        <div className="sm:pt-5">
          <Button
            icon={<KeyRound aria-hidden className="size-4" />}
            busy={create.isPending}
            // The key replaces the button; on failure the button stays and keeps the focus.
            onClick={() => void create.mutateAsync(KEY_NAME).then(focusPageTitle, () => {})}
          >
            Create a key named “{KEY_NAME}”
          </Button>
        </div>
      </div>
      {create.isError ? (
        <p role="alert" className="text-xs text-critical">
          {explain(create.error).detail}
        </p>
      ) : null}
      <p className="text-xs text-muted">
        A key is shown only when it is created. Paste one of yours; until then the examples say
        YOUR_API_KEY. All keys are listed in <TextLink to={paths.settings()}>Settings</TextLink>.
      </p>
    </div>
  );
}
