/** Runs tasks with the same key one after another, in the order in which they arrive; other tasks are not delayed. */
export interface Turns {
  run: <T>(key: string, task: () => Promise<T>) => Promise<T>;
}

/** Creates the turns of tasks. A task that has waited for `longestMs` no longer waits for those before it. */
export function createTurns(longestMs: number): Turns {
  /** The end of the tasks of each key. */
  const ends = new Map<string, Promise<unknown>>();
  return {
    run: async (key, task) => {
      const before = ends.get(key);
      const result = before ? waitAtMost(before, longestMs).then(task) : task();
      const end = Promise.allSettled([before, result]);
      ends.set(key, end);
      try {
        return await result;
      } finally {
        if (ends.get(key) === end) ends.delete(key);
      }
    },
  };
}

async function waitAtMost(before: Promise<unknown>, longestMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestMs);
  });
  await Promise.race([before, isOver]);
  clearTimeout(timer);
}
