// A progress bar. A Meter would turn red towards the end, which is good here.
import { countText } from '../design/money.tsx';

export function ProgressBar({ label, value, of }: { label: string; value: number; of: number }) {
  const share = of > 0 ? Math.min(1, value / of) : 0;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={Math.min(value, of)}
      aria-valuetext={`${countText(value)} of ${countText(of)}`}
      className="h-1 overflow-hidden rounded-full bg-pressed"
    >
      <div
        className="h-full rounded-full bg-accent transition-[width]"
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
