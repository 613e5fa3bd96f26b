import { findModel } from '../../catalog/priceModels.ts';
import { createPrices, createProduct } from '../../catalog/products.ts';
import { createCustomer } from '../../customers/customers.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Frequency } from '../../storage/model/common.ts';
import { findUnitAmount } from '../../pricing/priceModel.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { skipRecord, skipIfRefused, type ImportReport } from './importReport.ts';
import type { StripeCustomer, StripeExport, StripePrice } from './records.ts';

const addressForm = /^[^\s@]+@[^\s@]+$/;

/** Returns the customer of a Stripe customer; creates it if absent. */
export async function importCustomer(
  unit: UnitOfWork,
  { id, email, name, metadata }: StripeCustomer,
  key: string | undefined,
  report: ImportReport,
): Promise<Row<'customers'>> {
  const associatedId = key === undefined ? id : (metadata[key] ?? skipRecord(`its metadata has no ${key}`));
  const known = await unit.one('customers', { associatedId });
  if (known) {
    report.known += 1;
    return known;
  }
  if (!addressForm.test(email)) skipRecord('it has no email address');
  const words = name.trim().split(/\s+/).filter(Boolean);
  const lastName = words.length > 1 ? words.pop()! : '-';
  const firstName = words.join(' ') || email.split('@')[0];
  const fields = { email, firstName, lastName, associatedId, metadata: { ...metadata, stripeId: id } };
  const row = await createCustomer(unit, fields);
  report.customers += 1;
  return row;
}

const frequencies: Record<string, Frequency> = {
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
  year: 'Yearly',
};

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
  const counted = new Set(
    from.subscriptions.filter(({ quantity }) => quantity > 1).map(({ price }) => price),
  );
  for (const price of from.prices) {
    await skipIfRefused(report, price.id, async () => {
      if (price.obstacle) skipRecord(price.obstacle);
      let product = known.get(price.product);
      if (!product) {
        const {
          name = price.productName,
          description = '',
          active = true,
        } = exportedProducts.get(price.product) ?? {};
        if (!name) skipRecord(`its product ${price.product} is not in the files`);
        product = await createProduct(unit, {
          name,
          description,
          active,
          metadata: { stripeId: price.product },
        });
        known.set(price.product, product);
        report.products += 1;
      }
      const model = counted.has(price.id) ? 'per_unit' : 'flat';
      prices.set(price.id, { product, price: await importPrice(unit, product, price, model, report) });
    });
  }
  return prices;
}

/** The price, made unless there: per unit if any subscription has several units, else flat. */
async function importPrice(
  unit: UnitOfWork,
  product: Row<'products'>,
  { amount, currency, interval, intervalCount }: StripePrice,
  model: 'flat' | 'per_unit',
  report: ImportReport,
): Promise<Row<'prices'>> {
  const frequency = frequencies[interval] ?? skipRecord(`is charged by the ${interval}`);
  const recurring = { frequency, period: intervalCount, executionDate: null };
  const there = await unit.many('prices', {
    where: { productId: product.id, currency, frequency, period: intervalCount },
  });
  const same = there.find((price) => findModel(price) === model && Number(findUnitAmount(price)) === amount);
  if (same) return same;
  const [price] = await createPrices(unit, product.id, [{ details: { amount, currency }, recurring, model }]);
  report.prices += 1;
  return price!;
}
