interface TurnEnd {
  reached: Promise<void>;
  resolve: () => void;
}

/** One for the process, as its event loop is. */
let end: TurnEnd | undefined;

/**
 * Resolves when the event loop has read all requests that had arrived. Responses that wait for it are sent right after
 * each other: a client or proxy on the same machine is woken once for all of them, which costs more than a look-up.
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

/** Ends the turn at once. Long synchronous work calls it first, so that no response waits for it. */
export function endTurn(): void {
  end?.resolve();
  end = undefined;
}
