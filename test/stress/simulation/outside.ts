/** Exports for scripts/stress/crash.mjs and bench/renewals.mjs, in one bundle. */
import { openService } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Service } from '../../../src/tenancy/service.ts';

export { runDueWork } from '../../../src/app/scheduler.ts';
export { prepareDue } from './due.ts';
export { findFaults } from './invariants.ts';

/** Opens the service on a SQLite file, as a server does. */
export const openOn = (path: string): Promise<Service> =>
  openService(readConfig({ database: `sqlite:${path}`, logLevel: 'silent' }, {}), true);
