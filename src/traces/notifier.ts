/**
 * Wakes those who follow the traces of a tenant. It carries no trace itself: who is woken reads on from where it was,
 * so nothing has to be kept for a slow reader, and what another process has recorded is read just the same.
 */
export interface Feed {
  /** Tells that something of the tenant may have been recorded. */
  notify(tenantAlias: string): void;
  /** Resolves when that has been told since the call, a second later at the latest, or when told to stop. */
  next(tenantAlias: string, stop: AbortSignal): Promise<void>;
}

/** What other processes record is found by looking: PostgreSQL's NOTIFY would make all commits wait for each other. */
const lookMs = 1000;
/** A burst of commits is read at once. */
const gatherMs = 20;

/** A feed of this process. */
export function createFeed(): Feed {
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
      const timer = setTimeout(wake, lookMs);
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
