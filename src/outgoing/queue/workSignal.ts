/** Starts work when it is queued: a tenant with new work at once, and every second all tenants. */

/** The server starts to listen first. */
const startDelayMs = 50;
const pollIntervalMs = 1000;

/** Collects the tenants with new work until the loop that waits for it processes them. */
export class WorkSignal {
  private readonly pendingTenants = new Set<string>();
  private isPollDue = false;
  private stopped = false;
  /** Lets the loop continue. */
  private resume = () => {};

  /** Signals new work of a tenant. */
  notify(alias: string): void {
    this.pendingTenants.add(alias);
    this.resume();
  }

  /**
   * Calls `process` for the tenants with new work, and every second without aliases for all tenants, because another
   * process may have queued work. `process` must not reject. `stop` resolves when the last call has ended.
   */
  start(process: (aliases: string[] | undefined) => Promise<void>): { stop: () => Promise<void> } {
    const poll = () => {
      this.isPollDue = true;
      this.resume();
    };
    const first = setTimeout(poll, startDelayMs);
    const ticking = setInterval(poll, pollIntervalMs);
    const working = this.run(process);
    return {
      stop: () => {
        this.stopped = true;
        clearTimeout(first);
        clearInterval(ticking);
        this.resume();
        return working;
      },
    };
  }

  private async run(process: (aliases: string[] | undefined) => Promise<void>): Promise<void> {
    for (;;) {
      await this.waitForWork();
      if (this.stopped) return;
      const aliases = this.isPollDue ? undefined : [...this.pendingTenants];
      this.pendingTenants.clear();
      this.isPollDue = false;
      await process(aliases);
    }
  }

  private waitForWork(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve;
      if (this.pendingTenants.size > 0 || this.isPollDue || this.stopped) resolve();
    });
  }
}
