// Banners above the page: offline, live updates lost, time lapse.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveState } from '../app/live.ts';
import { useSession } from '../app/session.ts';
import { durationText } from '../design/money.tsx';

/** Shorter interruptions are not shown. */
const LOST_SHOWN_AFTER_MS = 3_000;

export function Banners() {
  const online = useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
  const lost = useLostForAWhile();
  const speed = useSession().data?.server.clock_speed ?? 1;
  return (
    <section aria-label="Connection">
      <div role="status">
        {online ? null : (
          <Line tone="caution">You are offline. What you see may be out of date.</Line>
        )}
        {online && lost ? (
          <Line tone="caution">Live updates are interrupted. Reconnecting…</Line>
        ) : null}
      </div>
      {speed > 1 ? <Line tone="accent">{`Time lapse: ${lapseText(speed)} per second`}</Line> : null}
    </section>
  );
}

function Line({ tone, children }: { tone: 'caution' | 'accent'; children: string }) {
  const style =
    tone === 'caution' ? 'bg-caution-soft text-caution' : 'bg-accent-soft text-accent-ink';
  return <p className={`${style} px-4 py-1 text-center text-xs`}>{children}</p>;
}

function useLostForAWhile(): boolean {
  const state = useLiveState();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (state !== 'lost') return setLost(false);
    const timer = setTimeout(() => setLost(true), LOST_SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return lost;
}

function lapseText(speed: number): string {
  if (speed === 60) return 'one minute';
  if (speed === 3_600) return 'one hour';
  if (speed === 86_400) return 'one day';
  return durationText(speed * 1000);
}
