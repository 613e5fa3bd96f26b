/** Whether the tax rates, payment methods, logos, meters and credit types that records refer to exist. */
import { createHash } from 'node:crypto';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;

/** Checks the tax rates and payment methods of customers, what counts features, the logo of the seller, and the icon. */
export async function examineReferences(
  queries: Queries,
  { alias: tenantAlias, seller, branding }: Row<'tenants'>,
  report: Report,
): Promise<void> {
  const rates = new Set<string>();
  for await (const page of readPages(queries, 'taxRates', tenantAlias)) {
    for (const { id } of page) rates.add(id);
  }
  for await (const page of readPages(queries, 'customers', tenantAlias)) {
    for (const { id, taxRateId } of page) {
      if (taxRateId !== null && !rates.has(taxRateId))
        report({ subject: id, found: `has the tax rate ${taxRateId}, which does not exist` });
    }
  }
  await examinePaymentMethods(queries, tenantAlias, report);
  await examineFeatures(queries, tenantAlias, report);
  const logos = new Set<string>();
  for await (const page of readPages(queries, 'logos', tenantAlias)) {
    for (const { id, base64 } of page) {
      logos.add(id);
      const sum = createHash('sha256').update(base64, 'base64').digest('hex');
      if (sum !== id) report({ subject: id, found: 'is a logo with other bytes than its id names' });
    }
  }
  for (const logoId of [seller?.logoId, branding?.faviconId]) {
    if (logoId && !logos.has(logoId))
      report({ subject: tenantAlias, found: `has the logo ${logoId}, which does not exist` });
  }
}

/** Checks that the meters and the credit types of features, and the meters of credit types, exist. */
async function examineFeatures(queries: Queries, tenantAlias: string, report: Report): Promise<void> {
  const where = { tenantAlias };
  const meters = new Set((await queries.select('meters', { where })).map(({ id }) => id));
  const types = await queries.select('creditTypes', { where });
  const typeIds = new Set(types.map(({ id }) => id));
  for (const { id, rates } of types)
    for (const { meterId } of rates)
      if (!meters.has(meterId))
        report({ subject: id, found: `has a rate for the meter ${meterId}, which does not exist` });
  for (const { id, meterId, creditTypeId } of await queries.select('features', { where })) {
    if (meterId !== null && !meters.has(meterId))
      report({ subject: id, found: `is counted by the meter ${meterId}, which does not exist` });
    if (creditTypeId !== null && !typeIds.has(creditTypeId))
      report({ subject: id, found: `is counted in the credit type ${creditTypeId}, which does not exist` });
  }
}

/** Checks that default methods belong to their customers, and that active subscriptions are charged to methods that exist. */
async function examinePaymentMethods(queries: Queries, tenantAlias: string, report: Report): Promise<void> {
  const methods = new Map<string, { customerId: string; isRemoved: boolean }>();
  for await (const page of readPages(queries, 'paymentMethods', tenantAlias)) {
    for (const { id, customerId, removedAt } of page)
      methods.set(id, { customerId, isRemoved: removedAt !== null });
  }
  for await (const page of readPages(queries, 'customers', tenantAlias)) {
    for (const { id, defaultPaymentMethodId: chosen } of page) {
      if (chosen !== null && methods.get(chosen)?.customerId !== id)
        report({ subject: id, found: `has the default payment method ${chosen}, which is not its own` });
    }
  }
  for await (const page of readPages(queries, 'subscriptions', tenantAlias)) {
    for (const { id, paymentMethodId, cancelledAt } of page) {
      if (cancelledAt !== null || paymentMethodId === null) continue;
      if (methods.get(paymentMethodId)?.isRemoved !== false)
        report({
          subject: id,
          found: `is charged to the payment method ${paymentMethodId}, which was removed`,
        });
    }
  }
}
