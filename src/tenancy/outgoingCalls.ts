import type { Row } from '../storage/model/rowTypes.ts';
import type { TenantParts } from './service.ts';

/** Delivers the webhooks and then the e-invoices that are due at the tenant's current time; waits for at most `limitMs`. */
export async function deliverDue(service: TenantParts, alias: string, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  await service.dispatcher.deliverDue(service, alias, limitMs);
  await service.eInvoices.sendDue(service, alias, endMs - performance.now());
}

/** Connects to a tenant's mail server or access point without sending; the account records the outcome. */
export const tryServer = (service: TenantParts, account: Row<'accounts'>): Promise<void> =>
  account.id === 'smtp'
    ? service.mailer.tryServer(service, account)
    : service.eInvoices.tryAccessPoint(service, account);
