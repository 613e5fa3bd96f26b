/** When automatic top-ups compare what their customers have left, and what they tell of a failure. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** Has the automatic top-up of a pool compare what is left, because credit was used, has expired, or was bought. */
export async function requestTopUpCheck(
  unit: UnitOfWork,
  credit: Pick<Row<'balanceEntries'>, 'customerId' | 'currency' | 'creditTypeId'>,
): Promise<void> {
  const { customerId, currency, creditTypeId } = credit;
  const rule = await unit.one('autoTopUps', { customerId, pool: creditTypeId ?? currency });
  // One that waits for the next month goes on to wait.
  if (rule && rule.checkAt === null) await unit.change('autoTopUps', rule, { checkAt: unit.now });
}

/** Tells that the charge of an invoice of an automatic top-up has failed; nothing for other invoices. */
export async function reportFailedTopUp(
  unit: UnitOfWork,
  { id: invoiceId, customerId, topUp }: Pick<Row<'invoices'>, 'id' | 'customerId' | 'topUp'>,
  reason: string | null,
): Promise<void> {
  if (topUp?.autoTopUpId === undefined) return;
  const { autoTopUpId } = topUp;
  await recordTopUpEvent(unit, customerId, 'credit_top_up_failed', { autoTopUpId, invoiceId, reason });
}

/** Records an event of a customer about an automatic top-up. */
export async function recordTopUpEvent(
  unit: UnitOfWork,
  customerId: string,
  action: 'credit_topped_up' | 'credit_top_up_failed' | 'credit_top_up_limited',
  details: Record<string, unknown>,
): Promise<void> {
  const customer = await unit.one('customers', { id: customerId });
  if (customer) await unit.recordEvent('customers', customer, action, details);
}
