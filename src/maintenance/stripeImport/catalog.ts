import { isDeepStrictEqual } from 'node:util';
import {
  addPrices,
  archivePrice,
  parsePrices,
  type PriceTerms,
  type PriceToAdd,
} from '../../billing/catalog/prices.ts';
import { createProduct } from '../../billing/catalog/products.ts';
import { createCustomer } from '../../billing/customers/customers.ts';
import { readDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Frequency } from '../../storage/model/common.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { toPrintedText } from '../../tenants/parties.ts';
import { skipRecord, skipIfRefused, type ImportReport } from './importReport.ts';
import type { StripeCustomer, StripeExport, StripePrice, StripeProduct } from './records.ts';

const addressForm = /^[^\s@]+@[^\s@]+$/;

/** Returns the customer of a Stripe customer; creates it if absent. */
export async function importCustomer(
  unit: UnitOfWork,
  { id, email, name, metadata, details }: StripeCustomer,
  key: string | undefined,
  report: ImportReport,
): Promise<Row<'customers'>> {
  const associatedId = key === undefined ? id : findText(metadata, key);
  const known = await unit.one('customers', { associatedId });
  if (known) {
    report.known += 1;
    return known;
  }
  if (!addressForm.test(email)) skipRecord('it has no email address');
  const words = name.trim().split(/\s+/).filter(Boolean);
  const lastName = words.length > 1 ? words.pop()! : '-';
  const firstName = words.join(' ') || email.split('@')[0];
  const fields = {
    ...details,
    email,
    firstName,
    lastName,
    associatedId,
    metadata: { ...metadata, stripeId: id },
  };
  const row = await createCustomer(unit, fields);
  report.customers += 1;
  return row;
}

function findText(metadata: Record<string, unknown>, key: string): string {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return typeof value === 'string' ? value : skipRecord(`its metadata has no ${key}`);
}

const frequencies = new Map<string, Frequency>([
  ['day', 'Daily'],
  ['week', 'Weekly'],
  ['month', 'Monthly'],
  ['year', 'Yearly'],
]);

/** An imported price and its product. */
export interface KnownPrice {
  product: Row<'products'>;
  price: Row<'prices'>;
}

/** Imports products and prices. Returns them by Stripe price id. */
export async function importCatalog(
  unit: UnitOfWork,
  from: StripeExport,
  report: ImportReport,
): Promise<Map<string, KnownPrice>> {
  const there = await unit.many('products', { where: { deletedAt: null }, orderBy: ['id'] });
  const known = new Map(there.map((product) => [product.metadata['stripeId'], product]));
  const exportedProducts = new Map(from.products.map((product) => [product.id, product]));
  const prices = new Map<string, KnownPrice>();
  const items = from.subscriptions.flatMap((subscription) => subscription.items);
  const counted = new Set(items.filter(({ quantity }) => quantity > 1).map(({ price }) => price));
  // Equal terms become one price: an active one, if there is any.
  const activeFirst = from.prices.toSorted((a, b) => Number(b.active) - Number(a.active));
  for (const price of activeFirst) {
    await skipIfRefused(report, price.id, async () => {
      const input = describePrice(price, counted.has(price.id));
      const [terms] = parsePrices({ prices: [input] }, unit.tenant.timezone, false);
      let product = known.get(price.product);
      if (!product) {
        product = await importProduct(unit, price, exportedProducts.get(price.product));
        known.set(price.product, product);
        report.products += 1;
      }
      prices.set(price.id, {
        product,
        price: await importPrice(unit, product, terms!, price.active, report),
      });
    });
  }
  return prices;
}

/** Returns the input for a price: flat if no subscription has several units and its amount has no fractions. */
function describePrice(price: StripePrice, isCounted: boolean) {
  if (price.obstacle !== undefined) skipRecord(price.obstacle);
  const { currency, interval, intervalCount, pricing, trialDays, taxBehavior } = price;
  const frequency = frequencies.get(interval) ?? skipRecord(`is charged by the ${interval}`);
  const terms = { recurring: { frequency, period: intervalCount }, trialDays, taxBehavior };
  if ('tiers' in pricing) return { ...terms, ...pricing, details: { amount: 0, currency } };
  if (!('unitAmount' in pricing)) return skipRecord('is a percentage');
  const { unitAmount: decimal, ...model } = pricing;
  const isFlat = pricing.model === 'per_unit' && !isCounted && !isFiner(decimal, currency);
  return { ...terms, ...(isFlat ? { model: 'flat' } : model), details: { decimal, currency } };
}

/** Whether an amount in major units has fractions of the currency's minor unit. */
const isFiner = (amount: string, currency: string) =>
  readDecimal(amount).scale > decimalFromMinor(0n, currency).scale;

function importProduct(
  unit: UnitOfWork,
  price: StripePrice,
  exported: StripeProduct | undefined,
): Promise<Row<'products'>> {
  const {
    name = price.productName,
    description = '',
    active = true,
    taxCode = price.productTaxCode,
  } = exported ?? {};
  if (!name) skipRecord(`its product ${price.product} ${exported ? 'has no name' : 'is not in the files'}`);
  const metadata = { stripeId: price.product };
  return createProduct(unit, { name: toPrintedText(name), description, active, taxCode, metadata });
}

/** Returns the product's price with these terms; creates it if absent, archived unless it is active. */
async function importPrice(
  unit: UnitOfWork,
  product: Row<'products'>,
  added: PriceToAdd,
  isActive: boolean,
  report: ImportReport,
): Promise<Row<'prices'>> {
  const { lookupKey: _, transferLookupKey: __, ...terms } = added;
  const { currency, frequency, period } = terms;
  const there = await unit.many('prices', { where: { productId: product.id, currency, frequency, period } });
  const same = there.find((price) =>
    Object.entries(terms).every(([column, value]) =>
      isDeepStrictEqual(price[column as keyof PriceTerms], value),
    ),
  );
  if (same) return same;
  const [price] = await addPrices(unit, product.id, [added]);
  report.prices += 1;
  return isActive ? price! : archivePrice(unit, price!.id);
}
