/**
 * Wakes the followers of a tenant's traces, or of its usage, by a name. It carries no traces: a woken follower reads on from its last position, so
 * nothing is buffered for slow followers, and traces written by other processes are read the same way.
 */
export interface Notifier {
  /** Signals that there may be something new. */
  notify(name: string): void;
  /** Resolves to true at the next `notify` of the name, to false after one second or when aborted. */
  next(name: string, stop: AbortSignal): Promise<boolean>;
}

/** Traces of other processes are found by polling: PostgreSQL's NOTIFY would serialize all commits. */
const pollMs = 1000;
/** Delays the notice to followers, so that a burst of commits is read at once. */
const gatherMs = 20;

/** Creates a feed for this process. */
export function createNotifier(): Notifier {
  const waiting = new Map<string, Set<(isNotified: boolean) => void>>();

  const next = (name: string, stop: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      const followers = waiting.get(name) ?? new Set();
      waiting.set(name, followers);
      const wake = (isNotified: boolean) => {
        followers.delete(wake);
        if (followers.size === 0 && waiting.get(name) === followers) waiting.delete(name);
        clearTimeout(timer);
        stop.removeEventListener('abort', giveUp);
        resolve(isNotified);
      };
      const giveUp = () => wake(false);
      const timer = setTimeout(giveUp, pollMs);
      if (stop.aborted) return giveUp();
      stop.addEventListener('abort', giveUp);
      followers.add(wake);
    });

  const notify = (name: string) => {
    const followers = waiting.get(name);
    if (!followers) return;
    waiting.delete(name);
    setTimeout(() => {
      for (const wake of followers) wake(true);
    }, gatherMs);
  };

  return { notify, next };
}
