const maxTurnMs = 5;

/**
 * When the current event-loop turn began; undefined if no long work has started in it. One per process, because all long
 * work shares the event loop.
 */
let turnStartedAtMs: number | undefined;

/**
 * Yields to the event loop if long work has used up its share of the current turn; returns undefined if it may continue
 * at once. If several callers wait, those that resume after the next turn's share is used up wait again.
 */
export function yieldWhenDue(): Promise<void> | undefined {
  return mayContinue() ? undefined : waitForTurn();
}

async function waitForTurn(): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (!mayContinue());
}

function mayContinue(): boolean {
  if (turnStartedAtMs !== undefined) return performance.now() - turnStartedAtMs < maxTurnMs;
  turnStartedAtMs = performance.now();
  setImmediate(endTurn);
  return true;
}

function endTurn(): void {
  turnStartedAtMs = undefined;
}

/** Yields to the event loop for a number of turns. */
export async function yieldTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Runs work and measures how long (ms) it blocked the event loop: 0 if it yielded. */
export async function measureHeld<T>(work: () => Promise<T>): Promise<{ value: T; heldMs: number }> {
  let hasYielded = false;
  const other = setImmediate(() => (hasYielded = true));
  const begunAtMs = performance.now();
  const value = await work();
  clearImmediate(other);
  return { value, heldMs: hasYielded ? 0 : performance.now() - begunAtMs };
}

/**
 * Collects the items of one event-loop turn and handles them together; each promise resolves when its item is handled.
 */
export function gatherPerTurn<T>(handle: (items: T[]) => Promise<void>): (item: T) => Promise<void> {
  let batch: { items: T[]; done: Promise<void> } | undefined;
  return (item) => {
    if (batch) {
      batch.items.push(item);
      return batch.done;
    }
    const items = [item];
    const done = new Promise(setImmediate).then(() => {
      batch = undefined;
      return handle(items);
    });
    batch = { items, done };
    return done;
  };
}

/**
 * Collects the values of a long computation, and lets requests run between its steps. A step without a value yields
 * undefined.
 */
export async function collectBetweenRequests<T>(steps: AsyncIterable<T | undefined>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of steps) {
    if (value !== undefined) values.push(value);
    await yieldWhenDue();
  }
  return values;
}
