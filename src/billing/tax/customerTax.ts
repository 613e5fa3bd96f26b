/** The tax of a customer's bills, found by the customer's id. Without a seller's address there is none, and no query. */
import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { listItems, type Agreement } from '../pricing/invoiceLines.ts';
import type { BillTax } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findBillTax, readTaxData, resolveBillTax } from './billTax.ts';

/** The columns of a tenant that decide whether bills are taxed, and on which date. */
export type TaxingTenant = Pick<Row<'tenants'>, 'seller' | 'timezone' | 'vatIdCheck'>;

/** Returns the tax of a bill of a customer for these products at an instant; undefined if the seller charges none. */
export function findCustomerTax(
  reads: Reads,
  tenant: TaxingTenant,
  customerId: string,
  productIds: string[],
  at: string,
): MaybePromise<BillTax | undefined> {
  if (!tenant.seller?.address) return undefined;
  return mapMaybe(reads.one('customers', { id: customerId }), (customer) =>
    findBillTax(reads, tenant, customer, productIds, at),
  );
}

/** Lists the products of the items of an agreement. */
export const listProducts = (agreement: Agreement): string[] =>
  listItems(agreement).map(({ productId }) => productId);

/** Returns the tax of an agreement's bill at an instant. */
export type ResolveTax = (customerId: string, agreement: Agreement, at: string) => BillTax | undefined;

const resolveNone: ResolveTax = () => undefined;

/** Reads what decides the tax of bills of these customers, and returns the function that resolves it for each. */
export async function prepareTax(
  reads: Reads,
  tenant: TaxingTenant,
  customerIds: string[],
  listAgreements: () => MaybePromise<Agreement[]>,
): Promise<ResolveTax> {
  if (!tenant.seller?.address) return resolveNone;
  const customers = await reads.many('customers', { where: { id: [...new Set(customerIds)] } });
  const productIds = new Set((await listAgreements()).flatMap(listProducts));
  const data = await readTaxData(reads, tenant, customers, [...productIds]);
  const byId = new Map(customers.map((customer) => [customer.id, customer]));
  return (customerId, agreement, at) =>
    data && resolveBillTax(data, byId.get(customerId), listProducts(agreement), at);
}
