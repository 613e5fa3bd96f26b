const longestTurnMs = 5;

/** One for the process, as its event loop is. */
let turnBegan: number | undefined;

/**
 * Lets others have a turn of the event loop where long work has taken its share of this one: undefined where it may go
 * on at once. All long work of the process shares the turn.
 */
export function breathe(): Promise<void> | undefined {
  if (turnBegan === undefined) {
    turnBegan = performance.now();
    setImmediate(endTurn);
    return undefined;
  }
  if (performance.now() - turnBegan < longestTurnMs) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}

function endTurn(): void {
  turnBegan = undefined;
}
