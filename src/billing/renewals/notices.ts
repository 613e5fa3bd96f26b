/** Events that only the time causes, besides charges: reminders, announcements, and ends of access. */
import { listDueReminders, remindPayers } from '../invoices/reminders.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { announceExpiringMethods, findNextExpiryNotice } from './expiryNotices.ts';
import { announceEndedAccess, findNextGraceEnd } from './graceNotices.ts';
import { announceRenewals, findNextRenewalNotice } from './renewalNotices.ts';

/** The number of events of one kind in one unit of work. */
const sliceSize = 50;

/** Records the notices of a tenant that are due at `now`, a slice at a time. Returns their number; 0 once none is left. */
export async function giveNotices(tenant: TenantScope, now: string): Promise<number> {
  const reminders = await remindPayers(tenant, now, sliceSize);
  const renewals = await announceRenewals(tenant, now, sliceSize);
  const ended = await announceEndedAccess(tenant, now, sliceSize);
  return reminders + renewals + ended + (await announceExpiringMethods(tenant, now, sliceSize));
}

/** Returns the instants from `now` to `until` at which the next notice of each kind is due. */
export async function listNextNotices(
  tenant: TenantScope,
  now: string,
  until: string,
): Promise<(string | undefined)[]> {
  const [invoice] = await listDueReminders(tenant.read, until, 1);
  const renewal = await findNextRenewalNotice(tenant, now, until);
  return [
    invoice?.remindAt ?? undefined,
    renewal,
    await findNextGraceEnd(tenant, now, until),
    await findNextExpiryNotice(tenant.read, now, until),
  ];
}
