// The events of one mark.
import { classNames } from '../design/class-names.ts';
import { Dialog } from '../design/dialog.tsx';
import { Time } from '../design/time.tsx';
import type { EventTone } from './chart-model.ts';
import type { EventMark } from './event-marks.ts';

const DOTS: Record<EventTone, string> = {
  neutral: 'bg-faint',
  accent: 'bg-accent',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
};

export function EventsDialog({ mark, onClose }: { mark: EventMark | null; onClose: () => void }) {
  const events = mark?.events.toReversed() ?? [];
  return (
    <Dialog
      open={mark !== null}
      onClose={onClose}
      title={events.length === 1 ? 'Event' : `${events.length} events`}
    >
      <ul className="flex flex-col divide-y divide-line">
        {events.map(({ id, text, tone, atMs, kind }) => (
          <li key={id} className="flex flex-col gap-0.5 py-2">
            <span className="flex gap-2 text-sm text-ink">
              <span
                aria-hidden
                className={classNames('mt-1.75 size-1.5 shrink-0 rounded-full', DOTS[tone])}
              />
              {text}
            </span>
            <span className="pl-3.5 text-xs text-muted">
              <Time at={atMs} /> · <span className="font-mono">{kind}</span>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
