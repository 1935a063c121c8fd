// A link inside the app: a real anchor that the router follows without reloading the page.
import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react';
import { classNames } from './class-names.ts';

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  to: string;
  ref?: Ref<HTMLAnchorElement>;
};

/** Without styles of its own. `to` is built by `paths`, including the search. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || elsewhere || rest.target) return;
    event.preventDefault();
    router.history.push(to);
  };
  const warm = () => {
    router.preloadRoute({ to: to.split('?')[0] ?? to }).catch(() => {});
  };
  return <a {...rest} href={to} onClick={follow} onPointerEnter={warm} onFocus={warm} />;
}

const TEXT_LINK =
  'text-accent-ink underline decoration-accent-ink/35 underline-offset-2 hover:decoration-accent-ink rounded-sm';

/** A link in running text or in a cell. */
export function TextLink({ className, ...rest }: LinkProps) {
  return <Link {...rest} className={classNames(TEXT_LINK, className)} />;
}
