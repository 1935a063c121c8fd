// One stream of changes for the whole app: a message refetches the queries that it affects.
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { queryKey, refresh } from './query-keys.ts';
import { shownAccount } from './shown-account.ts';
import { createTopicThrottle } from './topic-throttle.ts';

type LiveState = 'closed' | 'connecting' | 'open' | 'lost';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** A stream that ends right after it opened counts as failed, so that the delays grow. */
const STEADY_MS = 5_000;
/** A browser allows six connections to one server, so a tab hidden for long closes its own. */
const HIDDEN_CLOSE_MS = 60_000;

let state: LiveState = 'closed';
let stop: (() => void) | null = null;
const listeners = new Set<() => void>();

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Starts listening; the returned function stops it. A second start while one runs does nothing. */
export function startLive(client: QueryClient): () => void {
  stop ??= listen(client);
  return stopLive;
}

export function stopLive(): void {
  stop?.();
  stop = null;
  setState('closed');
}

function listen(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let failures = 0;
  let missed = false;
  let steadyTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  const throttle = createTopicThrottle((topics) => void refresh(client, ...topics));

  const close = () => {
    clearTimeout(retryTimer);
    clearTimeout(steadyTimer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (failures === 0) setState('connecting');
    const account = shownAccount();
    source = new EventSource(`/session/live${account === null ? '' : `?account=${account}`}`);
    source.addEventListener('open', () => {
      steadyTimer = setTimeout(() => {
        failures = 0;
      }, STEADY_MS);
      setState('open');
      // Changes made while the stream was closed were missed.
      if (missed) {
        throttle.add(['events', 'deliveries', 'tracked', 'credits']);
        void client.invalidateQueries({ queryKey: queryKey('session') });
      }
      missed = false;
    });
    source.addEventListener('change', (message) => throttle.add(topicsIn(message.data)));
    source.addEventListener('error', fail);
  };
  const fail = () => {
    close();
    failures += 1;
    missed = true;
    if (failures >= 2) setState('lost');
    // The stream does not say why it ended; the session query shows whether the user is signed out.
    if (failures === 2) void client.invalidateQueries({ queryKey: queryKey('session') });
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (failures - 1));
    retryTimer = setTimeout(open, waitMs * (0.75 + Math.random() / 2));
  };
  const closeIfHiddenLong = () => {
    clearTimeout(hideTimer);
    if (!document.hidden) return;
    hideTimer = setTimeout(() => {
      missed = true;
      close();
    }, HIDDEN_CLOSE_MS);
  };
  const retryNow = () => {
    failures = Math.min(failures, 1);
    open();
  };
  const onVisibility = () => {
    closeIfHiddenLong();
    if (!document.hidden && source === null) retryNow();
  };
  /** A hidden tab opens no stream: a retry is scheduled, or it was closed on purpose. */
  const onOnline = () => {
    if (!document.hidden) retryNow();
  };

  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onOnline);
  open();
  // A tab may be opened in the background, which fires no visibility event.
  closeIfHiddenLong();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', onOnline);
    clearTimeout(hideTimer);
    throttle.stop();
    close();
  };
}

function topicsIn(data: string): readonly string[] {
  try {
    const { topics } = JSON.parse(data) as { topics?: unknown };
    return Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : [];
  } catch {
    return [];
  }
}
