/** Makes a demo tenant in a database of its own, and copies it to another: completely or not at all. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openService } from '../../app/app.ts';
import { readConfig } from '../../config/config.ts';
import { createIds } from '../../lib/ids.ts';
import { randomFrom } from '../../lib/random.ts';
import { toInstant } from '../../lib/time.ts';
import { createCustomer } from '../../billing/customers/customers.ts';
import { copyTenant } from '../../maintenance/databaseCopy/copyTenant.ts';
import { advanceClock } from '../../app/testClock.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Service } from '../../tenancy/service.ts';
import { createTenant, type NewTenant } from '../../tenancy/tenants.ts';
import { openBank } from './bank.ts';
import { createCatalog, guideDesigns } from './catalog.ts';
import { makeHistory } from './history.ts';
import { dayMs } from '../../lib/durations.ts';
import { beginStory, createMovedClock, type MovedClock } from './story.ts';

/** Customers of the guides and the README. */
const guideCustomers = [
  { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', associatedId: 'user-1' },
  { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', associatedId: 'user-2' },
];

/** A tenant to make. */
export interface DemoPlan {
  tenant: NewTenant;
  days: number;
  /** The number of customers who come to the checkout. With none the tenant has only what the guides need. */
  customers: number;
  /** Whether the tenant gets a clock of its own, at the end of the history. */
  hasClock?: boolean;
}

export interface DemoOptions {
  /** The instant at which all histories end. */
  nowMs: number;
  seed: number;
  /** Receives the number of days of a history that have passed, and of all. */
  onDay?: (day: number, days: number) => void;
}

/**
 * Makes tenants with their histories in the database of `target`, each completely or not at all. The same plans, instant
 * and seed make the same tenants.
 */
export async function buildDemo(
  target: Pick<Service, 'store'>,
  plans: DemoPlan[],
  options: DemoOptions,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-demo-'));
  try {
    const config = readConfig(
      { database: `sqlite:${path.join(folder, 'demo.db')}`, logLevel: 'silent', testMails: 'off' },
      {},
    );
    const clock = createMovedClock(options.nowMs);
    const scratch = await openService(config, true, { clock, isScratch: true });
    try {
      for (const plan of plans) {
        await tellStory(scratch, clock, plan, options);
        await copyTenant(scratch.store, target.store, plan.tenant.alias);
      }
    } finally {
      await scratch.store.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function tellStory(
  scratch: Service,
  clock: MovedClock,
  { tenant, days, customers, hasClock = false }: DemoPlan,
  { nowMs, seed, onDay = () => {} }: DemoOptions,
): Promise<void> {
  clock.set(nowMs - days * dayMs);
  const random = randomFrom(seed);
  const [bankRandom, idRandom] = [random.fork(), random.fork()];
  const service: Service = {
    ...scratch,
    ids: createIds(clock, (length) => idRandom.bytes(length)),
    payments: { ...scratch.payments, charging: [openBank(bankRandom, clock)] },
  };
  await createTenant(service, tenant);
  const story = beginStory(service, tenant.alias, { random, clock, endMs: nowMs });
  if (customers > 0) await makeHistory(story, customers, (day) => onDay(day, days));
  else await createCatalog(await story.open(), guideDesigns);
  if (hasClock) await advanceClock(await story.open(), toInstant(nowMs));
  else await addGuideCustomers(await story.open());
}

/** Creates the customers of the guides, who have bought nothing yet. */
async function addGuideCustomers(tenant: TenantScope): Promise<void> {
  for (const customer of guideCustomers) await tenant.write((unit) => createCustomer(unit, customer));
}
