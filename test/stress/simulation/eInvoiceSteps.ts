import { sendEInvoice } from '../../../src/billing/invoices/eInvoices.ts';
import { recordReport, verifyReport } from '../../../src/outgoing/eInvoices/reports.ts';
import { configureAccount } from '../../../src/tenants/accounts.ts';
import { createCallbackSecret } from '../../../src/tenants/callbackSecret.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import { signReport } from '../../support/accessPoint.ts';
import { addressIn, sellerIn } from '../../support/taxes.ts';
import type { Report } from './accessPoint.ts';
import type { Place, World } from './world.ts';

/** Where the sellers are whose tenants have an access point; they charge no tax. */
const sellers: Record<string, string> = { 'new-york': 'US', 'test-lord-howe': 'AU' };

const isConnected = ({ alias }: Place): boolean => sellers[alias] !== undefined;

/** Connects a tenant with the access point, if it is one of these. */
export async function openEInvoices(place: Place, tenant: TenantScope): Promise<void> {
  const country = sellers[place.alias];
  if (country === undefined) return;
  const seller = {
    ...sellerIn(country)!,
    address: fullAddress(country),
    chargesNoTax: true,
    registration: '12-3456789',
  };
  await tenant.write((unit) => unit.change('tenants', unit.tenant, { seller }));
  const accessPoint = {
    url: 'https://ap.example/documents',
    secret: 'a-secret-of-many-letters',
    formats: ['ubl'],
  };
  await configureAccount(tenant, { accessPoint });
  await createCallbackSecret(tenant, { provider: 'access_point' });
}

const fullAddress = (country: string) =>
  addressIn(country, { line1: 'High Street 1', city: 'Town', postalCode: '10001' });

/** A customer wants e-invoices, or wants none any more. */
export async function wantEInvoices(
  { random }: World,
  place: Place,
  tenant: TenantScope,
  id = random.pick(['', ...place.customers]),
): Promise<void> {
  if (!isConnected(place) || place.customers.length === 0) return;
  const documentFormat = random.chance(0.8) ? ('ubl' as const) : null;
  await tenant.write(async (unit) => {
    const customer = await unit.one('customers', { id });
    if (customer) await unit.change('customers', customer, { documentFormat, address: fullAddress('DE') });
  });
}

/** Sends what is due to the access point. */
export async function sendEInvoices(world: World, place: Place): Promise<void> {
  if (!isConnected(place)) return;
  const service = world.service();
  // The pauses of the queue do not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  try {
    await service.eInvoices.sendDue(service, place.alias);
  } finally {
    clearInterval(alive);
  }
}

/** An operator sends some document again. */
export async function resendEInvoice({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (!isConnected(place)) return;
  const known = await tenant.read.many('eInvoiceDeliveries', { where: {}, orderBy: ['createdAt', 'id'] });
  if (known.length > 0) await tenant.write((unit) => sendEInvoice(unit, random.pick(known).id));
}

/** The access point makes the reports that wait, some of them twice. With `all` each arrives. */
export async function hearOfEInvoices(world: World, place: Place, all = false): Promise<void> {
  if (!isConnected(place)) return;
  const { accessPoint, random } = world;
  const own = accessPoint.reports.filter(({ alias }) => alias === place.alias);
  for (const report of own) {
    if (!all && random.chance(0.3)) continue;
    await hear(world, report);
    if (random.chance(0.3)) await hear(world, report);
    accessPoint.reports.splice(accessPoint.reports.indexOf(report), 1);
  }
}

async function hear(world: World, { id, alias, key, status }: Report): Promise<void> {
  const service = world.service();
  const [account] = await service.store.fresh.select('accounts', {
    where: { tenantAlias: alias, id: 'access_point' },
  });
  const secret = service.secretBox.open(account!.callbackSecret!, alias);
  const body = JSON.stringify({ key, status, reference: `ap-${key}` });
  const headers = signReport(secret, id, body, world.clock.nowMs());
  const report = await verifyReport(service, alias, headers, Buffer.from(body));
  await recordReport(report, JSON.parse(body));
}
