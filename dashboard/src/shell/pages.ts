// The places of the app, as the sidebar, the phone's bar, the palette and the keys name them.
import {
  Braces,
  Coins,
  LayoutDashboard,
  type LucideIcon,
  Package,
  Radar,
  Settings,
  Webhook,
} from 'lucide-react';
import { paths } from '../paths.ts';

type Place = { name: string; path: string; icon: LucideIcon; key: string };

export const PLACES: readonly Place[] = [
  { name: 'Overview', path: paths.overview(), icon: LayoutDashboard, key: 'o' },
  { name: 'Products', path: paths.products(), icon: Package, key: 'p' },
  { name: 'Oversight', path: paths.oversight(), icon: Radar, key: 't' },
  { name: 'Webhooks', path: paths.webhooks(), icon: Webhook, key: 'w' },
  { name: 'Credits', path: paths.credits(), icon: Coins, key: 'c' },
  { name: 'API', path: paths.api(), icon: Braces, key: 'a' },
  { name: 'Settings', path: paths.settings(), icon: Settings, key: 's' },
];

/** The first four have a place of their own at the bottom of a phone; the others are under More. */
export const ON_PHONE = 4;

export function isAt(place: Place, pathname: string): boolean {
  if (place.path === '/') return pathname === '/';
  return pathname === place.path || pathname.startsWith(`${place.path}/`);
}
