/** The rhythm of a dispatcher: tenants with new work at once, and every second all tenants. */
import type { Logger } from 'pino';
import { findTenant, type Service, type TenantRow } from '../tenancy/tenants.ts';

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

/** Returns the tenants with these aliases that exist. */
export async function listTenantRows(service: Service, aliases: string[]): Promise<TenantRow[]> {
  const found = await Promise.all(aliases.map((alias) => findTenant(service, alias)));
  return found.filter((record) => record !== undefined);
}
