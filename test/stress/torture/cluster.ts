/** Exports for the scripts about several gateways, in one bundle. */
import { openService } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Service } from '../../../src/tenancy/service.ts';

export { prepareDue } from '../simulation/due.ts';
export { createKey } from '../../../src/tenancy/apiKeys.ts';
export { createTenant } from '../../../src/tenancy/tenants.ts';
export { administer } from '../../support/administer.ts';
export { behindPostgres } from '../../support/backdoor.ts';
export { startEmbedded } from '../../support/embedded.ts';
export { reckon, watchBillers } from '../../support/sharing.ts';

/** Opens the service on a database, as a server does. */
export const openOn = (database: string): Promise<Service> =>
  openService(readConfig({ database, logLevel: 'silent' }, {}), true);
