// Opens the source that the settings name.
import type { Clock } from '../foundation/clock.ts';
import { createSimulatedSource } from './simulated-source/simulated-source.ts';
import type { Source } from './source.ts';

export function openSource(marketplace: 'simulated' | 'feed' | 'pages', clock: Clock): Source {
  if (marketplace === 'simulated') return createSimulatedSource({ clock });
  throw new Error(
    `MARKETPLACE is "${marketplace}", which this release cannot read yet; simulated works.`,
  );
}
