// A menu of actions behind a button.
import { Menu as Base } from '@base-ui/react/menu';
import { useRouter } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type MenuEntry =
  | {
      label: string;
      icon?: ReactNode;
      /** A shortcut or a value at the right edge. */
      aside?: ReactNode;
      danger?: boolean;
      disabled?: boolean;
      onSelect?: () => void;
      /** A page to open, instead of an action. */
      to?: string;
      /** Set for a choice: a check mark shows the current one. */
      checked?: boolean;
    }
  | 'separator'
  | { heading: string };

const ITEM =
  'flex cursor-default items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none select-none ' +
  'data-highlighted:bg-hover data-disabled:opacity-50 coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0';

/** `trigger` is a Button or an IconButton. */
export function Menu({
  trigger,
  entries,
  align = 'end',
  side = 'bottom',
}: {
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={4} className="z-50 outline-none">
          <Base.Popup className="pop-in max-h-(--available-height) min-w-44 overflow-y-auto rounded-md border border-line-strong bg-raised p-1 shadow-pop outline-none">
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the entries keep their order.
              <Entry key={index} entry={entry} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  const router = useRouter();
  if (entry === 'separator') return <Base.Separator className="-mx-1 my-1 h-px bg-line" />;
  if ('heading' in entry)
    return <div className="px-2 pt-1.5 pb-1 text-xs text-faint">{entry.heading}</div>;
  const { label, icon, aside, danger, disabled, checked, onSelect, to } = entry;
  const select = () => {
    onSelect?.();
    if (to !== undefined) router.history.push(to);
  };
  const style = classNames(ITEM, danger ? 'text-critical' : 'text-ink');
  const content = (
    <>
      {icon ? <span className={danger ? '' : 'text-muted'}>{icon}</span> : null}
      <span className="flex-1">{label}</span>
      {aside ? <span className="pl-4 text-xs text-faint">{aside}</span> : null}
      {checked ? <Check aria-hidden className="text-muted" /> : null}
    </>
  );
  if (checked !== undefined)
    return (
      <Base.CheckboxItem
        checked={checked}
        onCheckedChange={select}
        closeOnClick
        disabled={disabled}
        className={style}
      >
        {content}
      </Base.CheckboxItem>
    );
  return (
    <Base.Item disabled={disabled} onClick={select} className={style}>
      {content}
    </Base.Item>
  );
}
