// The list of keyboard shortcuts.
import { Kbd } from '../design/badge.tsx';
import { Dialog } from '../design/dialog.tsx';
import { PAGES } from './pages.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const PALETTE_KEYS: readonly string[] = isMac ? ['⌘', 'K'] : ['Ctrl', 'K'];

const LISTS: readonly { title: string; keys: readonly (readonly [string, readonly string[]])[] }[] =
  [
    { title: 'Go to', keys: PAGES.map(({ name, key }) => [name, ['g', key]] as const) },
    {
      title: 'Anywhere',
      keys: [
        ['Find a page or a product', PALETTE_KEYS],
        ['Search in this page', ['/']],
        ['Close a dialog', ['Esc']],
        ['This list', ['?']],
      ],
    },
    {
      title: 'In a table',
      keys: [
        ['Next row', ['↓', 'j']],
        ['Previous row', ['↑', 'k']],
        ['First and last row', ['Home', 'End']],
        ['Open the row', ['Enter']],
      ],
    },
    {
      title: 'In tracked products',
      keys: [
        ['Select the row', ['Space', 'x']],
        ['Edit its tracking', ['e']],
      ],
    },
  ];

export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {LISTS.map(({ title, keys }) => (
          <section key={title} className="first:row-span-3">
            <h3 className="pb-1 text-xs font-medium text-muted">{title}</h3>
            <dl>
              {keys.map(([act, combination]) => (
                <div key={act} className="flex items-center justify-between gap-4 py-1">
                  <dt>{act}</dt>
                  <dd className="flex gap-1">
                    {combination.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
