// Creates an API key in two steps: its name, then the key, which is shown once.
import { useState } from 'react';
import { explain } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { SecretBox } from '../design/copy-button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { useCreateKey } from '../keys/api-keys.ts';

const NAME_CHARS_MAX = 100;
const FORM = 'create-key';

type Props = { open: boolean; onClose: () => void; accountId: string };

export function CreateKeyDialog({ open, onClose, accountId }: Props) {
  const [name, setName] = useState('');
  const create = useCreateKey(accountId);
  const made = create.data;
  const close = () => {
    onClose();
    setName('');
    create.reset();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made ? `Key “${made.name}” created` : 'Create an API key'}
      footer={
        made ? (
          <>
            <ButtonLink to={paths.api()}>Use it in examples</ButtonLink>
            {/* Replaces "Create key": a double click must not dismiss the key unseen. */}
            <Button onClick={() => create.isDoubleClick() || close()}>Done</Button>
          </>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="primary"
              type="submit"
              form={FORM}
              busy={create.isPending}
              disabled={name.trim() === ''}
            >
              Create key
            </Button>
          </>
        )
      }
    >
      {made ? (
        <SecretBox
          name="API key"
          secret={made.apiKey}
          note="Copy it now; it is not shown again. This tab keeps it for the API examples until you sign out or close the tab."
        />
      ) : (
        <form
          id={FORM}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') create.mutate(name.trim());
          }}
        >
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            maxLength={NAME_CHARS_MAX}
            placeholder="Repricer, production"
            hint="Helps you to remember which program uses it."
            error={create.isError ? explain(create.error).detail : undefined}
            required
          />
        </form>
      )}
    </Dialog>
  );
}
