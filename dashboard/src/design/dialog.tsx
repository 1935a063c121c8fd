// Dialogs: modal dialog, confirmation, and the side panel.
import { AlertDialog as BaseAlert } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { explain } from '../app/api-problem.ts';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';

const SCRIM = 'fade-in fixed inset-0 bg-scrim';
const WIDTHS = { sm: 'sm:max-w-100', md: 'sm:max-w-130', lg: 'sm:max-w-190' };

type WindowProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Buttons in the footer, the primary one last. */
  footer?: ReactNode;
  /** There are unsaved changes: Escape, × and a click outside ask first. */
  isEdited?: boolean;
};

export function Dialog({ width = 'md', ...window }: WindowProps & { width?: keyof typeof WIDTHS }) {
  return (
    <Window
      {...window}
      className={classNames(
        'pop-in inset-x-0 bottom-0 mx-auto max-h-[92dvh] rounded-t-lg border sm:top-[10dvh] sm:bottom-auto sm:max-h-[80dvh] sm:rounded-lg',
        WIDTHS[width],
      )}
    />
  );
}

/** A panel at the right edge; full width on a phone. */
export function Drawer({ width = 'md', ...window }: WindowProps & { width?: 'md' | 'lg' }) {
  return (
    <Window
      {...window}
      className={classNames(
        'slide-in inset-y-0 right-0 sm:border-l',
        width === 'lg' ? 'sm:max-w-190' : 'sm:max-w-120',
      )}
    />
  );
}

/** `className` sets the position, the size and the animation. */
function Window(props: WindowProps & { className: string }) {
  const { open, onClose, title, description, children, footer, className } = props;
  const { popup, initialFocus } = useFirstField();
  const [isAsking, setAsking] = useState(false);
  const leave = () => (props.isEdited ? setAsking(true) : onClose());
  return (
    <Base.Root open={open} onOpenChange={(now) => now || leave()}>
      <Base.Portal>
        <Base.Backdrop className={classNames(SCRIM, 'z-40')} />
        <Base.Popup
          ref={popup}
          initialFocus={initialFocus}
          className={classNames(
            'fixed z-50 flex w-full flex-col border-line bg-raised shadow-pop outline-none',
            className,
          )}
        >
          <WindowHead title={title} description={description} />
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>
          {footer ? <WindowFoot>{footer}</WindowFoot> : null}
          <DiscardDialog open={isAsking} onClose={() => setAsking(false)} onDiscard={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * The focus goes to the first field (of radio buttons the selected one); without a field to the
 * dialog itself, not to its close button.
 */
function useFirstField() {
  const popup = useRef<HTMLDivElement>(null);
  const initialFocus = (opened: string) => {
    const first = popup.current?.querySelector<HTMLElement>(FIELDS);
    const isRadio = first instanceof HTMLInputElement && first.type === 'radio';
    const field =
      (isRadio && first.closest('fieldset')?.querySelector<HTMLElement>(CHOSEN)) || first;
    // On a phone the on-screen keyboard would cover half of the dialog before it was read.
    return (opened === 'touch' ? null : field) ?? popup.current;
  };
  return { popup, initialFocus };
}

const CHOSEN = 'input:checked:not(:disabled)';
const FIELDS = 'input:not(:disabled),select:not(:disabled),textarea:not(:disabled)';

function WindowHead({ title, description }: { title: string; description: ReactNode }) {
  return (
    <div className="flex items-start gap-3 border-b border-line py-2.5 pr-2.5 pl-4">
      <div className="min-w-0 flex-1 py-1">
        <Base.Title className="text-base font-semibold wrap-anywhere text-ink">{title}</Base.Title>
        {description ? (
          <Base.Description className="mt-0.5 text-sm text-muted">{description}</Base.Description>
        ) : null}
      </div>
      <Base.Close
        render={<IconButton label="Close" icon={<X aria-hidden className="size-4" />} />}
      />
    </div>
  );
}

function DiscardDialog(props: { open: boolean; onClose: () => void; onDiscard: () => void }) {
  return (
    <ConfirmDialog
      open={props.open}
      onClose={props.onClose}
      title="Discard changes?"
      cancelLabel="Keep editing"
      confirmLabel="Discard"
      danger
      onConfirm={async () => props.onDiscard()}
    >
      <p>Your changes have not been saved.</p>
    </ConfirmDialog>
  );
}

function WindowFoot({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
      {children}
    </div>
  );
}

type ConfirmDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** The action: "Remove webhook", never "OK". */
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  /** Closes the dialog on success; shows the error otherwise. */
  onConfirm: () => Promise<unknown> | undefined;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onClose, title, children, confirmLabel, cancelLabel, onConfirm } = props;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const close = () => {
    setFailure(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(explain(error).detail);
    } finally {
      setBusy(false);
    }
  };
  return (
    <BaseAlert.Root open={open} onOpenChange={(now) => now || close()}>
      <BaseAlert.Portal>
        {/* Also covers the dialog that opened this one, which is inert like the page. */}
        <BaseAlert.Backdrop forceRender className={classNames(SCRIM, 'z-50')} />
        <BaseAlert.Popup className="pop-in fixed inset-x-3 top-[18dvh] z-50 mx-auto max-w-105 rounded-lg border border-line bg-raised shadow-pop">
          <div className="px-4 pt-4 pb-4">
            <BaseAlert.Title className="text-base font-semibold wrap-anywhere text-ink">
              {title}
            </BaseAlert.Title>
            <BaseAlert.Description
              render={<div />}
              className="mt-1.5 flex flex-col gap-2 text-sm text-muted"
            >
              {children}
            </BaseAlert.Description>
            {failure ? (
              <p role="alert" className="mt-3 text-sm text-critical">
                {failure}
              </p>
            ) : null}
          </div>
          <WindowFoot>
            <Button onClick={close}>{cancelLabel ?? 'Cancel'}</Button>
            <Button
              variant={props.danger ? 'danger' : 'primary'}
              busy={busy}
              onClick={() => void confirm()}
            >
              {confirmLabel}
            </Button>
          </WindowFoot>
        </BaseAlert.Popup>
      </BaseAlert.Portal>
    </BaseAlert.Root>
  );
}
