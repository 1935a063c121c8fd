// What something costs, shown before it is paid.
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { creditsText } from './money.tsx';

/** "3 credits", or "free". */
export function CostLabel({ credits }: { credits: number }) {
  return <span data-numeric>{credits === 0 ? 'free' : creditsText(credits)}</span>;
}

/**
 * "Get fees · 3 credits". Send the same number as `maxCredits`. Disabled until the price is known.
 */
export function CostButton({
  credits,
  children,
  disabled,
  ...rest
}: Omit<ButtonProps, 'children'> & { credits: number | undefined; children: ReactNode }) {
  return (
    <Button {...rest} disabled={disabled || credits === undefined}>
      <span>
        {children}
        {credits === undefined ? null : (
          <span className="font-normal">
            {' · '}
            <CostLabel credits={credits} />
          </span>
        )}
      </span>
    </Button>
  );
}
