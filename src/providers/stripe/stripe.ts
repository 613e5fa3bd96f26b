import { Stripe } from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/errors.ts';
import type { Callback, Charge, Outcome, PaymentProvider, Refund, RefundOutcome } from '../provider.ts';
import { fromStripeAmount, toStripeAmount } from './amounts.ts';

interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** Where Stripe's interface is. */
  url: string;
  /** Where browsers reach this server: a payer comes back to it from their bank. */
  publicUrl: string;
  clock: Clock;
}

type StripeIntent = Stripe.PaymentIntent | Stripe.SetupIntent;

// A payer waits meanwhile. What takes longer is asked about again, with the same key.
const timeoutMs = 15_000;
const networkRetries = 1;
const oldestCallbackSeconds = 300;
const listLimit = 100;
const methodForm = /^\w+$/;

/** What the objects at Stripe carry, so that they are found again: whose they are, and which try made them. */
const tenantField = 'perennial_tenant';
const customerField = 'perennial_customer';
const keyField = 'perennial_key';

/**
 * Stripe, by its official SDK. A charge is a PaymentIntent, a method that is only kept a SetupIntent. Each customer
 * has one Customer there, found by its metadata; the reference of a kept method names both, `cus_…/pm_…`, so that
 * later charges need no look-up.
 */
export function createStripe({
  secretKey,
  webhookSecret,
  url,
  publicUrl,
  clock,
}: StripeSettings): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    ...parseBaseUrl(url),
    maxNetworkRetries: networkRetries,
    timeout: timeoutMs,
    telemetry: false,
  });
  return {
    name: 'stripe',
    isLive: secretKey.includes('_live_'),
    start: async (charge, method) =>
      methodForm.test(method)
        ? orDeclined(() => start(stripe, charge, method, publicUrl))
        : { status: 'declined', reason: 'unknown_payment_method' },
    resume: async (_, reference) =>
      toOutcome(
        reference.startsWith('seti_')
          ? await stripe.setupIntents.retrieve(reference)
          : await stripe.paymentIntents.retrieve(reference),
      ),
    charge: (charge, methodReference) =>
      orDeclined(() => chargeKept(stripe, charge, methodReference, publicUrl)),
    refund: (due) => refund(stripe, due),
    readCallback: (headers, body) => {
      const event = verified(stripe, headers['stripe-signature'], body, webhookSecret, clock.nowMs());
      return parseEvent(event);
    },
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

async function start(stripe: Stripe, charge: Charge, method: string, publicUrl: string): Promise<Outcome> {
  const customer = await ensureStripeCustomer(stripe, charge);
  const common = {
    customer,
    payment_method: method,
    confirm: true,
    automatic_payment_methods: { enabled: true },
    description: charge.description,
    metadata: toStripeMetadata(charge),
    return_url: charge.intentId ? `${publicUrl}/pay/${charge.intentId}/return` : publicUrl,
  };
  const { idempotencyKey } = charge;
  if (charge.amountMinor === 0n) {
    return toOutcome(
      await stripe.setupIntents.create({ ...common, usage: 'off_session' }, { idempotencyKey }),
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

async function chargeKept(
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
        off_session: true,
        automatic_payment_methods: { enabled: true },
        // Asked for with every method that might send a payer somewhere, also while the payer is away.
        return_url: publicUrl,
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

const toStripeMetadata = ({ tenantAlias, idempotencyKey }: Charge) => ({
  [tenantField]: tenantAlias,
  [keyField]: idempotencyKey,
});

/**
 * What an earlier ask has made, if it has. Stripe forgets idempotency keys after a day, and refuses one that comes
 * with other words: the charge itself is there for good, and lists are never behind.
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
 * The Customer at Stripe. The search may be behind by minutes, and so the key of the idempotent creation, which is
 * good for a day, names who is meant: two at once, or one soon after another, get the same.
 */
async function ensureStripeCustomer(stripe: Stripe, { tenantAlias, customerId }: Charge): Promise<string> {
  const metadata = { [tenantField]: tenantAlias, [customerField]: customerId };
  const query = Object.entries(metadata)
    .map(([field, value]) => `metadata['${field}']:'${value}'`)
    .join(' AND ');
  const known = await stripe.customers.search({ query, limit: 1 }).catch(nothingWhereRefused);
  const [customer] = known.data;
  if (customer) return customer.id;
  const made = await stripe.customers.create(
    { metadata },
    { idempotencyKey: `${tenantAlias}_${customerId}` },
  );
  return made.id;
}

// Not every country's accounts can search.
function nothingWhereRefused(error: unknown): { data: Stripe.Customer[] } {
  if (error instanceof Stripe.errors.StripeInvalidRequestError) return { data: [] };
  throw error;
}

/** What the bank or Stripe refuses is declined; of anything else nobody knows what became, and it is thrown. */
async function orDeclined(ask: () => Promise<Outcome>): Promise<Outcome> {
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

function toOutcome(intent: StripeIntent): Outcome {
  const { id: reference, status } = intent;
  const methodReference = `${getId(intent.customer)}/${getId(intent.payment_method)}`;
  if (status === 'succeeded') return { status: 'succeeded', reference, methodReference };
  if (status === 'processing') return { status: 'pending', reference, methodReference };
  const actionUrl = intent.next_action?.redirect_to_url?.url;
  if (status === 'requires_action' && actionUrl) return { status: 'requires_action', reference, actionUrl };
  const error = intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error;
  return { status: 'declined', reason: error?.decline_code ?? error?.code ?? status, reference };
}

const getId = (named: string | { id: string } | null) => (typeof named === 'string' ? named : named?.id);

/** A refund that an earlier ask has made counts; one that is on its way has been made. */
async function refund(
  stripe: Stripe,
  { idempotencyKey, chargeReference, amountMinor, currency }: Refund,
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
          metadata: { [keyField]: idempotencyKey },
        },
        { idempotencyKey },
      ));
    const hasFailed = made.status === 'failed' || made.status === 'canceled';
    return hasFailed
      ? { status: 'declined', reason: made.failure_reason ?? made.status! }
      : { status: 'succeeded', reference: made.id };
  } catch (error) {
    return { status: 'declined', reason: describeRefusal(error) };
  }
}

function verified(
  stripe: Stripe,
  signature: string | undefined,
  body: Buffer,
  secret: string,
  nowMs: number,
): Stripe.Event {
  try {
    const { webhooks } = stripe;
    return webhooks.constructEvent(body, signature ?? '', secret, oldestCallbackSeconds, undefined, nowMs);
  } catch {
    return refuse('validation_failed', {
      path: 'stripe-signature',
      message: 'must be that of the body, and new',
    });
  }
}

function parseEvent(event: Stripe.Event): Callback | undefined {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
    case 'payment_intent.requires_action':
    case 'setup_intent.succeeded':
    case 'setup_intent.setup_failed':
    case 'setup_intent.canceled':
    case 'setup_intent.requires_action':
      return told(event.data.object);
    default:
      return undefined;
  }
}

function told(intent: StripeIntent): Callback | undefined {
  const { [tenantField]: tenantAlias, [keyField]: idempotencyKey } = intent.metadata ?? {};
  // Another system's charge on the same account.
  if (!tenantAlias || !idempotencyKey) return undefined;
  const amountMinor =
    intent.object === 'payment_intent' ? fromStripeAmount(intent.amount, intent.currency) : 0n;
  return { tenantAlias, idempotencyKey, amountMinor, outcome: toOutcome(intent) };
}
