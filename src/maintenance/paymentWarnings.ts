import { manual } from '../providers/manual.ts';
import { canCharge, listProviderNames } from '../providers/registry.ts';
import { sandbox } from '../providers/sandbox.ts';
import { listTenants, type Service, type TenantRow } from '../tenancy/tenants.ts';

const mostNamed = 10;

/**
 * Lists warnings about tenants whose payment settings contradict their kind: live tenants without a provider, live
 * tenants with a test key, test tenants with a live key, and tenants that check VAT ids without a register. Returns one warning per tenant, or one summary for many.
 */
export async function listPaymentWarnings(service: Service): Promise<string[]> {
  const tenants = await listTenants(service);
  return [
    ...listUnchargedWarnings(service, tenants),
    ...listKeyWarnings(service, tenants),
    ...listRegisterWarnings(service, tenants),
  ];
}

function listUnchargedWarnings({ payments }: Service, all: TenantRow[]): string[] {
  const tenants = all.filter((tenant) => !tenant.test && !canCharge(payments, tenant));
  if (tenants.length > mostNamed) {
    return [
      `${tenants.length} live tenants have no payment provider: they accept bank transfers only, or no payments`,
    ];
  }
  return tenants.map((tenant) => {
    const acceptsTransfers = listProviderNames(payments, tenant).includes(manual.name);
    const consequence = acceptsTransfers
      ? 'it accepts bank transfers only'
      : 'bank transfers are disabled too, so it accepts no payments';
    return `The live tenant ${tenant.alias} has no payment provider: ${consequence}`;
  });
}

function listKeyWarnings({ payments }: Service, all: TenantRow[]): string[] {
  const { name, isLive } = payments.standard;
  if (name === sandbox.name || isLive === undefined) return [];
  const kind = isLive ? 'test' : 'live';
  const tenants = all.filter((tenant) => tenant.test === isLive && (isLive || canCharge(payments, tenant)));
  const consequence = isLive
    ? `the key of ${name} is a live one, so test tenants cannot use ${name}; they have the sandbox`
    : `the key of ${name} is a test one, so no money moves`;
  if (tenants.length > mostNamed) return [`${tenants.length} ${kind} tenants: ${consequence}`];
  return tenants.map(({ alias }) => `The ${kind} tenant ${alias}: ${consequence}`);
}

function listRegisterWarnings({ vatRegister }: Service, all: TenantRow[]): string[] {
  const aliases = all.filter(({ vatIdCheck }) => vatIdCheck !== null).map(({ alias }) => alias);
  if (vatRegister || aliases.length === 0) return [];
  const shown = aliases.length > mostNamed ? `${aliases.length} tenants` : aliases.join(', ');
  return [`VAT ids of ${shown} cannot be checked: the server has no address of VIES (--vies-url)`];
}
