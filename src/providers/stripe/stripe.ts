import { Stripe } from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import type { ProviderCalls } from '../descriptor.ts';
import type { Charge, Outcome, Refund, RefundOutcome } from '../provider.ts';
import { toStripeAmount } from './amounts.ts';
import { parseEvent, verifySignature } from './callbacks.ts';
import { customerField, keyField, tenantField, toStripeMetadata } from './metadata.ts';
import { toOutcome, toRefundOutcome } from './outcomes.ts';
import { buildPageOffer, isConfirmation } from './page.ts';
import { expireSession, isSession, redirectMethod, resumeSession, startSession } from './sessions.ts';

interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** Identifies the account to Stripe's script on the page; without it, cards are entered on a page of Stripe. */
  publishableKey?: string;
  /** The URL of Stripe's script. */
  scriptUrl: string;
  /** The base URL of Stripe's API. */
  url: string;
  /** The public URL of this server; the bank redirects the payer to it. */
  publicUrl: string;
  clock: Clock;
}

// A payer waits during the call. After the timeout the call is repeated later with the same key.
const timeoutMs = 15_000;
const networkRetries = 1;
const listLimit = 100;
const methodForm = /^\w{1,100}$/;
/** Objects are returned with the details of their payment method. */
const expand = ['payment_method'];

/**
 * Creates the provider for Stripe, based on its official SDK. A charge is a PaymentIntent; saving a method is a
 * SetupIntent. Each customer has one Stripe Customer, found by its metadata. The reference of a saved method contains
 * both ids, `cus_…/pm_…`, so later charges need no look-up.
 */
export function createStripe(settings: StripeSettings): ProviderCalls {
  const { secretKey, webhookSecret, url, publicUrl, clock } = settings;
  const stripe = new Stripe(secretKey, {
    ...parseBaseUrl(url),
    maxNetworkRetries: networkRetries,
    timeout: timeoutMs,
    telemetry: false,
  });
  return {
    start: async (charge, method) =>
      methodForm.test(method)
        ? mapRefusalToDecline(() => startCharge(stripe, charge, method, publicUrl))
        : { status: 'declined', reason: 'unknown_payment_method' },
    resume: (_, reference) => resume(stripe, reference),
    abandon: (_, reference) => abandon(stripe, reference),
    charge: (charge, methodReference) =>
      mapRefusalToDecline(() => chargeSavedMethod(stripe, charge, methodReference, publicUrl)),
    refund: (due) => refund(stripe, due),
    check: async () => {
      // Not the balance: a restricted key needs no right to read it.
      await stripe.paymentIntents.list({ limit: 1 });
    },
    detach: (methodReference) => detach(stripe, methodReference),
    readCallback: (headers, body) => {
      const event = verifySignature(stripe, headers['stripe-signature'], body, webhookSecret, clock.nowMs());
      return parseEvent(stripe, event);
    },
    page: buildPageOffer(settings),
  };
}

function parseBaseUrl(url: string) {
  const { protocol, hostname, port } = new URL(url);
  return {
    protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    host: hostname,
    port: port || (protocol === 'http:' ? '80' : '443'),
  };
}

async function startCharge(
  stripe: Stripe,
  charge: Charge,
  method: string,
  publicUrl: string,
): Promise<Outcome> {
  const customer = await ensureStripeCustomer(stripe, charge);
  const returnUrl = `${publicUrl}${charge.returnPath ?? ''}`;
  if (method === redirectMethod) return startSession(stripe, charge, customer, returnUrl);
  const common = {
    customer,
    // The request decides, so that the payer confirms by a redirect, which needs no script.
    ...(isConfirmation(method)
      ? { confirmation_token: method, use_stripe_sdk: false }
      : { payment_method: method }),
    expand,
    confirm: true,
    automatic_payment_methods: { enabled: true },
    description: charge.description,
    metadata: toStripeMetadata(charge),
    return_url: returnUrl,
  };
  const { idempotencyKey } = charge;
  if (charge.amountMinor === 0n) {
    const setup = await stripe.setupIntents.create({ ...common, usage: 'off_session' }, { idempotencyKey });
    // A repeated key returns the first response, but the payer may have confirmed since.
    return toOutcome(
      setup.status === 'requires_action' ? await stripe.setupIntents.retrieve(setup.id, { expand }) : setup,
    );
  }
  const made = await findEarlierCharge(stripe, charge, customer);
  if (made) return toOutcome(made);
  return toOutcome(
    await stripe.paymentIntents.create(
      { ...common, ...toStripeMoney(charge), setup_future_usage: 'off_session' },
      { idempotencyKey },
    ),
  );
}

const isSetup = (reference: string) => reference.startsWith('seti_');

async function resume(stripe: Stripe, reference: string): Promise<Outcome> {
  if (isSession(reference)) return resumeSession(stripe, reference);
  return toOutcome(
    isSetup(reference)
      ? await stripe.setupIntents.retrieve(reference, { expand })
      : await stripe.paymentIntents.retrieve(reference, { expand }),
  );
}

/** Cancels a payment that the payer has not confirmed; returns the outcome, also if it was confirmed meanwhile. */
async function abandon(stripe: Stripe, reference: string): Promise<Outcome> {
  if (isSession(reference)) return expireSession(stripe, reference);
  try {
    await (isSetup(reference)
      ? stripe.setupIntents.cancel(reference)
      : stripe.paymentIntents.cancel(reference));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  return resume(stripe, reference);
}

/**
 * Detaches a saved method from its customer: https://docs.stripe.com/api/payment_methods/detach. Stripe refuses that for
 * a method that is detached already or does not exist.
 */
async function detach(stripe: Stripe, methodReference: string): Promise<void> {
  const [, method] = methodReference.split('/');
  if (!method) return;
  try {
    await stripe.paymentMethods.detach(method);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
}

async function chargeSavedMethod(
  stripe: Stripe,
  charge: Charge,
  methodReference: string,
  publicUrl: string,
): Promise<Outcome> {
  const [customer, method] = methodReference.split('/');
  if (!customer || !method) return { status: 'declined', reason: 'unknown_payment_method' };
  const made = await findEarlierCharge(stripe, charge, customer);
  if (made) return toOutcome(made);
  return toOutcome(
    await stripe.paymentIntents.create(
      {
        ...toStripeMoney(charge),
        customer,
        payment_method: method,
        confirm: true,
        off_session: charge.isPayerPresent !== true,
        automatic_payment_methods: { enabled: true },
        // Stripe requires it for every method that might redirect the payer, even while the payer is absent.
        return_url: charge.isPayerPresent ? `${publicUrl}${charge.returnPath ?? ''}` : publicUrl,
        description: charge.description,
        metadata: toStripeMetadata(charge),
      },
      { idempotencyKey: charge.idempotencyKey },
    ),
  );
}

const toStripeMoney = ({ amountMinor, currency }: Charge) => ({
  amount: toStripeAmount(amountMinor, currency),
  currency,
});

/**
 * Finds the PaymentIntent that an earlier call created. Stripe drops idempotency keys after a day and rejects a key
 * with other parameters; PaymentIntents stay, and lists are consistent.
 */
async function findEarlierCharge(
  stripe: Stripe,
  { isRepeated, idempotencyKey }: Charge,
  customer: string,
): Promise<Stripe.PaymentIntent | undefined> {
  if (!isRepeated) return undefined;
  const { data } = await stripe.paymentIntents.list({ customer, limit: listLimit });
  return data.find(({ metadata }) => metadata[keyField] === idempotencyKey);
}

/**
 * Returns the id of the Stripe Customer; creates it if absent. The search index can lag by minutes, so the idempotency
 * key of the creation, valid for a day, prevents duplicates.
 */
async function ensureStripeCustomer(stripe: Stripe, { tenantAlias, customerId }: Charge): Promise<string> {
  const metadata = { [tenantField]: tenantAlias, [customerField]: customerId };
  const query = Object.entries(metadata)
    .map(([field, value]) => `metadata['${field}']:'${value}'`)
    .join(' AND ');
  const known = await stripe.customers.search({ query, limit: 1 }).catch(ignoreUnsupportedSearch);
  const [customer] = known.data;
  if (customer) return customer.id;
  const made = await stripe.customers.create(
    { metadata },
    { idempotencyKey: `${tenantAlias}_${customerId}` },
  );
  return made.id;
}

// Search is not available in every country.
function ignoreUnsupportedSearch(error: unknown): { data: Stripe.Customer[] } {
  if (error instanceof Stripe.errors.StripeInvalidRequestError) return { data: [] };
  throw error;
}

/** Maps refusals by the bank or Stripe to a decline. Throws any other error, because the outcome is then unknown. */
async function mapRefusalToDecline(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch (error) {
    return { status: 'declined', reason: describeRefusal(error) };
  }
}

function describeRefusal(error: unknown): string {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  if (!(error instanceof StripeCardError) && !(error instanceof StripeInvalidRequestError)) throw error;
  return error.decline_code ?? error.code ?? 'invalid_request';
}

/** Makes a refund, or returns the outcome of the one that an earlier call with this key made. */
async function refund(
  stripe: Stripe,
  { idempotencyKey, tenantAlias, chargeReference, amountMinor, currency }: Refund,
): Promise<RefundOutcome> {
  try {
    const { data } = await stripe.refunds.list({ payment_intent: chargeReference, limit: listLimit });
    const earlier = data.find(({ metadata }) => metadata?.[keyField] === idempotencyKey);
    const made =
      earlier ??
      (await stripe.refunds.create(
        {
          payment_intent: chargeReference,
          amount: toStripeAmount(amountMinor, currency),
          metadata: toStripeMetadata({ tenantAlias, idempotencyKey }),
        },
        { idempotencyKey },
      ));
    return toRefundOutcome(made);
  } catch (error) {
    return { status: 'declined', reason: describeRefusal(error) };
  }
}
