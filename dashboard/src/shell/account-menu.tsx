// The account menu: theme, keyboard shortcuts, sign-out.
import { useRouter } from '@tanstack/react-router';
import { ChevronsUpDown, Keyboard, LogOut } from 'lucide-react';
import { useSession } from '../app/session.ts';
import { IconButton } from '../design/button.tsx';
import { Menu, type MenuEntry } from '../design/menu.tsx';
import { setTheme, THEMES, useThemeChoice } from '../design/theme.ts';
import { signOut } from './sign-out.ts';

export function AccountMenu({ compact, onKeys }: { compact: boolean; onKeys: () => void }) {
  const router = useRouter();
  const session = useSession().data;
  const theme = useThemeChoice();
  const email = session?.user.email ?? '';
  const name = session?.user.name || email.split('@')[0] || 'Account';
  const entries: MenuEntry[] = [
    { heading: email },
    ...THEMES.map(({ value, name: label, icon: Icon }) => ({
      label,
      icon: <Icon aria-hidden />,
      checked: theme === value,
      onSelect: () => setTheme(value),
    })),
    'separator',
    { label: 'Keyboard shortcuts', icon: <Keyboard aria-hidden />, aside: '?', onSelect: onKeys },
    { label: 'Sign out', icon: <LogOut aria-hidden />, onSelect: () => void signOut(router) },
  ];
  const initial = <Initial of={name} />;
  if (compact)
    return <Menu trigger={<IconButton label="Account" icon={initial} />} entries={entries} />;
  return (
    <Menu
      side="top"
      align="start"
      entries={entries}
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover data-popup-open:bg-hover"
        >
          {initial}
          <span className="min-w-0 flex-1 truncate text-sm text-ink">
            <span className="sr-only">Account: </span>
            {name}
          </span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </button>
      }
    />
  );
}

function Initial({ of }: { of: string }) {
  return (
    <span
      aria-hidden
      className="grid size-5.5 shrink-0 place-items-center rounded-full bg-pressed text-2xs font-semibold text-muted uppercase"
    >
      {of.slice(0, 1)}
    </span>
  );
}
