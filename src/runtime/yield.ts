const longestTurnMs = 5;

/** When the event loop's turn began; undefined where no long work has begun in it. All long work shares the turn. */
let turnBegan: number | undefined;

/**
 * Lets others have a turn of the event loop where long work has taken its share of this one: undefined where it may go
 * on at once. Of several that have waited, those that resume after the share of the next turn is used up wait again.
 */
export function breathe(): Promise<void> | undefined {
  return mayGoOn() ? undefined : waitForTurn();
}

async function waitForTurn(): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (!mayGoOn());
}

function mayGoOn(): boolean {
  if (turnBegan !== undefined) return performance.now() - turnBegan < longestTurnMs;
  turnBegan = performance.now();
  setImmediate(endTurn);
  return true;
}

function endTurn(): void {
  turnBegan = undefined;
}

/** Lets others have some turns of the event loop. */
export async function yieldTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Does some work and measures for how long (ms) it held the event loop: 0 if it let others have a turn. */
export async function measureHeld<T>(work: () => Promise<T>): Promise<{ value: T; heldMs: number }> {
  let hasYielded = false;
  const other = setImmediate(() => (hasYielded = true));
  const begunAtMs = performance.now();
  const value = await work();
  clearImmediate(other);
  return { value, heldMs: hasYielded ? 0 : performance.now() - begunAtMs };
}

/** Gathers the items of one turn of the event loop and handles them together; each resolves when they are handled. */
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
