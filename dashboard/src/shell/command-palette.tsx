// The command palette (Ctrl or Cmd K): finds a page, a product or a command.
import { Dialog as Base } from '@base-ui/react/dialog';
import { useRouter } from '@tanstack/react-router';
import { BookOpen, Keyboard, LogOut, Moon, Package, Plus, Search, Sun } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { paths } from '../app/paths.ts';
import {
  codeInAddress,
  digitsOf,
  guessKind,
  isProductCode,
  isWords,
} from '../app/product-number.ts';
import { requestSearch, searchText } from '../app/search-request.ts';
import { usePrices } from '../app/session.ts';
import { Kbd } from '../design/badge.tsx';
import { classNames } from '../design/class-names.ts';
import { creditsText } from '../design/money.tsx';
import { setTheme, useShownTheme } from '../design/theme.ts';
import { PAGES } from './pages.ts';
import { signOut } from './sign-out.ts';

type Command = {
  label: string;
  icon: ReactNode;
  keys?: readonly string[];
  /** A search that is offered: it may find nothing. */
  isSearch?: boolean;
  run: () => void;
};

type PaletteProps = { open: boolean; onClose: () => void; onKeys: () => void };

export function CommandPalette(props: PaletteProps) {
  return (
    <Base.Root open={props.open} onOpenChange={(open) => open || props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fade-in fixed inset-0 z-40 bg-scrim" />
        <Base.Popup
          aria-label="Find a page, a product or a command"
          className="pop-in fixed inset-x-3 top-[12dvh] z-50 mx-auto flex max-h-[70dvh] max-w-140 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-pop"
        >
          <PaletteList {...props} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function PaletteList(props: PaletteProps) {
  const [typed, setTyped] = useState('');
  const [selected, setSelected] = useState(0);
  const list = useId();
  const commands = useCommands(typed, props);
  const at = Math.min(selected, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    props.onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const to = (next + commands.length) % Math.max(1, commands.length);
      setSelected(to);
      document.getElementById(`${list}-${to}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(commands[at]);
    }
  };
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <input
          role="combobox"
          aria-label="Find a page, a product or a command"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={commands[at] ? `${list}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Find a page or a product: words, UPC, EAN, code or address"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setSelected(0);
          }}
          onKeyDown={onKeyDown}
          className="h-11 w-full bg-transparent text-base text-ink outline-none placeholder:text-faint coarse:text-lg"
        />
        <span className="coarse:hidden">
          <Kbd>Esc</Kbd>
        </span>
      </div>
      {/* The field keeps the focus; aria-activedescendant marks the option. */}
      <div id={list} role="listbox" aria-label="Results" className="overflow-y-auto p-1">
        {commands.map((command, index) => (
          <Option
            key={command.label}
            id={`${list}-${index}`}
            command={command}
            chosen={index === at}
            onPoint={() => setSelected(index)}
            onChoose={() => run(command)}
          />
        ))}
      </div>
      {commands.length === 0 ? (
        <p className="px-4 pt-4 pb-6 text-center text-sm text-muted">No results.</p>
      ) : null}
      <p role="status" className="sr-only">
        {resultsText(commands)}
      </p>
    </>
  );
}

function resultsText(commands: readonly Command[]): string {
  const results = commands.filter(({ isSearch }) => !isSearch).length;
  if (results === 0) return commands.length === 0 ? 'No results' : 'No results. You can search.';
  return results === 1 ? '1 result' : `${results} results`;
}

function Option(props: {
  id: string;
  command: Command;
  chosen: boolean;
  onPoint: () => void;
  onChoose: () => void;
}) {
  const { id, command, chosen, onPoint, onChoose } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is handled in the field.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={classNames(
        'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm text-ink coarse:py-2.5',
        chosen && 'bg-hover',
      )}
    >
      <span className="text-muted [&>svg]:size-4">{command.icon}</span>
      <span className="min-w-0 flex-1 truncate">{command.label}</span>
      <span className="flex gap-1 coarse:hidden">
        {command.keys?.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </div>
  );
}

const NAME_CHARS_MIN = 2;
/** Shorter digit sequences are rarely product numbers. */
const DIGITS_MIN = 6;

function useCommands(typed: string, { onKeys }: PaletteProps): readonly Command[] {
  const router = useRouter();
  const theme = useShownTheme();
  const searchCredits = usePrices().data?.search;
  const go = (path: string) => () => router.history.push(path);
  const other = theme === 'dark' ? 'light' : 'dark';
  const commands: Command[] = [
    ...PAGES.map(({ name, path, icon: Icon, key }) => ({
      label: name,
      icon: <Icon aria-hidden />,
      keys: ['g', key],
      run: go(path),
    })),
    { label: 'Track products', icon: <Plus aria-hidden />, run: go(paths.tracking({ add: '1' })) },
    {
      label: 'API reference',
      icon: <BookOpen aria-hidden />,
      run: () => location.assign(paths.docs()),
    },
    {
      label: `Use the ${other} theme`,
      icon: other === 'dark' ? <Moon aria-hidden /> : <Sun aria-hidden />,
      run: () => setTheme(other),
    },
    { label: 'Keyboard shortcuts', icon: <Keyboard aria-hidden />, keys: ['?'], run: onKeys },
    { label: 'Sign out', icon: <LogOut aria-hidden />, run: () => void signOut(router) },
  ];
  const words = typed.trim().toLowerCase();
  const matches = commands.filter(({ label }) => label.toLowerCase().includes(words));
  if (words.length >= NAME_CHARS_MIN && isWords(words)) {
    if (searchCredits !== undefined) {
      matches.push({
        label: `Search all products for “${typed.trim()}” · ${creditsText(searchCredits)}`,
        icon: <Package aria-hidden />,
        isSearch: true,
        run: () => {
          const text = searchText(typed);
          requestSearch(text);
          router.history.push(paths.products({ s: text }));
        },
      });
    }
    matches.push({
      label: `Search tracked products for “${typed.trim()}”`,
      icon: <Search aria-hidden />,
      isSearch: true,
      run: go(paths.tracking({ q: typed.trim() })),
    });
  }
  const address = codeInAddress(words);
  if (address !== null) return [productCommand(address, go), ...matches];
  const digits = digitsOf(words);
  if (digits.length < DIGITS_MIN || !isProductCode(digits)) return matches;
  const kind = guessKind(digits);
  const code: Command[] = kind !== 'ean' ? [productCommand(digits, go)] : [];
  const lookUp: Command[] =
    kind !== 'retailer_product_code'
      ? [
          {
            label: `Look up ${kind.toUpperCase()} ${digits}`,
            icon: <Search aria-hidden />,
            run: go(paths.products({ q: digits })),
          },
        ]
      : [];
  return [...lookUp, ...code, ...matches];
}

const productCommand = (code: string, go: (path: string) => () => void): Command => ({
  label: `Product ${code}`,
  icon: <Package aria-hidden />,
  run: go(paths.product(code)),
});
