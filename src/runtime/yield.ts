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
