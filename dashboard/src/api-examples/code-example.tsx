// A code block whose key is masked on screen and complete in the copy.
import type { ClipboardEvent } from 'react';
import { classNames } from '../design/class-names.ts';
import { CopyButton } from '../design/copy-button.tsx';

type Props = {
  code: string;
  /** The name of the example, for the copy button: "credits example in curl". */
  name: string;
  /** The key in the code, and its masked form. */
  apiKey: string;
  shownKey: string;
};

export function CodeExample({ code, name, apiKey, shownKey }: Props) {
  // Copying a selection also copies the whole key: a masked one is useless in a program.
  const copyWhole = (event: ClipboardEvent) => {
    const selected = getSelection()?.toString() ?? '';
    if (shownKey === apiKey || !selected.includes(shownKey)) return;
    event.clipboardData.setData('text/plain', selected.replaceAll(shownKey, apiKey));
    event.preventDefault();
  };
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      {/* On a separate line on a phone, where code scrolls sideways under an overlay. */}
      <div className="flex justify-end rounded-md bg-sunken max-sm:px-1 max-sm:pt-1 sm:absolute sm:top-1 sm:right-1">
        <CopyButton text={code} name={name} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs keyboard focus.
        tabIndex={0}
        onCopy={copyWhole}
        className="max-h-140 overflow-auto rounded-md p-3 max-sm:pt-0 sm:pr-10 font-mono text-xs leading-5 text-ink"
      >
        <code>
          {code
            .trimEnd()
            .split('\n')
            .map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text keep their order.
              <Line key={index} text={line} apiKey={apiKey} shownKey={shownKey} />
            ))}
        </code>
      </pre>
    </div>
  );
}

type LineProps = { text: string; apiKey: string; shownKey: string };

function Line({ text, apiKey, shownKey }: LineProps) {
  const [before = '', after] = text.split(apiKey);
  const remark = /^\s*(#|\/\/|\/\*\*)/.test(text);
  return (
    <span className={classNames('block min-h-5', remark && 'text-muted')}>
      {before}
      {after === undefined ? null : (
        <span className="rounded-sm bg-accent-soft text-accent-ink">{shownKey}</span>
      )}
      {after}
    </span>
  );
}
