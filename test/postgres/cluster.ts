/** What the scripts about several gateways need of the program and its tests, in one bundle. */
import { openService } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Service } from '../../src/tenants/tenants.ts';

export { prepareDue } from '../billing/simulation/due.ts';
export { createKey } from '../../src/tenants/keys.ts';
export { createTenant } from '../../src/tenants/tenants.ts';
export { administer } from '../support/administer.ts';
export { behindPostgres } from '../support/backdoor.ts';
export { startEmbedded } from '../support/embedded.ts';
export { reckon, watchBillers } from '../support/sharing.ts';

/** Opens the service on a database, as a server does. */
export const openOn = (database: string): Promise<Service> =>
  openService(readConfig({ database, logLevel: 'silent' }, {}), true);
