// Collects the topics of live messages and limits how often each is refetched.
import { liveEveryMs, type Topic, topicsTouched } from './query-keys.ts';

export function createTopicThrottle(refetch: (topics: readonly Topic[]) => void) {
  const waiting = new Set<Topic>();
  const refetchedAtMs = new Map<Topic, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const dueAtMs = (topic: Topic) => {
    const lastAtMs = refetchedAtMs.get(topic);
    return lastAtMs === undefined ? 0 : lastAtMs + liveEveryMs(topic);
  };
  const flush = () => {
    const nowMs = performance.now();
    const due = [...waiting].filter((topic) => dueAtMs(topic) <= nowMs);
    for (const topic of due) {
      waiting.delete(topic);
      refetchedAtMs.set(topic, nowMs);
    }
    if (due.length > 0) refetch(due);
    schedule();
  };
  const schedule = () => {
    clearTimeout(timer);
    if (waiting.size === 0) return;
    const nextAtMs = Math.min(...[...waiting].map(dueAtMs));
    timer = setTimeout(flush, Math.max(0, nextAtMs - performance.now()));
  };

  return {
    /** Topic names as the server's messages have them. */
    add(names: readonly string[]) {
      for (const topic of topicsTouched(names)) waiting.add(topic);
      schedule();
    },
    stop: () => clearTimeout(timer),
  };
}
