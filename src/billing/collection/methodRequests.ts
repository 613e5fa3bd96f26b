/** Payment methods that a customer adds on a page of this server, with a confirmation by the bank if it asks for one. */
import { findByReference, type PaymentMethodRow } from '../payments/paymentMethods.ts';
import { parseInput } from '../../lib/validation.ts';
import { findChosenProvider } from '../payments/chosenMethod.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { chosenMethod } from '../subscriptions/intents/confirmation.ts';
import { askToSave, beginRequest, recordMethod, type MethodRequest } from './customerMethods.ts';
import { refuseMethod } from './paymentMethodChange.ts';

/** The saved method, or the URL at which the payer must confirm it first. */
export type MethodResult = { saved: PaymentMethodRow } | { actionUrl: string };

/** Returns the path of this server to which the payer returns; it must contain the text, which `resumeRequest` takes. */
type BuildReturnPath = (request: string) => string;

/**
 * Saves a method that a customer has chosen on a page, as `addPaymentMethod` does. Errors: `validation_failed`,
 * `customer_not_found`, `payment_failed`, `unavailable`.
 */
export async function requestMethod(
  tenant: SteppedTenant,
  chosen: Omit<MethodRequest, 'askedAt'>,
  buildReturnPath: BuildReturnPath,
): Promise<MethodResult> {
  parseInput(chosenMethod, { paymentMethod: chosen.method });
  const askedAt = await tenant.writeStep((unit) => beginRequest(unit, chosen.customerId));
  return settle(tenant, { ...chosen, askedAt }, false, buildReturnPath);
}

const requestForm = /^(?<askedAt>[\dT:.-]{20,30}Z)_(?<kind>default|further)_(?<method>\w{1,255})$/;

/**
 * Asks the provider about a method after its payer has returned, with the text of the return path. A request of another
 * customer cannot be named. Returns undefined for a text that is none. Errors: `payment_failed`, `unavailable`.
 */
export async function resumeRequest(
  tenant: SteppedTenant,
  customerId: string,
  text: string,
  buildReturnPath: BuildReturnPath,
): Promise<MethodResult | undefined> {
  const { askedAt, kind, method } = requestForm.exec(text)?.groups ?? {};
  if (askedAt === undefined || method === undefined) return undefined;
  const request = { customerId, askedAt, isDefault: kind === 'default', method };
  return settle(tenant, request, true, buildReturnPath);
}

async function settle(
  tenant: SteppedTenant,
  request: MethodRequest,
  isRepeated: boolean,
  buildReturnPath: BuildReturnPath,
): Promise<MethodResult> {
  const { customerId, askedAt, isDefault, method } = request;
  const returnPath = buildReturnPath(`${askedAt}_${isDefault ? 'default' : 'further'}_${method}`);
  const outcome = await askToSave(tenant, request, { isRepeated, returnPath });
  if (outcome.status === 'requires_action') return { actionUrl: outcome.actionUrl };
  const { name: provider } = await findChosenProvider(tenant, method);
  if (outcome.status !== 'succeeded') return refuseMethod(provider, outcome);
  const { methodReference: reference } = outcome;
  // The callback may have come first.
  const known = isRepeated && (await findByReference(tenant.read, { customerId, provider, reference }));
  return { saved: known || (await recordMethod(tenant, request, provider, outcome)) };
}
