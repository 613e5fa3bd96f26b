/** The payment methods of customers: saved for later charges, one of them the default. */
import { refuse } from '../../lib/errors.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { noteLocation, readCountry } from '../tax/locationEvidence.ts';
import { queueDetachment } from './detachments.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type PaymentMethodRow = Row<'paymentMethods'>;

/** A method as a provider reports it after a payment. */
export type ReportedMethod = Pick<Extract<Outcome, { status: 'succeeded' }>, 'methodReference' | 'method'>;

/**
 * Saves a method for later charges; returns its id. A method that the customer has already is updated, so that a card
 * given twice is one record. It becomes the default if it is the first, or if `isDefault`.
 */
export async function saveMethod(
  unit: UnitOfWork,
  { customerId, isDefault = false, causedBy }: { customerId: string; isDefault?: boolean; causedBy?: string },
  provider: string,
  { methodReference: reference, method }: ReportedMethod,
): Promise<string> {
  const present = await listSavedMethods(unit, customerId);
  const known = present.find(
    (each) =>
      each.provider === provider &&
      (each.reference === reference || (method?.fingerprint && each.fingerprint === method.fingerprint)),
  );
  const id = known?.id ?? unit.id('pm');
  const country = readCountry(method?.country);
  const details = method && { ...method, country: country ?? null };
  if (known) {
    if (known.reference !== reference) await queueDetachment(unit, known);
    const isRenewed = method !== undefined && method.expiresAt !== known.expiresAt;
    const fingerprint = method?.fingerprint ?? known.fingerprint;
    const changes = { reference, ...details, fingerprint, ...(isRenewed && { expiryAnnouncedAt: null }) };
    await unit.change('paymentMethods', known, changes, { causedBy });
  } else {
    const named = { id, customerId, provider, reference, ...details };
    const created = { ...named, createdAt: unit.now, updatedAt: unit.now };
    await unit.create('paymentMethods', created, { causedBy });
  }
  if (country) await noteLocation(unit, customerId, { kind: 'payment_method', country }, id);
  if (present.some((each) => each.id !== id)) await fixDefault(unit, id, present, isDefault);
  return id;
}

/** Records the default of a customer with several methods: the saved one, or the default of the earlier methods. */
async function fixDefault(
  unit: UnitOfWork,
  savedId: string,
  earlier: PaymentMethodRow[],
  isDefault: boolean,
): Promise<void> {
  const customer = await unit.one('customers', { id: earlier[0]!.customerId });
  if (!customer) return;
  const defaultPaymentMethodId = isDefault ? savedId : pickDefault(customer, earlier)!.id;
  await unit.change('customers', customer, { defaultPaymentMethodId }, { causedBy: savedId });
}

/** Lists the methods of a customer that are not removed, oldest first. */
export const listSavedMethods = async (reads: Reads, customerId: string): Promise<PaymentMethodRow[]> =>
  reads.many('paymentMethods', { where: { customerId, removedAt: null }, orderBy: ['createdAt', 'id'] });

/** Picks the default of the methods of a customer: the chosen one, else the latest. */
export const pickDefault = (
  { defaultPaymentMethodId }: Pick<Row<'customers'>, 'defaultPaymentMethodId'>,
  present: PaymentMethodRow[],
): PaymentMethodRow | undefined => present.find(({ id }) => id === defaultPaymentMethodId) ?? present.at(-1);

/** Returns the method of a customer that new charges use; undefined if there is none. */
export async function findDefaultMethod(
  reads: Reads,
  customerId: string,
): Promise<PaymentMethodRow | undefined> {
  const present = await listSavedMethods(reads, customerId);
  if (present.length <= 1) return present[0];
  const customer = await reads.one('customers', { id: customerId });
  return customer ? pickDefault(customer, present) : present.at(-1);
}

/** Returns a method that is not removed. Error: `payment_method_not_found`. */
export async function findPaymentMethod(reads: Reads, id: string): Promise<PaymentMethodRow> {
  const method = await reads.one('paymentMethods', { id });
  return method?.removedAt === null ? method : refuse('payment_method_not_found');
}

/** Returns the method of a customer with a reference, also a removed one; undefined if there is none. */
export const findByReference = async (
  reads: Reads,
  { customerId, provider, reference }: Pick<PaymentMethodRow, 'customerId' | 'provider' | 'reference'>,
): Promise<PaymentMethodRow | undefined> =>
  (await reads.many('paymentMethods', { where: { customerId } })).find(
    (method) => method.provider === provider && method.reference === reference,
  );

/** Lists the methods of a customer that are not removed; newest first by default. */
export const listPaymentMethods = (
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<PaymentMethodRow>> =>
  readPage(
    tenant,
    {
      name: 'paymentMethods',
      table: 'paymentMethods',
      where: { customerId, removedAt: null },
      by: ['createdAt', 'id'],
    },
    args,
  );

/** Marks a method as removed: it is never charged again, and its provider is to forget it. */
export async function markMethodRemoved(
  unit: UnitOfWork,
  method: PaymentMethodRow,
  causedBy?: string,
): Promise<PaymentMethodRow> {
  await queueDetachment(unit, method);
  return unit.change('paymentMethods', method, { removedAt: unit.now }, { action: 'removed', causedBy });
}

/** Returns the last month in which a card is valid; undefined if it does not expire. */
export function findExpiryMonth({
  expiresAt,
}: Pick<PaymentMethodRow, 'expiresAt'>): { year: number; month: number } | undefined {
  if (expiresAt === null) return undefined;
  const [year, month] = [Number(expiresAt.slice(0, 4)), Number(expiresAt.slice(5, 7))];
  return month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
}
