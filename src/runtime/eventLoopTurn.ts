interface TurnEnd {
  reached: Promise<void>;
  resolve: () => void;
}

/** One per process, because a process has one event loop. */
let end: TurnEnd | undefined;

/**
 * Resolves when the event loop has read all requests that have arrived. Responses that await it are sent together, so
 * that a client or proxy on the same machine is woken once for all of them; a wake-up costs more than a look-up.
 */
export function afterCurrentTurn(): Promise<void> {
  if (!end) {
    let resolve!: () => void;
    const reached = new Promise<void>((settle) => (resolve = settle));
    end = { reached, resolve };
    setImmediate(endTurn);
  }
  return end.reached;
}

/** Ends the turn at once. Long synchronous work calls it first, so that no response waits for the work. */
export function endTurn(): void {
  end?.resolve();
  end = undefined;
}
