/** Changes of the payment methods of a customer: a further one, another default, a removal. */
import * as z from 'zod';
import { findCustomer } from '../customers/customers.ts';
import { detachMethods } from '../payments/detachments.ts';
import {
  findByReference,
  findDefaultMethod,
  findPaymentMethod,
  markMethodRemoved,
  saveMethod,
  type PaymentMethodRow,
  type ReportedMethod,
} from '../payments/paymentMethods.ts';
import { refuse } from '../../lib/errors.ts';
import { externalId, parseInput } from '../../lib/validation.ts';
import type { ChargeCallback, Outcome } from '../../providers/provider.ts';
import { findChosenProvider } from '../payments/chosenMethod.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { callProvider } from '../subscriptions/intents/confirmation.ts';
import {
  chargeOpen,
  moveSubscriptions,
  noCharges,
  startOpenInvoices,
  type OpenCharges,
} from '../subscriptions/intents/openCharges.ts';
import { refuseMethod } from './paymentMethodChange.ts';

const newMethod = z.object({
  customerId: z.string(),
  paymentMethod: externalId,
  makeDefault: z.boolean().nullish(),
});

/** A request of a customer to save a method, as its key names it to the provider. */
export interface MethodRequest {
  customerId: string;
  askedAt: string;
  isDefault: boolean;
  method: string;
}

/**
 * Saves a payment method of a customer; the first one, or one with `makeDefault`, becomes the default and pays what is
 * open at once. Errors: `validation_failed`, `customer_not_found`, `payment_failed`, `payment_action_required`,
 * `unavailable`.
 */
export async function addPaymentMethod(tenant: SteppedTenant, input: unknown): Promise<PaymentMethodRow> {
  const { customerId, paymentMethod: method, makeDefault } = parseInput(newMethod, input);
  const { value: askedAt, isRepeated } = await tenant.checkpoint('requested', (unit) =>
    beginRequest(unit, customerId),
  );
  const request = { customerId, askedAt, isDefault: makeDefault ?? false, method };
  const outcome = await askToSave(tenant, request, { isRepeated });
  const { name } = await findChosenProvider(tenant, method);
  if (outcome.status !== 'succeeded') return refuseMethod(name, outcome);
  return recordMethod(tenant, request, name, outcome);
}

/** Begins a request to save a method; returns its instant. Error: `customer_not_found`. */
export async function beginRequest(unit: UnitOfWork, customerId: string): Promise<string> {
  await findCustomer(unit, customerId);
  return unit.now;
}

/**
 * Asks the provider to save a method, or for the outcome of an earlier call for the same request. Errors:
 * `validation_failed`, `unavailable`.
 */
export async function askToSave(
  tenant: SteppedTenant,
  request: MethodRequest,
  { isRepeated, returnPath }: { isRepeated: boolean; returnPath?: string },
): Promise<Outcome> {
  const { customerId, askedAt, isDefault, method } = request;
  const provider = await findChosenProvider(tenant, method);
  const currency = await findUsualCurrency(tenant.read, customerId);
  return callProvider(() =>
    provider.start(
      {
        idempotencyKey: `${customerId}_${askedAt}_${isDefault ? 'default' : 'further'}_${method}`,
        isRepeated,
        tenantAlias: tenant.alias,
        amountMinor: 0n,
        currency,
        description: 'Payment method',
        customerId,
        returnPath,
      },
      method,
    ),
  );
}

const usualCurrency = 'eur';

/** Returns the currency in which a customer paid last; providers need one even if nothing is charged. */
export async function findUsualCurrency(reads: Reads, customerId: string): Promise<string> {
  const [latest] = await reads.many('subscriptions', {
    where: { customerId },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  return latest?.currency ?? usualCurrency;
}

/** Records a method that the provider saved for a customer, and charges unpaid invoices to it if it is the default. */
export async function recordMethod(
  tenant: SteppedTenant,
  { customerId, isDefault }: Pick<MethodRequest, 'customerId' | 'isDefault'>,
  provider: string,
  reported: ReportedMethod,
): Promise<PaymentMethodRow> {
  const { value, isRepeated } = await tenant.checkpoint('method saved', async (unit) => {
    await findCustomer(unit, customerId);
    const previous = await findDefaultMethod(unit, customerId);
    const id = await saveMethod(unit, { customerId, isDefault }, provider, reported);
    const method = await findPaymentMethod(unit, id);
    const becomesDefault = isDefault || previous === undefined;
    const open = becomesDefault ? await chargeDefault(unit, method, previous) : noCharges;
    return { method, open };
  });
  await chargeOpen(tenant, value.open, isRepeated);
  return value.method;
}

const requestForm = /^(?<customerId>cus_[^_]+)_(?<askedAt>[^_]+)_(?<kind>default|further)_/;

/**
 * Saves a method that the payer confirmed after the request to save it, as reported by the provider's callback. One
 * that was saved or removed since changes nothing.
 */
export async function recordConfirmedRequest(
  tenant: TenantScope,
  provider: string,
  { idempotencyKey, outcome }: ChargeCallback,
): Promise<void> {
  const { customerId, kind } = requestForm.exec(idempotencyKey)?.groups ?? {};
  if (customerId === undefined || outcome.status !== 'succeeded') return;
  const { methodReference: reference } = outcome;
  const customer = await tenant.read.one('customers', { id: customerId });
  if (!customer || (await findByReference(tenant.read, { customerId, provider, reference }))) return;
  await recordMethod(tenant, { customerId, isDefault: kind === 'default' }, provider, outcome);
}

/** Charges to a new default what was charged to the previous one, or to none. */
async function chargeDefault(
  unit: UnitOfWork,
  method: PaymentMethodRow,
  previous: PaymentMethodRow | undefined,
): Promise<OpenCharges> {
  const { customerId } = method;
  const from = [previous?.id ?? null, null];
  const subscriptions = await moveSubscriptions(unit, customerId, { from, to: method, which: 'all' });
  return { subscriptions, invoices: await startOpenInvoices(unit, customerId, method) };
}

/**
 * Makes a saved method the default of its customer, who is verified if given. The subscriptions charged to the previous default, or to no method,
 * are charged to it from now on; their unpaid invoices and open one-off invoices at once. Errors: `validation_failed`,
 * `payment_method_not_found`.
 */
export async function setDefaultPaymentMethod(
  tenant: SteppedTenant,
  id: string,
  customerId?: string | null,
): Promise<PaymentMethodRow> {
  const { value, isRepeated } = await tenant.checkpoint('default set', async (unit) => {
    const method = await findPaymentMethod(unit, id);
    if (typeof customerId === 'string' && customerId !== method.customerId)
      refuse('payment_method_not_found', { path: 'customerId', message: 'has no such method' });
    const previous = await findDefaultMethod(unit, method.customerId);
    if (previous?.id === method.id) return { method, open: noCharges };
    const customer = await findCustomer(unit, method.customerId);
    await unit.change('customers', customer, { defaultPaymentMethodId: method.id });
    return { method, open: await chargeDefault(unit, method, previous) };
  });
  await chargeOpen(tenant, value.open, isRepeated);
  return value.method;
}

/**
 * Removes a payment method: it is never charged again, and its provider forgets it, later if it cannot be reached now.
 * Subscriptions charged to it move to the default. Errors: `payment_method_not_found`, `payment_method_in_use` if it is the default itself.
 */
export async function removePaymentMethod(tenant: SteppedTenant, id: string): Promise<PaymentMethodRow> {
  const { value } = await tenant.checkpoint('method removed', async (unit) => {
    const method = await findPaymentMethod(unit, id);
    await moveToDefault(unit, method);
    return markMethodRemoved(unit, method);
  });
  await detachMethods(tenant, tenant.now(), value.customerId);
  return value;
}

async function moveToDefault(unit: UnitOfWork, method: PaymentMethodRow): Promise<void> {
  const { id: paymentMethodId, customerId } = method;
  const charged = await unit.many('subscriptions', {
    where: { customerId, cancelledAt: null },
  });
  const moving = charged.filter((subscription) => subscription.paymentMethodId === paymentMethodId);
  if (moving.length === 0) return;
  const other = await findDefaultMethod(unit, customerId);
  if (!other || other.id === paymentMethodId)
    return refuse('payment_method_in_use', { path: 'id', message: `is charged for ${moving[0]!.id}` });
  for (const subscription of moving) {
    const changes = { paymentMethodId: other.id };
    await unit.change('subscriptions', subscription, changes, { action: 'payment_method_changed' });
  }
}
