// Two small forms: the user's name, and the seller whose buybox wins and losses are reported.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type ResponseOf } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { refresh } from '../app/query-keys.ts';
import { sessionQuery } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import { toast } from '../design/toast.tsx';

const NAME_CHARS_MAX = 100;
const SELLER_CHARS_MAX = 500;

export function NameForm({ name, email }: { name: string; email: string }) {
  const [typed, setTyped] = useState(name);
  const save = useSaveProfile('Name saved');
  const newName = typed.trim();
  return (
    <SmallForm
      onSubmit={() => save.mutate({ name: newName })}
      button={
        <Button type="submit" busy={save.isPending} disabled={newName === '' || newName === name}>
          Save name
        </Button>
      }
    >
      <TextField
        label="Name"
        value={typed}
        onChange={setTyped}
        maxLength={NAME_CHARS_MAX}
        autoComplete="name"
        required
        error={save.isError ? explain(save.error).detail : undefined}
      />
      <TextField
        label="E-mail"
        value={email}
        onChange={() => {}}
        readOnly
        inputClassName="!bg-sunken !border-line-strong !text-muted"
        hint="You sign in with it. It cannot be changed here."
      />
    </SmallForm>
  );
}

export function SellerForm({ sellerName }: { sellerName: string | null }) {
  const [typed, setTyped] = useState(sellerName ?? '');
  const save = useSaveProfile('Seller saved');
  const newName = typed.trim() === '' ? null : typed.trim();
  return (
    <SmallForm
      onSubmit={() => save.mutate({ seller_name: newName })}
      button={
        <Button type="submit" busy={save.isPending} disabled={newName === sellerName}>
          Save seller
        </Button>
      }
    >
      <TextField
        label="Seller name"
        value={typed}
        onChange={setTyped}
        maxLength={SELLER_CHARS_MAX}
        placeholder="None"
        spellCheck={false}
        error={save.isError ? explain(save.error).detail : undefined}
        hint={
          <>
            Each time this seller wins or loses the buybox of a tracked product, you get{' '}
            <code className="font-mono">buybox.won</code> or{' '}
            <code className="font-mono">buybox.lost</code>. Spell it as in the offers. A tracked
            product may name another seller. If empty, only a buybox that disappears or returns is
            reported.
          </>
        }
      />
    </SmallForm>
  );
}

function SmallForm(props: { onSubmit: () => void; children: ReactNode; button: ReactNode }) {
  return (
    <form
      noValidate
      className="flex max-w-120 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
      <div>{props.button}</div>
    </form>
  );
}

type Change = { name?: string; seller_name?: string | null };

function useSaveProfile(done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => call('PATCH /session/profile', { body }),
    onSuccess: (session: ResponseOf<'PATCH /session/profile'>, change) => {
      client.setQueryData(sessionQuery.queryKey, session);
      toast.done(done);
      // Whether a buybox counts as lost depends on the seller.
      if (change.seller_name !== undefined) void refresh(client, 'tracked');
    },
  });
}
