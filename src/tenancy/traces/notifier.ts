/**
 * Wakes the followers of a tenant's traces. It carries no traces: a woken follower reads on from its last position, so
 * nothing is buffered for slow followers, and traces written by other processes are read the same way.
 */
export interface Notifier {
  /** Signals that the tenant may have new traces. */
  notify(tenantAlias: string): void;
  /** Resolves at the next `notify` for the tenant, after one second at the latest, or when aborted. */
  next(tenantAlias: string, stop: AbortSignal): Promise<void>;
}

/** Traces of other processes are found by polling: PostgreSQL's NOTIFY would serialize all commits. */
const pollMs = 1000;
/** Delays the notice to followers, so that a burst of commits is read at once. */
const gatherMs = 20;

/** Creates a feed for this process. */
export function createNotifier(): Notifier {
  const waiting = new Map<string, Set<() => void>>();

  const next = (tenantAlias: string, stop: AbortSignal) =>
    new Promise<void>((resolve) => {
      const followers = waiting.get(tenantAlias) ?? new Set();
      waiting.set(tenantAlias, followers);
      const wake = () => {
        followers.delete(wake);
        if (followers.size === 0 && waiting.get(tenantAlias) === followers) waiting.delete(tenantAlias);
        clearTimeout(timer);
        stop.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, pollMs);
      if (stop.aborted) return wake();
      stop.addEventListener('abort', wake);
      followers.add(wake);
    });

  const notify = (tenantAlias: string) => {
    const followers = waiting.get(tenantAlias);
    if (!followers) return;
    waiting.delete(tenantAlias);
    setTimeout(() => {
      for (const wake of followers) wake();
    }, gatherMs);
  };

  return { notify, next };
}
