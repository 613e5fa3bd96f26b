interface RoundEnd {
  come: Promise<void>;
  tell: () => void;
}

/** One for the process, as its event loop is. */
let end: RoundEnd | undefined;

/**
 * Resolves when the event loop has read all that had arrived. Answers that wait for it leave one right after the other:
 * a client or proxy on the same machine is then woken once for all of them, and to wake it costs more than a look-up.
 */
export function roundEnd(): Promise<void> {
  if (!end) {
    let tell!: () => void;
    const come = new Promise<void>((resolve) => (tell = resolve));
    end = { come, tell };
    setImmediate(endRound);
  }
  return end.come;
}

/** Ends the round at once. Who keeps the event loop busy for long does so first, so that no answer waits for it. */
export function endRound(): void {
  end?.tell();
  end = undefined;
}
