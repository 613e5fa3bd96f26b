/** What receives the values of a shared source. */
export interface Receiver<T> {
  next(value: T): void;
  /** Called once if the source ends while the receiver listens; with its error, if it failed. */
  end(error?: unknown): void;
}

interface Source<T> {
  opened: Promise<AsyncIterator<T>>;
  receivers: Set<Receiver<T>>;
}

/** Sources of values that several receivers share, by key: opened for the first receiver, closed after the last. */
export class SharedSources<T> {
  private readonly sources = new Map<string, Source<T>>();

  /**
   * Passes each value of a source to `receiver`, from now on. Resolves, when the source is open, with the function that ends
   * it. `open` is called unless the source is open already.
   */
  async receive(
    key: string,
    open: () => Promise<AsyncIterator<T>>,
    receiver: Receiver<T>,
  ): Promise<() => void> {
    const source = this.sources.get(key) ?? this.start(key, open);
    source.receivers.add(receiver);
    const leave = () => {
      if (!source.receivers.delete(receiver) || source.receivers.size > 0) return;
      this.forget(key, source);
      void source.opened.then((iterator) => iterator.return?.()).catch(() => {});
    };
    try {
      await source.opened;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  private start(key: string, open: () => Promise<AsyncIterator<T>>): Source<T> {
    const source: Source<T> = { opened: open(), receivers: new Set() };
    this.sources.set(key, source);
    void this.run(key, source);
    return source;
  }

  private async run(key: string, source: Source<T>): Promise<void> {
    let failure: unknown;
    try {
      const iterator = await source.opened;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) break;
        for (const receiver of source.receivers) receiver.next(value);
      }
    } catch (error) {
      failure = error;
    }
    this.forget(key, source);
    for (const receiver of source.receivers) receiver.end(failure);
    source.receivers.clear();
  }

  private forget(key: string, source: Source<T>): void {
    if (this.sources.get(key) === source) this.sources.delete(key);
  }
}
