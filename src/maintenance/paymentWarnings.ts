import { manual } from '../providers/manual.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import { canCharge, listProviderNames } from '../providers/registry.ts';
import { isCharging } from '../tenants/providerAccounts.ts';
import type { Service } from '../tenancy/service.ts';
import { listTenants, type TenantRow } from '../tenancy/tenants.ts';

const mostNamed = 10;

/**
 * Lists warnings about tenants whose payment settings contradict their kind: live tenants without a provider, live
 * tenants with a test key, test tenants with a live key, and tenants that check VAT ids without a register. Tenants with
 * their own account are left out of the first three. Returns one warning per tenant, or one summary for many.
 */
export async function listPaymentWarnings(
  service: Pick<Service, 'store' | 'payments' | 'vatRegister'>,
): Promise<string[]> {
  const accounts = await service.store.fresh.select('accounts', { where: {} });
  const ownsAccount = new Set(accounts.flatMap(({ id, tenantAlias }) => (isCharging(id) ? tenantAlias : [])));
  const all = await listTenants(service);
  const tenants = all.filter(({ alias }) => !ownsAccount.has(alias));
  const { charging } = service.payments;
  return [
    ...listUnchargedWarnings(service, tenants),
    ...charging.flatMap((provider) => listKeyWarnings(provider, tenants)),
    ...listRegisterWarnings(service, all),
  ];
}

function listUnchargedWarnings({ payments }: Pick<Service, 'payments'>, all: TenantRow[]): string[] {
  const tenants = all.filter((tenant) => !tenant.test && !canCharge(payments.charging, tenant));
  if (tenants.length > mostNamed) {
    return [
      `${tenants.length} live tenants have no payment provider: they accept bank transfers only, or no payments`,
    ];
  }
  return tenants.map((tenant) => {
    const acceptsTransfers = listProviderNames(payments.charging, tenant).includes(manual.name);
    const consequence = acceptsTransfers
      ? 'it accepts bank transfers only'
      : 'bank transfers are disabled too, so it accepts no payments';
    return `The live tenant ${tenant.alias} has no payment provider: ${consequence}`;
  });
}

function listKeyWarnings(provider: PaymentProvider, all: TenantRow[]): string[] {
  const { name, isLive } = provider;
  if (isLive === undefined) return [];
  const kind = isLive ? 'test' : 'live';
  const tenants = all.filter((tenant) => tenant.test === isLive && (isLive || canCharge([provider], tenant)));
  const consequence = isLive
    ? `the key of ${name} is a live one, so test tenants cannot use ${name}; they have the sandbox`
    : `the key of ${name} is a test one, so no money moves`;
  if (tenants.length > mostNamed) return [`${tenants.length} ${kind} tenants: ${consequence}`];
  return tenants.map(({ alias }) => `The ${kind} tenant ${alias}: ${consequence}`);
}

function listRegisterWarnings({ vatRegister }: Pick<Service, 'vatRegister'>, all: TenantRow[]): string[] {
  const aliases = all.filter(({ vatIdCheck }) => vatIdCheck !== null).map(({ alias }) => alias);
  if (vatRegister || aliases.length === 0) return [];
  const shown = aliases.length > mostNamed ? `${aliases.length} tenants` : aliases.join(', ');
  return [`VAT ids of ${shown} cannot be checked: the server has no address of VIES (--vies-url)`];
}
