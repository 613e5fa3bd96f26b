import { manual } from '../providers/manual.ts';
import { canCharge, providerNamesOf } from '../providers/registry.ts';
import { listTenants, type Service } from '../tenancy/tenants.ts';

const mostNamed = 10;

/** The warnings about live tenants whose payers cannot be charged: one for each, or one for all of many. */
export async function missingProviders(service: Service): Promise<string[]> {
  const { payments } = service;
  const tenants = (await listTenants(service)).filter(
    (tenant) => !tenant.test && !canCharge(payments, tenant),
  );
  if (tenants.length > mostNamed) {
    return [
      `${tenants.length} live tenants have no payment provider: they accept bank transfers only, or no payments`,
    ];
  }
  return tenants.map((tenant) => {
    const takesTransfers = providerNamesOf(payments, tenant).includes(manual.name);
    const consequence = takesTransfers
      ? 'it accepts bank transfers only'
      : 'bank transfers are disabled too, so it accepts no payments';
    return `The live tenant ${tenant.alias} has no payment provider: ${consequence}`;
  });
}
