/** The rhythm of a dispatcher: tenants with new work at once, and every second all tenants. */
import type { Logger } from 'pino';
import { findTenant, type Service, type TenantRow } from '../../tenancy/tenants.ts';

/** The server starts to listen first. */
const startDelayMs = 50;
const pollIntervalMs = 1000;

/** The tenants with new work, and what is waiting for them. */
export interface Bell {
  woken: Set<string>;
  ring: () => void;
  /** Signals new work of a tenant. */
  wake: (alias: string) => void;
}

/** Creates a bell that nothing waits for yet. */
export function createBell(): Bell {
  const bell: Bell = {
    woken: new Set(),
    ring: () => {},
    wake: (alias) => {
      bell.woken.add(alias);
      bell.ring();
    },
  };
  return bell;
}

interface Polling {
  bell: Bell;
  log: Logger;
  /** The message for a round that failed. */
  failure: string;
  /** Processes the tenants with these aliases, or all tenants. */
  process: (aliases: string[] | undefined) => Promise<void>;
}

/** Starts to process tenants as they are woken, and every second all of them, because another process may have queued work. */
export function startWakingUp({ bell, log, failure, process }: Polling): { stop: () => Promise<void> } {
  let stopped = false;
  let isPollDue = false;
  const poll = () => {
    isPollDue = true;
    bell.ring();
  };
  const first = setTimeout(poll, startDelayMs);
  const ticking = setInterval(poll, pollIntervalMs);

  const processOnce = async () => {
    const aliases = isPollDue ? undefined : [...bell.woken];
    bell.woken.clear();
    isPollDue = false;
    try {
      await process(aliases);
    } catch (error) {
      log.error({ err: error }, failure);
    }
  };
  const waitForRing = () =>
    new Promise<void>((resolve) => {
      bell.ring = resolve;
      if (bell.woken.size > 0 || isPollDue || stopped) resolve();
    });
  const run = async () => {
    for (;;) {
      await waitForRing();
      if (stopped) return;
      await processOnce();
    }
  };
  const working = run();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(first);
      clearInterval(ticking);
      bell.ring();
      return working;
    },
  };
}

/** How long attempts in progress may take to end when the service stops. */
const graceMs = 3000;
const repeatMs = 1000;

/** Resolves with whether the outcome of an attempt could be recorded. */
export const settle = (attempt: Promise<void>, report: (error: unknown) => void): Promise<boolean> =>
  attempt.then(
    () => true,
    async (error: unknown) => {
      report(error);
      // Nothing was recorded, so the work is still due; wait before it is claimed again.
      await pause(repeatMs);
      return false;
    },
  );

/** Wakes the tenant whose attempt ended, and those that wait for the room it took. */
export function wakeHeldBack(bell: Bell, heldBack: Set<string>, alias: string): void {
  for (const held of heldBack) bell.wake(held);
  heldBack.clear();
  bell.wake(alias);
}

/** Waits for the last claim, lets the attempts in progress end within a grace period, then aborts them. */
export async function endAttempts(
  working: Promise<void>,
  attempts: ReadonlyMap<string, { done: Promise<boolean> }>,
  stop: AbortController,
): Promise<void> {
  await working;
  const ended = Promise.all([...attempts.values()].map(({ done }) => done));
  await Promise.race([ended, pause(graceMs)]);
  stop.abort();
  await ended;
}

/** Resolves after a time that does not keep the process alive. */
export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** Returns the tenants with these aliases that exist. */
export async function listTenantRows(service: Service, aliases: string[]): Promise<TenantRow[]> {
  const found = await Promise.all(aliases.map((alias) => findTenant(service, alias)));
  return found.filter((record) => record !== undefined);
}
