/** Reminders of open invoices whose charge failed, on the days of the tenant's dunning policy. */
import { findNextDay } from '../pricing/retrySchedule.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { Reads } from '../../storage/store.ts';
import type { InvoiceRow } from './invoices.ts';
import { dayMs } from '../../lib/durations.ts';

/** Returns the first reminder after a failure, for an invoice that has none scheduled. */
export function findFirstReminder(
  { tenant, now }: Pick<UnitOfWork, 'tenant' | 'now'>,
  { remindAt }: Pick<InvoiceRow, 'remindAt'>,
  firstTriedAt: string,
): Partial<Pick<InvoiceRow, 'remindAt'>> {
  const next = findNextDay(findDunningPolicy(tenant).mailDays, firstTriedAt, now);
  return remindAt === null && next !== undefined ? { remindAt: next } : {};
}

/** Lists the open invoices with a reminder due by an instant, earliest first. */
export const listDueReminders = async (reads: Reads, until: string, limit: number): Promise<InvoiceRow[]> =>
  reads.many('invoices', {
    where: { remindAt: { to: until, inIndex: 'invoices_reminders' } },
    orderBy: ['remindAt', 'id'],
    limit,
  });

/**
 * Records the event `payment_reminder` for open invoices whose reminder is due, at most `limit`, and schedules the next
 * ones. Reminders missed in the meantime are skipped. Returns the number of invoices.
 */
export async function remindPayers(tenant: SteppedTenant, until: string, limit: number): Promise<number> {
  const due = await listDueReminders(tenant.read, until, limit);
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let done = 0;
    for (const { id } of due) if (await remindPayer(unit, id)) done += 1;
    return done;
  });
}

async function remindPayer(unit: UnitOfWork, id: string): Promise<boolean> {
  // Reads the invoice again: another server may have reminded of it, or it was paid.
  const invoice = await unit.one('invoices', { id });
  if (!invoice || invoice.status !== 'open' || invoice.remindAt === null || invoice.remindAt > unit.now)
    return false;
  const { firstTriedAt, remindAt } = invoice;
  const { mailDays } = findDunningPolicy(unit.tenant);
  const next = firstTriedAt === null ? undefined : findNextDay(mailDays, firstTriedAt, unit.now);
  const reminded = await unit.change('invoices', invoice, { remindAt: next ?? null });
  const daysOverdue = Math.round((Date.parse(remindAt) - Date.parse(firstTriedAt ?? remindAt)) / dayMs);
  // The policy may have changed since the reminder was scheduled.
  if (mailDays.includes(daysOverdue) && !(await isPaused(unit, invoice)))
    await unit.recordEvent('invoices', reminded, 'payment_reminder', { daysOverdue });
  return true;
}

async function isPaused(unit: UnitOfWork, { subscriptionId }: InvoiceRow): Promise<boolean> {
  const subscription =
    subscriptionId === null ? undefined : await unit.one('subscriptions', { id: subscriptionId });
  return Boolean(subscription?.pausedAt);
}
