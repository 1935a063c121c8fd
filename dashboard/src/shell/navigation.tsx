// The navigation: a sidebar on wide screens, tabs at the bottom of a phone.
import { useLocation } from '@tanstack/react-router';
import { Ellipsis, Search } from 'lucide-react';
import { paths } from '../app/paths.ts';
import { Kbd } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Link } from '../design/link.tsx';
import { Menu } from '../design/menu.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CreditsLeft, PhoneCreditsLeft } from './credits-left.tsx';
import { Wordmark } from './outside-frame.tsx';
import { isAt, PAGES, PHONE_TABS } from './pages.ts';
import { PALETTE_KEYS } from './shortcut-help.tsx';

type NavigationProps = { onPalette: () => void; onKeys: () => void };

export function Sidebar({ onPalette, onKeys }: NavigationProps) {
  const { pathname } = useLocation();
  return (
    <aside
      aria-label="Sidebar"
      className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken md:flex"
    >
      <div className="px-4 pt-4 pb-3">
        <Link to={paths.overview()} aria-label="Oversight, overview" className="rounded-sm">
          <Wordmark />
        </Link>
      </div>
      <div className="px-2 pb-2">
        <button
          type="button"
          onClick={onPalette}
          className="flex h-8 w-full items-center gap-2 rounded-md border border-line-strong bg-surface px-2 text-sm text-muted hover:bg-hover"
        >
          <Search aria-hidden className="size-3.5 text-faint" />
          <span className="flex-1 text-left">Find</span>
          <span aria-hidden className="flex gap-0.5">
            {PALETTE_KEYS.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </span>
        </button>
      </div>
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-2">
        <ul className="flex flex-col gap-px">
          {PAGES.map((page) => {
            const here = isAt(page, pathname);
            const Icon = page.icon;
            return (
              <li key={page.path}>
                <Link
                  to={page.path}
                  aria-current={here ? 'page' : undefined}
                  className={classNames(
                    'flex h-8 items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover hover:text-ink',
                    here ? 'bg-pressed font-medium text-ink hover:bg-pressed' : 'text-muted',
                  )}
                >
                  <Icon
                    aria-hidden
                    className={classNames('size-4', here ? 'text-accent-ink' : 'text-faint')}
                  />
                  {page.name}
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
      <div className="flex flex-col gap-1 border-t border-line p-2">
        <CreditsLeft />
        <AccountMenu compact={false} onKeys={onKeys} />
      </div>
    </aside>
  );
}

export function PhoneBar({ onPalette, onKeys }: NavigationProps) {
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-1 border-b border-line bg-canvas px-3 md:hidden">
      <Link
        to={paths.overview()}
        aria-label="Oversight, overview"
        className="mr-auto flex rounded-sm"
      >
        <Wordmark />
      </Link>
      <PhoneCreditsLeft />
      <IconButton
        label="Find"
        icon={<Search aria-hidden className="size-4" />}
        onClick={onPalette}
      />
      <AccountMenu compact onKeys={onKeys} />
    </header>
  );
}

const TAB = 'flex h-full flex-1 flex-col items-center justify-center gap-0.5 text-2xs';

export function PhoneNavigation() {
  const { pathname } = useLocation();
  const more = PAGES.slice(PHONE_TABS);
  const inMore = more.some((page) => isAt(page, pathname));
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="flex h-14">
        {PAGES.slice(0, PHONE_TABS).map((page) => {
          const here = isAt(page, pathname);
          const Icon = page.icon;
          return (
            <li key={page.path} className="flex-1">
              <Link
                to={page.path}
                aria-current={here ? 'page' : undefined}
                className={classNames(TAB, here ? 'font-medium text-accent-ink' : 'text-muted')}
              >
                <Icon aria-hidden className="size-5" />
                {page.name}
              </Link>
            </li>
          );
        })}
        <li className="flex-1">
          <Menu
            side="top"
            entries={more.map(({ name, path, icon: Icon }) => ({
              label: name,
              icon: <Icon aria-hidden />,
              to: path,
            }))}
            trigger={
              <button
                type="button"
                className={classNames(
                  TAB,
                  'w-full',
                  inMore ? 'font-medium text-accent-ink' : 'text-muted',
                )}
              >
                <Ellipsis aria-hidden className="size-5" />
                More
              </button>
            }
          />
        </li>
      </ul>
    </nav>
  );
}
