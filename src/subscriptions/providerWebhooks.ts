import { recordChargeOutcome } from '../renewals/renewal.ts';
import { makeRefund } from '../invoicing/refunds.ts';
import { refuse } from '../lib/errors.ts';
import type { Callback } from '../providers/provider.ts';
import { scheduledTenant, type TenantScope } from '../tenancy/tenantScope.ts';
import { findTenant, type Service } from '../tenancy/tenants.ts';
import { settleTry } from './confirmation.ts';

/**
 * Keeps what a provider tells of its own accord, through the same functions that keep what it answers: what is
 * known already, or unknown here, changes nothing. Errors: `route_not_found` where no such provider sends callbacks,
 * `validation_failed` for a wrong signature.
 */
export async function takeCallback(
  service: Service,
  providerName: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
): Promise<void> {
  const { standard } = service.payments;
  if (standard.name !== providerName || !standard.readCallback) return refuse('route_not_found');
  const callback = standard.readCallback(headers, body);
  if (!callback) return;
  const record = await findTenant(service, callback.tenantAlias);
  if (!record) return;
  await settleCallback(scheduledTenant(service, record, `system:${providerName}`), providerName, callback);
}

/** A try is named by the id of what it pays, and its number. */
async function settleCallback(tenant: TenantScope, provider: string, callback: Callback): Promise<void> {
  const { idempotencyKey, amountMinor, outcome } = callback;
  const cut = idempotencyKey.lastIndexOf('_');
  const id = idempotencyKey.slice(0, cut);
  const attempt = Number(idempotencyKey.slice(cut + 1));
  if (await tenant.read.one('intents', { id })) {
    await settleTry(tenant, { id, attempt, provider, amountMinor }, outcome);
    return;
  }
  const invoice = await tenant.read.one('invoices', { id });
  if (!invoice?.subscriptionId) return;
  const due = { invoiceId: id, attempt, method: { provider, reference: '' } };
  const unowed = await tenant.write((unit) => recordChargeOutcome(unit, due, outcome));
  if (unowed) await makeRefund(tenant, unowed);
}
