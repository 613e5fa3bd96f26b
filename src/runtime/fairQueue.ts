/** Schedules the start of requests fairly between tenants. */
export interface FairQueue {
  /** Returns undefined if a request may start at once; otherwise a promise that resolves when it may. */
  wait: (tenantAlias: string) => Promise<void> | undefined;
}

// The longest time new requests remain unread: the event loop completes a round at least this often.
const roundMs = 2;
const stepsPerRound = 64;

/**
 * Creates a fair queue. Requests start as they arrive while the event loop has time. Further requests of the same round
 * wait in a queue per tenant, and the queues are served in turn: a request waits for about one request of each other
 * tenant, however many requests those send.
 */
export function createFairQueue(): FairQueue {
  const waiting = new Map<string, (() => void)[]>();
  let roundStartedAtMs: number | undefined;
  /** The number of waiting requests, and of steps still scheduled for them. */
  let count = 0;
  let steps = 0;

  const isLate = () => {
    if (roundStartedAtMs !== undefined) return performance.now() - roundStartedAtMs > roundMs;
    roundStartedAtMs = performance.now();
    setImmediate(endRound);
    return false;
  };
  const endRound = () => {
    roundStartedAtMs = undefined;
  };

  const startNext = () => {
    const [tenantAlias, queue] = waiting.entries().next().value!;
    queue.shift()!();
    count -= 1;
    // Moves the tenant behind all other waiting tenants.
    waiting.delete(tenantAlias);
    if (queue.length > 0) waiting.set(tenantAlias, queue);
  };

  // One request per step: between steps, Node runs all promise callbacks of the requests already started.
  const step = () => {
    if (count > 0 && !isLate()) startNext();
    steps -= 1;
    if (steps === 0 && count > 0) scheduleSteps();
  };
  const scheduleSteps = () => {
    steps = Math.min(count, stepsPerRound);
    for (let made = 0; made < steps; made++) setImmediate(step);
  };

  const wait = (tenantAlias: string) => {
    if (count === 0 && !isLate()) return undefined;
    return new Promise<void>((resolve) => {
      const queue = waiting.get(tenantAlias);
      if (queue) queue.push(resolve);
      else waiting.set(tenantAlias, [resolve]);
      count += 1;
      if (steps === 0) scheduleSteps();
    });
  };

  return { wait };
}
