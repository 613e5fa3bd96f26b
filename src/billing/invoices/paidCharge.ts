import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type PaymentRow = Row<'payments'>;

/**
 * Returns the charge that paid an invoice: the first successful one of its amount. Later charges were not owed, and one with a
 * reason brought another amount.
 */
export async function findPaidCharge(
  unit: UnitOfWork,
  { id, status }: Pick<Row<'invoices'>, 'id' | 'status'>,
): Promise<PaymentRow | undefined> {
  if (status !== 'paid') return undefined;
  const [first] = await unit.many('payments', {
    where: { invoiceId: id, kind: 'charge', status: 'succeeded', failureReason: null },
    orderBy: ['createdAt', 'id'],
    limit: 1,
  });
  return first;
}

/** Lists the refunds and disputes of a charge. */
export async function listReversals(
  unit: UnitOfWork,
  { id, invoiceId, intentId }: PaymentRow,
): Promise<PaymentRow[]> {
  const subject = invoiceId === null ? { intentId, invoiceId } : { invoiceId };
  const payments = await unit.many('payments', { where: subject, orderBy: ['createdAt', 'id'] });
  return payments.filter(({ chargeId }) => chargeId === id);
}

/** Returns what a refund or a dispute takes from its charge, in minor units. A pending refund counts. */
export const getTaken = ({ kind, status, amountMinor }: PaymentRow): bigint =>
  status === 'succeeded' || (kind === 'refund' && status === 'pending') ? amountMinor : 0n;

/** Returns the part of a charge that was not taken back, in minor units. */
export const computeMoneyLeft = async (unit: UnitOfWork, charge: PaymentRow): Promise<bigint> =>
  (await listReversals(unit, charge)).reduce((left, each) => left - getTaken(each), charge.amountMinor);
