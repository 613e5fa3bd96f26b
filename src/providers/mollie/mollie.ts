import {
  PaymentEmbed,
  PaymentMethod,
  PaymentStatus,
  SequenceType,
  type Mandate,
  type Payment,
} from '@mollie/api-client';
import { findHostProblem, getHost } from '../../lib/hosts.ts';
import type { ProviderCalls } from '../descriptor.ts';
import type { Callback, Charge, Outcome, Refund, RefundOutcome, Reversal } from '../provider.ts';
import { createCaller, findRefusal, isMissing, type CallMollie } from './client.ts';
import {
  fromMollieAmount,
  readMetadata,
  toDispute,
  toMetadata,
  toMollieAmount,
  toOutcome,
  toRefund,
  toRefundOutcome,
} from './outcomes.ts';
import { texts } from './texts.ts';

interface MollieSettings {
  apiKey: string;
  /** The base URL of Mollie's API. */
  url: string;
  /** The public URL of this server, to which payers return. */
  publicUrl: string;
  /** The path for webhooks. */
  callbackPath: string;
}

const methodForm = /^mollie(?:_(?<name>[a-z0-9]{2,30}))?$/;
const paymentForm = /^tr_\w{1,60}$/;
const longestDescription = 255;
const mostListed = 250;

// Of the methods that can be charged later, only these save a mandate without a payment:
// https://docs.mollie.com/docs/recurring-payments
const savingMethods = [PaymentMethod.creditcard, PaymentMethod.paypal];

/**
 * Creates the provider for Mollie, based on its official SDK. The payer pays a first payment on Mollie's page, which
 * creates a mandate; later charges are recurring payments with it. The reference of a saved method contains both ids,
 * `cst_…/mdt_…`.
 */
export function createMollie({ apiKey, url, publicUrl, callbackPath }: MollieSettings): ProviderCalls {
  const call = createCaller(apiKey, url);
  // Mollie refuses an address that it cannot call. Outcomes are then found when the payer returns, or by the scheduler.
  const isCallable = findHostProblem(getHost(new URL(publicUrl))) === undefined;
  const webhookUrl = isCallable ? `${publicUrl}${callbackPath}` : undefined;
  const links = (charge: Charge) => ({ redirectUrl: `${publicUrl}${charge.returnPath ?? ''}`, webhookUrl });
  return {
    recognizes: (method) => methodForm.test(method),
    page: { redirectMethod: 'mollie', texts },
    start: (charge, method) => mapRefusalToDecline(() => startCharge(call, charge, method, links(charge))),
    resume: (_, reference) => readOutcome(call, reference),
    charge: (charge, methodReference) =>
      mapRefusalToDecline(() => chargeMandate(call, charge, methodReference, webhookUrl)),
    refund: (wanted) => refund(call, wanted),
    abandon: (_, reference) => abandon(call, reference),
    check: async () => {
      await call((client) => client.methods.list());
    },
    detach: (methodReference) => revokeMandate(call, methodReference),
    readCallback: (_, body) => readCallback(call, body),
  };
}

/**
 * Creates the first payment, which the payer makes on Mollie's page. A repeated call may create another: nobody has been
 * sent to the first, so it cannot be paid and expires.
 */
async function startCharge(
  call: CallMollie,
  charge: Charge,
  method: string,
  links: { redirectUrl: string; webhookUrl: string | undefined },
): Promise<Outcome> {
  const { idempotencyKey, amountMinor, currency } = charge;
  const name = methodForm.exec(method)?.groups?.['name'] as PaymentMethod | undefined;
  const customerId = await createCustomer(call, charge);
  const chosen = name ?? (amountMinor === 0n ? savingMethods : undefined);
  const payment = await call(({ payments }) =>
    payments.create({
      ...links,
      customerId,
      sequenceType: SequenceType.first,
      amount: toMollieAmount(amountMinor, currency),
      description: charge.description.slice(0, longestDescription),
      metadata: toMetadata(charge),
      ...(chosen && { method: chosen }),
      idempotencyKey,
    }),
  );
  // A repeated key returns the first response, but the payer may have paid since.
  return charge.isRepeated ? readOutcome(call, payment.id) : describe(call, payment);
}

/** Mollie has no search for customers, so one is created for each hour of first payments: the life of the key. */
async function createCustomer(call: CallMollie, { tenantAlias, customerId }: Charge): Promise<string> {
  const metadata = { perennial_tenant: tenantAlias, perennial_customer: customerId };
  const idempotencyKey = `${tenantAlias}_${customerId}`;
  const { id } = await call(({ customers }) => customers.create({ metadata, idempotencyKey }));
  return id;
}

async function chargeMandate(
  call: CallMollie,
  charge: Charge,
  methodReference: string,
  webhookUrl: string | undefined,
): Promise<Outcome> {
  const [customerId, mandateId] = methodReference.split('/');
  if (!customerId || !mandateId) return { status: 'declined', reason: 'no_mandate' };
  const made = charge.isRepeated ? await findEarlierPayment(call, customerId, charge) : undefined;
  const payment =
    made ??
    (await call(({ payments }) =>
      payments.create({
        webhookUrl,
        customerId,
        mandateId,
        sequenceType: SequenceType.recurring,
        amount: toMollieAmount(charge.amountMinor, charge.currency),
        description: charge.description.slice(0, longestDescription),
        metadata: toMetadata(charge),
        idempotencyKey: charge.idempotencyKey,
      }),
    ));
  return describe(call, payment);
}

/** Finds the payment that an earlier call created. Mollie drops idempotency keys after an hour; payments stay. */
async function findEarlierPayment(
  call: CallMollie,
  customerId: string,
  { idempotencyKey }: Charge,
): Promise<Payment | undefined> {
  const made = await call(({ customerPayments }) => customerPayments.page({ customerId, limit: mostListed }));
  return made.find((payment) => readMetadata(payment)?.perennial_key === idempotencyKey);
}

const readOutcome = async (call: CallMollie, reference: string): Promise<Outcome> =>
  describe(call, await call(({ payments }) => payments.get(reference)));

/** Returns the outcome of a payment, with details of its mandate if it is paid. */
async function describe(call: CallMollie, payment: Payment): Promise<Outcome> {
  return toOutcome(
    payment,
    payment.status === PaymentStatus.paid ? await findMandate(call, payment) : undefined,
  );
}

/** The mandate only shows which card it is; without it the outcome is the same. */
const findMandate = async (
  call: CallMollie,
  { customerId, mandateId }: Payment,
): Promise<Mandate | undefined> => {
  if (!customerId || !mandateId) return undefined;
  return call(({ customerMandates }) => customerMandates.get(mandateId, { customerId })).catch(
    () => undefined,
  );
};

/** Cancels a payment that the payer has not made. If Mollie cannot cancel it and it is paid later, it is refunded then. */
async function abandon(call: CallMollie, reference: string): Promise<Outcome> {
  const payment = await call(({ payments }) => payments.get(reference));
  if (payment.status !== PaymentStatus.open) return describe(call, payment);
  if (payment.isCancelable) await call(({ payments }) => payments.cancel(reference));
  return { status: 'declined', reason: 'canceled', reference };
}

async function revokeMandate(call: CallMollie, methodReference: string): Promise<void> {
  const [customerId, mandateId] = methodReference.split('/');
  if (!customerId || !mandateId) return;
  try {
    await call(({ customerMandates }) => customerMandates.revoke(mandateId, { customerId }));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Makes a refund, or returns the outcome of the one that an earlier call with this key made. */
async function refund(call: CallMollie, wanted: Refund): Promise<RefundOutcome> {
  const { idempotencyKey, chargeReference: paymentId, amountMinor, currency } = wanted;
  try {
    const known = await call(({ paymentRefunds }) => paymentRefunds.page({ paymentId, limit: mostListed }));
    const earlier = known.find((each) => readMetadata(each)?.perennial_key === idempotencyKey);
    const amount = toMollieAmount(amountMinor, currency);
    const metadata = toMetadata(wanted);
    const made =
      earlier ??
      (await call(({ paymentRefunds }) =>
        paymentRefunds.create({ paymentId, amount, metadata, description: idempotencyKey, idempotencyKey }),
      ));
    return toRefundOutcome(made);
  } catch (error) {
    return { status: 'declined', reason: findRefusal(error) ?? rethrow(error) };
  }
}

/** Maps refusals by Mollie to a decline. Throws any other error, because the outcome is then unknown. */
async function mapRefusalToDecline(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch (error) {
    return { status: 'declined', reason: findRefusal(error) ?? rethrow(error) };
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * Reads a webhook, which has no signature and only the id of a payment: its state and that of its refunds and chargebacks
 * is fetched with the key of the account. Ids that the account does not have are ignored, as Mollie advises, so that the response says
 * nothing about them: https://docs.mollie.com/reference/webhooks
 */
async function readCallback(call: CallMollie, body: Buffer): Promise<Callback[]> {
  const id = new URLSearchParams(body.toString()).get('id') ?? '';
  if (!paymentForm.test(id)) return [];
  const embed = [PaymentEmbed.refunds, PaymentEmbed.chargebacks];
  const payment = await call(({ payments }) => payments.get(id, { embed })).catch((error: unknown) =>
    isMissing(error) ? undefined : rethrow(error),
  );
  const origin = payment && readMetadata(payment);
  if (!origin) return [];
  const { perennial_tenant: tenantAlias, perennial_key: idempotencyKey } = origin;
  const charge: Callback = {
    kind: 'charge',
    tenantAlias,
    idempotencyKey,
    amountMinor: fromMollieAmount(payment.amount),
    outcome: await describe(call, payment),
  };
  const report = (reversal: Reversal): Callback => ({
    kind: 'reversal',
    tenantAlias,
    idempotencyKey,
    chargeReference: id,
    reversal,
  });
  const refunds = (payment._embedded?.refunds ?? []).flatMap((made): Callback[] => {
    const key = readMetadata(made)?.perennial_key;
    if (key === undefined) return [report(toRefund(made))];
    return [{ kind: 'refund', tenantAlias, idempotencyKey: key, outcome: toRefundOutcome(made) }];
  });
  const chargebacks = payment._embedded?.chargebacks ?? [];
  return [charge, ...refunds, ...chargebacks.map((made) => report(toDispute(made)))];
}
