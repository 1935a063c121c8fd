// The frame around every page that needs a session: navigation, banners, palette, live updates.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { startLive } from '../app/live.ts';
import { sessionQuery, useSession } from '../app/session.ts';
import { Banners } from './banners.tsx';
import { CommandPalette } from './command-palette.tsx';
import { PhoneBar, PhoneNavigation, Sidebar } from './navigation.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { WaitingPage } from './waiting-page.tsx';

/** How often the server's clock is read again, so that the local one does not drift. */
const CLOCK_CHECK_MS = 5 * 60_000;

/** An account that is scheduled for deletion shows only the page to restore it. */
export function Frame({ children }: { children?: ReactNode }) {
  const account = useSession().data?.account;
  if (account !== undefined && account.delete_at !== null)
    return <WaitingPage email={account.email} deleteAt={account.delete_at} />;
  return <OpenFrame>{children}</OpenFrame>;
}

/** `children` replaces the route's page, for an unknown path. */
function OpenFrame({ children = <Outlet /> }: { children?: ReactNode }) {
  const [shown, setShown] = useState<'palette' | 'keys' | null>(null);
  const client = useQueryClient();
  const main = useFocusOnArrival();
  const onPalette = () => setShown('palette');
  const onKeys = () => setShown('keys');
  const close = () => setShown(null);
  useShortcuts({ onPalette, onHelp: onKeys });
  useQuery({ ...sessionQuery, refetchInterval: CLOCK_CHECK_MS });
  useEffect(() => startLive(client), [client]);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-accent px-3 py-1.5 text-sm text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <Sidebar onPalette={onPalette} onKeys={onKeys} />
      <PhoneBar onPalette={onPalette} onKeys={onKeys} />
      <div className="flex min-w-0 flex-col pb-18 md:pb-0">
        <Banners />
        <main ref={main} id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          {children}
        </main>
      </div>
      <PhoneNavigation />
      <CommandPalette
        open={shown === 'palette'}
        onClose={() => setShown((now) => (now === 'palette' ? null : now))}
        onKeys={onKeys}
      />
      <ShortcutHelp open={shown === 'keys'} onClose={close} />
    </div>
  );
}

/** A new page takes the focus from the link that led to it, unless one of its fields has it. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    if (!main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
