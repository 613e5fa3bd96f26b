import type { Command } from 'commander';
import { rebuildIndex } from '../insights/search/indexer.ts';
import { rebuildTaxSums } from '../insights/tax/sumTaxes.ts';
import { openScheduledTenant } from '../tenancy/openTenant.ts';
import { listTenants } from '../tenancy/tenants.ts';
import { refuse } from '../lib/errors.ts';
import { addSettings, jsonFlag, print, withService, type Flags, type Io } from './io.ts';
import { formatCount } from './progress.ts';

/** Adds `reindex`. */
export function addReindexCommand(program: Command, io: Io): void {
  const reindex = program
    .command('reindex')
    .description(
      'make the search index and the sums of the tax report anew from the records; a server may run meanwhile',
    )
    .option('--tenant <alias>', 'only of this tenant')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial reindex\n  $ perennial reindex --tenant acme');
  addSettings(reindex, ['database']).action((flags: Flags) => reindexTenants(flags, io));
}

const reindexTenants = (flags: Flags, io: Io) =>
  withService(flags, io, async (service) => {
    const wanted = flags['tenant'];
    const tenants = (await listTenants(service)).filter(
      ({ alias }) => wanted === undefined || alias === wanted,
    );
    if (typeof wanted === 'string' && tenants.length === 0)
      refuse('validation_failed', { path: 'tenant', message: `there is no tenant ${wanted}` });
    for (const record of tenants) {
      const tenant = openScheduledTenant(service, record, 'system:operator');
      await rebuildIndex(tenant);
      await rebuildTaxSums(tenant);
    }
    const text = `Indexed ${formatCount(tenants.length, 'tenant')}.\n`;
    print(io, flags, { tenants: tenants.map(({ alias }) => alias) }, text);
  });
