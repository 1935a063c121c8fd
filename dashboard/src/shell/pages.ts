// The pages of the app: names, paths, icons and shortcut keys.
import {
  Bell,
  Braces,
  Coins,
  LayoutDashboard,
  ListFilter,
  type LucideIcon,
  Package,
  Radar,
  Settings,
  Webhook,
} from 'lucide-react';
import { paths } from '../app/paths.ts';

type PageLink = {
  name: string;
  path: string;
  icon: LucideIcon;
  key: string;
};

export const PAGES: readonly PageLink[] = [
  { name: 'Overview', path: paths.overview(), icon: LayoutDashboard, key: 'o' },
  { name: 'Products', path: paths.products(), icon: Package, key: 'p' },
  { name: 'Tracked', path: paths.tracking(), icon: Radar, key: 't' },
  { name: 'Events', path: paths.events(), icon: Bell, key: 'e' },
  { name: 'Finder', path: paths.finder(), icon: ListFilter, key: 'f' },
  { name: 'Webhooks', path: paths.webhooks(), icon: Webhook, key: 'w' },
  { name: 'Credits', path: paths.credits(), icon: Coins, key: 'c' },
  { name: 'API', path: paths.api(), icon: Braces, key: 'a' },
  { name: 'Settings', path: paths.settings(), icon: Settings, key: 's' },
];

/** The first four pages have a tab of their own on a phone; the others are under More. */
export const PHONE_TABS = 4;

export function isAt(page: PageLink, pathname: string): boolean {
  if (page.path === '/') return pathname === '/';
  return pathname === page.path || pathname.startsWith(`${page.path}/`);
}
