import type { Progress } from './progress.ts';
import { buildDemo, type DemoPlan } from './demo/build.ts';
import { createKey } from '../tenancy/apiKeys.ts';
import type { Service } from '../tenancy/service.ts';
import { findTenant, listTenants } from '../tenancy/tenants.ts';

const alias = 'demo';

/** What the demo holds: two years of a business, or only the catalogue and the customers of the guides. */
export const demoContents = ['history', 'catalog'] as const;
export type DemoContents = (typeof demoContents)[number];

const historyDays = 730;
const clockDays = 90;
/** The customers who come to the checkout; some of them never pay. */
const [historyCustomers, clockCustomers] = [560, 16];
/** The same history for everybody, up to the moment at which it ends. */
const seed = 20;

const tenant = { alias, name: 'Demo', test: true };
const clockTenant = { alias: 'demo-clock', name: 'Demo with a clock', test: true };

// The tenant by which a later start recognizes the demo comes last.
const plans: Record<DemoContents, DemoPlan[]> = {
  history: [
    { tenant: clockTenant, days: clockDays, customers: clockCustomers, hasClock: true },
    { tenant, days: historyDays, customers: historyCustomers },
  ],
  catalog: [{ tenant, days: 0, customers: 0 }],
};

/** How the demo is made. */
interface DemoOptions {
  contents: DemoContents;
  progress: Progress;
  /** Whether the program is to stop. */
  isStopping: () => boolean;
}

/**
 * Creates the test tenant `demo`, unless it exists: with the history of two years that end now, and beside it the test
 * tenant `demo-clock` with a clock of its own; or with a small catalogue. Returns its first API key; undefined if it
 * exists already. Throws `DemoStopped` if the program is to stop; then no tenant is left half-made.
 */
export async function createDemo(service: Service, options: DemoOptions): Promise<string | undefined> {
  if (await findTenant(service, alias)) return undefined;
  const nowMs = service.clock.nowMs();
  const { contents, progress, isStopping } = options;
  const onDay = (day: number, days: number) => {
    if (isStopping()) throw new DemoStopped();
    progress.show(`Making the demo: day ${day} of ${days}`);
  };
  // An earlier start may have been stopped between two tenants.
  const present = new Set((await listTenants(service)).map((each) => each.alias));
  const missing = plans[contents].filter((plan) => !present.has(plan.tenant.alias));
  try {
    await buildDemo(service, missing, { nowMs, seed, onDay });
  } finally {
    progress.end();
  }
  const { apiKey } = await createKey(service, { tenant: alias });
  // The log of the database has all of the demo a second time.
  await service.store.purgeOldData();
  return apiKey;
}

/** The program was told to stop while it made the demo. */
export class DemoStopped extends Error {}

/**
 * Formats what to print about the demo: at first its API key and two example requests, later how to create another key.
 * `hint` completes a command of this program.
 */
export function formatDemo(
  apiKey: string | undefined,
  url: string,
  hint: (command: string) => string,
): string {
  if (apiKey === undefined)
    return `The demo tenant already exists. To create another key: ${hint(`key create --tenant ${alias}`)}\n`;
  return [
    `Created the test tenant "${alias}". Its API key, shown only now:`,
    '',
    `  ${apiKey}`,
    '',
    'Try REST:',
    '',
    `  curl -s '${url}/api/v1/customers?tenantAlias=${alias}' -H 'api-key: ${apiKey}'`,
    '',
    'Try GraphQL:',
    '',
    `  curl -s ${url}/graphql -H 'api-key: ${apiKey}' -H 'content-type: application/json' \\`,
    `    -d '{"query":"{ products(order: ASC) { nodes { name prices { details { amount currency } recurring { frequency } } } } }"}'`,
    '',
    '',
  ].join('\n');
}
