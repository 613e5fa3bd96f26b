/** Writes the catalogue of a tenant as a file: its plan has no changes. */
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { writeCoupon } from './coupons.ts';
import { writePriceTerms } from './prices.ts';
import { writeProduct } from './products.ts';
import type { CatalogFile } from './schema.ts';
import { writePortal } from './settings.ts';
import { readCatalog, type CatalogState } from './state.ts';

const identify = ({ id, lookupKey }: { id: string; lookupKey: string | null }) =>
  lookupKey === null ? { id } : { lookupKey };

const pickGiven = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );

/** Returns the catalogue of a tenant in the form of a file. Records without a lookup key have their ids. */
export async function pullCatalog(scope: TenantScope): Promise<CatalogFile> {
  const state = await readCatalog(scope.primaryReads, scope.record, scope.now());
  const file = {
    version: 1,
    groups: state.groups.filter(isUniqueName).map(({ name, prorateUpgrades, metadata }) => ({
      name,
      ...(prorateUpgrades && { prorateUpgrades }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    })),
    meters: state.meters.filter(isUniqueName).map(writeMeter),
    features: state.features.map((feature) => writeFeature(state, feature)),
    products: state.products.map((product) => pullProduct(state, product)),
    // A coupon that was replaced has given its key away.
    coupons: state.coupons
      .filter(({ lookupKey, active }) => lookupKey !== null || active)
      .map((coupon) => pullCoupon(state, coupon)),
    tax: pullTax(state),
    webhooks: state.endpoints.map(({ url, description, events, query, active }) => ({
      url,
      ...pickGiven({
        description,
        query,
        events: events.length > 0 ? events : null,
        active: active ? null : false,
      }),
    })),
    mails: state.mailTemplates.map(({ kind, language, subject, body }) => ({
      kind,
      language,
      subject,
      ...pickGiven({ body }),
    })),
    portal: writePortal(state.tenant, keyById(state.products), keyById(state.coupons)),
  };
  return file as unknown as CatalogFile;
}

/** A name that several records have is left out: a file could not tell them apart. */
const isUniqueName = ({ name }: { name: string }, _: number, all: readonly { name: string }[]) =>
  all.filter((each) => each.name === name).length === 1;

const keyById = (rows: { id: string; lookupKey: string | null }[]) =>
  new Map(rows.map(({ id, lookupKey }) => [id, lookupKey ?? id]));

/** A record whose name is not unique is named by its id. */
const nameById = (rows: { id: string; name: string }[]) =>
  new Map(rows.map((row, n) => [row.id, isUniqueName(row, n, rows) ? row.name : row.id]));

function writeMeter({
  name,
  event,
  aggregation,
  value,
  groupBy,
  filter,
  persistent,
  unitMultiplier,
}: CatalogState['meters'][number]) {
  return {
    name,
    event,
    aggregation,
    ...pickGiven({
      value,
      groupBy: groupBy.length > 0 ? groupBy : null,
      filter: filter.length > 0 ? filter : null,
      persistent: persistent || null,
      unitMultiplier: unitMultiplier === '1' ? null : unitMultiplier,
    }),
  };
}

function writeFeature(
  state: CatalogState,
  { key, name, kind, meterId, creditTypeId, alertPercents, archivedAt }: CatalogState['features'][number],
) {
  return {
    key,
    name,
    kind,
    ...pickGiven({
      meter: meterId && (nameById(state.meters).get(meterId) ?? meterId),
      creditType: creditTypeId && nameById(state.creditTypes).get(creditTypeId),
      alertPercents,
      archived: archivedAt === null ? null : true,
    }),
  };
}

function pullProduct(state: CatalogState, product: CatalogState['products'][number]) {
  const groups = nameById(state.groups);
  const meters = nameById(state.meters);
  const prices = state.prices.filter(
    ({ productId, archivedAt }) => productId === product.id && archivedAt === null,
  );
  const entitlements = state.entitlements.filter(
    ({ productId, terms }) => productId === product.id && terms !== null,
  );
  return {
    ...identify(product),
    ...writeProduct(product, product.groupId && groups.get(product.groupId)!),
    prices: prices.map((price) => ({ ...identify(price), ...writePriceTerms(price, meters) })),
    entitlements: entitlements.map(({ feature, terms }) => ({ feature, ...terms })),
  };
}

function pullCoupon(state: CatalogState, coupon: CatalogState['coupons'][number]) {
  const keys = keyById(state.products);
  const products = coupon.productIds?.map((id) => keys.get(id) ?? id) ?? null;
  return { ...identify(coupon), ...writeCoupon(coupon, products, coupon.active) };
}

function pullTax({ tenant, taxRates }: CatalogState) {
  return {
    vatIdCheck: tenant.vatIdCheck,
    taxCurrency: tenant.taxCurrency,
    rates: taxRates.map(({ country, region, postcode, taxCode, category, percent, effectiveFrom, name }) => ({
      country,
      ...pickGiven({ region, postalCode: postcode, taxCode, category: category === 'S' ? null : category }),
      percent,
      effectiveFrom,
      ...pickGiven({ name }),
    })),
  };
}
