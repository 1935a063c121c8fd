// Copying: a copy button, a secret that is shown once, and a code block.
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, type ButtonSize, type ButtonVariant, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { toast } from './toast.tsx';

const COPIED_MS = 1_800;

function useCopy(text: string) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await writeToClipboard(text);
      setCopied(true);
    } catch {
      toast.failed('The browser blocked copying. Select the text and copy it yourself.');
    }
  };
  return { copied, copy: () => void copy() };
}

/** Over plain HTTP there is no clipboard API; selecting a hidden field still works. */
async function writeToClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  const holder = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  holder.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('not copied');
}

/** A labelled button with `children`, else an icon button. `name` says what is copied. */
export function CopyButton({
  text,
  name,
  size = 'sm',
  variant,
  children,
}: {
  text: string;
  name: string;
  size?: ButtonSize;
  variant?: ButtonVariant;
  children?: ReactNode;
}) {
  const { copied, copy } = useCopy(text);
  const icon = copied ? (
    <Check aria-hidden className="size-3.5 text-positive" />
  ) : (
    <Copy aria-hidden className="size-3.5" />
  );
  const said = (
    <span aria-live="polite" className="sr-only">
      {copied ? 'Copied' : ''}
    </span>
  );
  if (children === undefined)
    return (
      <>
        <IconButton
          label={copied ? 'Copied' : `Copy ${name}`}
          icon={icon}
          size={size}
          variant={variant ?? 'quiet'}
          onClick={copy}
        />
        {said}
      </>
    );
  return (
    <>
      <Button
        size={size}
        variant={variant ?? 'secondary'}
        icon={icon}
        onClick={copy}
        aria-label={`Copy ${name}`}
      >
        {copied ? 'Copied' : children}
      </Button>
      {said}
    </>
  );
}

/** A secret that is shown only once. */
export function SecretBox({ name, secret, note }: { name: string; secret: string; note?: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-stretch gap-2">
        <output
          aria-label={name}
          className="min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 py-1.5 font-mono text-xs leading-5 break-all text-ink select-all"
        >
          {secret}
        </output>
        <CopyButton text={secret} name={name} size="md" variant="primary">
          Copy
        </CopyButton>
      </div>
      <p className="text-xs text-muted">
        {note ?? 'It is shown only once. Store it where your program can read it.'}
      </p>
    </div>
  );
}

export function CodeBlock({
  code,
  name,
  className,
}: {
  code: string;
  /** The name of the content, for the copy button: "curl example". */
  name: string;
  className?: string;
}) {
  return (
    <div className={classNames('relative rounded-md border border-line bg-sunken', className)}>
      {/* On a separate line on a phone, where code scrolls sideways under an overlay. */}
      <div className="flex justify-end rounded-md bg-sunken max-sm:px-1 max-sm:pt-1 sm:absolute sm:top-1 sm:right-1">
        <CopyButton text={code} name={name} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs keyboard focus.
        tabIndex={0}
        className="max-h-120 overflow-auto rounded-md p-3 max-sm:pt-0 sm:pr-10 font-mono text-xs leading-5 text-ink"
      >
        <code>{code}</code>
      </pre>
    </div>
  );
}
