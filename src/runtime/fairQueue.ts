/** Lets requests begin so that no tenant waits for the crowd of another. */
export interface Turns {
  /** Undefined where a request may begin at once; else resolves when it is its tenant's turn. */
  wait: (tenantAlias: string) => Promise<void> | undefined;
}

// So long a new request may be left unread: the loop goes round at least that often.
const roundMs = 2;
const stepsPerRound = 64;

/**
 * Requests begin as they come while the event loop has time. What is more in one round of it waits in a queue of its
 * tenant, and the tenants take turns: so a request waits for about one of each other tenant, however many these send.
 */
export function createTurns(): Turns {
  const waiting = new Map<string, (() => void)[]>();
  let roundBegan: number | undefined;
  /** How many wait, and how many steps are still to be made for them. */
  let count = 0;
  let steps = 0;

  const isLate = () => {
    if (roundBegan !== undefined) return performance.now() - roundBegan > roundMs;
    roundBegan = performance.now();
    setImmediate(endRound);
    return false;
  };
  const endRound = () => {
    roundBegan = undefined;
  };

  const takeNext = () => {
    const [tenantAlias, queue] = waiting.entries().next().value!;
    queue.shift()!();
    count -= 1;
    // To the end of the row, behind all others that wait.
    waiting.delete(tenantAlias);
    if (queue.length > 0) waiting.set(tenantAlias, queue);
  };

  // What has begun goes as far as it can before the next step: between them Node settles all promises.
  const step = () => {
    if (count > 0 && !isLate()) takeNext();
    steps -= 1;
    if (steps === 0 && count > 0) go();
  };
  const go = () => {
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
      if (steps === 0) go();
    });
  };

  return { wait };
}
