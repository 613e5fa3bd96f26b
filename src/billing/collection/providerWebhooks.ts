import { recordChargeOutcome } from '../renewals/recordChargeOutcome.ts';
import { isCollectedAlone } from '../invoices/invoices.ts';
import { makeRefund, recordRefundOutcome } from '../invoices/refunds.ts';
import { recordReversal } from '../invoices/reversals.ts';
import { BillingError, refuse } from '../../lib/errors.ts';
import type { Callback, ChargeCallback, PaymentProvider } from '../../providers/provider.ts';
import { findAccount, isCharging, type AccountProvider } from '../../tenants/providerAccounts.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantParts } from '../../tenancy/service.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import { recordIntentOutcome } from '../subscriptions/intents/confirmation.ts';
import { recordConfirmedRequest } from './customerMethods.ts';
import { recordConfirmedMethod } from './paymentMethodChange.ts';

/** The address of a callback: `/callbacks/{provider}`, and for a tenant's own account `/callbacks/{provider}/{tenant}`. */
interface CallbackAddress {
  provider: string;
  tenantAlias?: string;
}

/**
 * Records an outcome reported by a provider's callback, with the functions that record its responses; outcomes already
 * recorded or unknown here change nothing. Errors: `route_not_found` if the provider does not exist or sends no
 * callbacks, `validation_failed` for a wrong signature.
 */
export async function receiveCallback(
  service: TenantParts,
  { provider: providerName, tenantAlias }: CallbackAddress,
  headers: Record<string, string | undefined>,
  body: Buffer,
): Promise<void> {
  const provider = await (tenantAlias === undefined
    ? service.payments.charging.find(({ name }) => name === providerName)
    : findAccountProvider(service, providerName, tenantAlias));
  if (!provider?.readCallback) return refuse('route_not_found');
  const callbacks = await readCallbacks(provider, headers, body);
  for (const callback of callbacks) {
    // An account of a tenant reports nothing about other tenants.
    if (tenantAlias !== undefined && callback.tenantAlias !== tenantAlias) continue;
    const record = await findTenant(service, callback.tenantAlias);
    if (!record) continue;
    const tenant = openScheduledTenant(service, record, `system:${providerName}`);
    await recordCallback(tenant, providerName, callback);
  }
}

/** Reads a callback. A provider that asks for more may not be reached: it calls again after the error. */
async function readCallbacks(
  provider: PaymentProvider,
  headers: Record<string, string | undefined>,
  body: Buffer,
): Promise<readonly Callback[]> {
  try {
    return [(await provider.readCallback?.(headers, body)) ?? []].flat();
  } catch (error) {
    if (error instanceof BillingError) throw error;
    return refuse('unavailable');
  }
}

/** Returns the provider that uses the tenant's own account, if it has one. */
async function findAccountProvider(service: TenantParts, name: string, tenantAlias: string) {
  if (!isCharging(name)) return undefined;
  const record = await findTenant(service, tenantAlias);
  const account = record && (await findAccount(service, record, name as AccountProvider));
  return account && service.payments.ofTenants.open(service, account);
}

async function recordCallback(tenant: TenantScope, provider: string, callback: Callback): Promise<void> {
  const { idempotencyKey } = callback;
  if (callback.kind === 'reversal') await tenant.write((unit) => recordReversal(unit, provider, callback));
  else if (callback.kind === 'refund')
    await tenant.write((unit) => recordRefundOutcome(unit, idempotencyKey, callback.outcome));
  else if (idempotencyKey.startsWith('sub_')) await recordConfirmedMethod(tenant, provider, callback);
  else if (idempotencyKey.startsWith('cus_')) await recordConfirmedRequest(tenant, provider, callback);
  else await recordCharge(tenant, provider, callback);
}

/** The key of a charge is the id of its intent or invoice and the number of the attempt. */
async function recordCharge(
  tenant: TenantScope,
  provider: string,
  { idempotencyKey, amountMinor, outcome }: ChargeCallback,
): Promise<void> {
  const cut = idempotencyKey.lastIndexOf('_');
  const id = idempotencyKey.slice(0, cut);
  const attempt = Number(idempotencyKey.slice(cut + 1));
  if (await tenant.read.one('intents', { id })) {
    await recordIntentOutcome(tenant, { id, attempt, provider, amountMinor }, outcome);
    return;
  }
  const invoice = await tenant.read.one('invoices', { id });
  if (!invoice || (invoice.subscriptionId === null && !isCollectedAlone(invoice))) return;
  const due = { invoiceId: id, attempt, method: { provider, reference: '' } };
  const refund = await tenant.write((unit) => recordChargeOutcome(unit, due, outcome));
  if (refund) await makeRefund(tenant, refund);
}
