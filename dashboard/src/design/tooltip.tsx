// A short explanation on hover and on keyboard focus.
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

/** Wraps one focusable element. Its text must also be part of the accessible name. */
export function Tooltip({
  text,
  side = 'top',
  children,
}: {
  text: ReactNode;
  side?: 'top' | 'bottom' | 'left' | 'right';
  children: ReactElement;
}) {
  return (
    <Base.Root
      // Escape also closes the dialog around the element, not only the tooltip.
      onOpenChange={(_, { reason, allowPropagation }) =>
        reason === 'escape-key' && allowPropagation()
      }
    >
      <Base.Trigger render={children} delay={350} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="pop-in max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-canvas">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
