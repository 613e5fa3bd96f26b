import { noteLocation } from '../../../src/billing/tax/locationEvidence.ts';
import { findCheckedUntil, renewRates } from '../../../src/billing/tax/standardRates.ts';
import { checkVatIdNow } from '../../../src/billing/tax/vatIdChecks.ts';
import {
  listMissingRates,
  setOwnRate,
  storeAndComplete,
} from '../../../src/billing/invoices/taxConversions.ts';
import { groupBy } from '../../../src/lib/groupBy.ts';
import { addDays } from '../../../src/lib/time.ts';
import type { Address, TaxId } from '../../../src/storage/model/common.ts';
import type { VatIdCheckPolicy } from '../../../src/storage/model/parties.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import { addressIn, sellerIn } from '../../support/taxes.ts';
import type { Place, World } from './world.ts';

/** Where the sellers are; the others charge no tax. */
const sellers: Record<string, string> = { utc: 'EE', apia: 'DE', kuwait: 'FR', 'test-paris': 'FI' };

/** What bills of a tenant do with a VAT id that VIES has not confirmed; the others do not ask VIES. */
const vatIdChecks: Record<string, VatIdCheckPolicy> = {
  utc: 'draft',
  apia: 'draft',
  kuwait: 'accept',
  'test-paris': 'rate',
};

/** Gives the tenant a seller, if it has one. */
export async function openSeller(place: Place, tenant: TenantScope): Promise<void> {
  const country = sellers[place.alias];
  if (country === undefined) return;
  const changes = { seller: sellerIn(country), vatIdCheck: vatIdChecks[place.alias] ?? null };
  await tenant.write((unit) => unit.change('tenants', unit.tenant, changes));
}

/** The seller moves to another country, or loses its address, and charges no tax until it has one again. */
export async function moveSeller({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (sellers[place.alias] === undefined) return;
  const country = random.weighted({ EE: 2, DE: 2, none: 1 });
  const seller = country === 'none' ? null : sellerIn(country);
  await tenant.write((unit) => unit.change('tenants', unit.tenant, { seller }));
}

/** Lets some prices of a product contain the tax, and gives some products a tax code. */
export async function taxProduct({ random }: World, tenant: TenantScope, productId: string): Promise<void> {
  const [isIncluded, hasCode] = [random.chance(0.3), random.chance(0.2)];
  await tenant.write(async (unit) => {
    const prices = await unit.many('prices', { where: { productId } });
    if (isIncluded)
      for (const price of prices) await unit.change('prices', price, { taxBehavior: 'inclusive' });
    const product = (await unit.one('products', { id: productId }))!;
    if (hasCode) await unit.change('products', product, { taxCode: 'reduced' });
  });
}

/** Adds a rate for the products with a tax code. */
export async function addRate({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const country = sellers[place.alias];
  if (country === undefined) return;
  const percent = random.pick(['5.5', '7', '8.875', '10']);
  await tenant.write((unit) =>
    unit.create('taxRates', {
      id: `txr_${unit.id('itm')}`,
      name: null,
      country,
      region: null,
      postcode: null,
      taxCode: 'reduced',
      category: 'S',
      percent,
      effectiveFrom: unit.now,
      archivedAt: null,
      createdAt: unit.now,
      updatedAt: unit.now,
    }),
  );
}

const places: { address: Address | null; taxIds?: TaxId[]; taxExempt?: boolean }[] = [
  { address: null },
  { address: addressIn('DE') },
  { address: addressIn('EE') },
  { address: addressIn('FR', { postalCode: '97110' }) },
  { address: addressIn('FR'), taxIds: [{ type: 'eu_vat', value: 'FR00300076965' }] },
  { address: addressIn('HU') },
  { address: addressIn('US', { region: 'CA' }) },
  { address: addressIn('DE'), taxExempt: true },
];

/** A customer moves, becomes a business or is exempted. */
export async function moveCustomer({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length === 0) return;
  const id = random.pick(place.customers);
  const { address, taxIds = null, taxExempt = null } = random.pick(places);
  await tenant.write(async (unit) => {
    const customer = await unit.one('customers', { id });
    const isToCheck = taxIds && unit.tenant.vatIdCheck;
    const plan = isToCheck
      ? { vatIdCheckDueAt: unit.now, vatIdStatus: customer?.vatIdCheck?.status ?? ('unavailable' as const) }
      : { vatIdCheckDueAt: null };
    if (customer) await unit.change('customers', customer, { address, taxIds, taxExempt, ...plan });
  });
}

/** Somebody asks VIES about a customer. */
export async function checkVatId({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length > 0) await checkVatIdNow(tenant, random.pick(place.customers));
}

/** The bank of the euro, or the seller where the bank has no rate, publishes rates of a day that may be long past. */
export async function publishRates({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (sellers[place.alias] === undefined || place.currency === 'eur') return;
  const day = tenant.now().slice(0, 10);
  const days = Array.from({ length: random.whole(1, 4) }, () => addDays(day, -random.whole(0, 20)));
  const rates = { [place.currency]: `${random.whole(1, 300)}.${random.whole(1, 9999)}` };
  if (random.chance(0.5))
    return void (await tenant.write((unit) =>
      storeAndComplete(
        unit,
        days.map((each) => ({ day: each, rates })),
      ),
    ));
  const [own] = days;
  const rate = rates[place.currency];
  await tenant.write((unit) => setOwnRate(unit, { currency: place.currency, day: own, rate }));
}

/** The server stores a file with a standard rate, which may hold since some days; bills follow it, and documents stay. */
export async function renewStandardRate({ random }: World, tenant: TenantScope): Promise<void> {
  const country = random.pick(['DE', 'EE', 'FI', 'FR', 'HU']);
  const percent = random.pick(['15', '19', '22.5', '25', '27']);
  const effectiveFrom = addDays(tenant.now().slice(0, 10), -random.whole(0, 20));
  const laterBy = random.whole(0, 3);
  await tenant.write((unit) => {
    const checkedUntil = addDays(findCheckedUntil(unit.tenant.renewedRates), laterBy);
    return renewRates(unit, { checkedUntil, rates: [{ country, territory: null, percent, effectiveFrom }] });
  });
}

/** A proxy or a provider reports where a customer is, which is evidence for the invoices that are not paid yet. */
export async function seeLocation({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length === 0) return;
  const id = random.pick(place.customers);
  const kind = random.pick(['ip_address', 'payment_method'] as const);
  const country = random.pick(['DE', 'EE', 'FR', 'HU', 'US']);
  await tenant.write((unit) => noteLocation(unit, id, { kind, country }));
}

/** Sets the rates that documents still lack. */
export async function completeRates(tenant: TenantScope): Promise<void> {
  for (;;) {
    const missing = await listMissingRates(tenant.read);
    if (missing.length === 0) return;
    await tenant.write((unit) => {
      const days = groupBy(missing, ({ day }) => day);
      const published = [...days].map(([day, rates]) => ({
        day,
        rates: Object.fromEntries(rates.map(({ currency }) => [currency, '1.25'])),
      }));
      return storeAndComplete(unit, published);
    });
  }
}
