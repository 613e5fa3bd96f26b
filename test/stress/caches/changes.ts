/** Random changes of a shop, each of them one mutation with variables. */
import type { Random } from '../../../src/lib/random.ts';

/** The objects that a change may pick, as they were read last. */
export interface Shelf {
  random: Random;
  /** A recent object of a type; undefined if there is none. */
  pick(type: string): any;
  /** The clock of the tenant, in milliseconds. */
  nowMs: number;
}

export interface Change {
  mutation: string;
  variables: Record<string, unknown>;
}

type Make = (shelf: Shelf) => Change | undefined;

let lastNumber = 0;
const currency = 'usd';

const money = (amount: number) => ({ amount, currency });

/** A change of one object of a type; `input` makes the input, if the mutation has one. */
const onOne =
  (mutation: string, type: string, input?: (shelf: Shelf, object: any) => object | undefined): Make =>
  (shelf) => {
    const object = shelf.pick(type);
    if (!object) return undefined;
    return { mutation, variables: { id: object.id, ...(input && { input: input(shelf, object) }) } };
  };

/** A change of what belongs to a customer. */
const ofCustomer =
  (mutation: string, input: (shelf: Shelf) => object): Make =>
  (shelf) => {
    const customer = shelf.pick('Customer');
    return customer && { mutation, variables: { input: { customerId: customer.id, ...input(shelf) } } };
  };

const creation =
  (mutation: string, input: (shelf: Shelf) => object): Make =>
  (shelf) => ({ mutation, variables: { input: input(shelf) } });

/** Metadata of all kinds; now and then some that is refused, since it is not text. */
const makeMetadata = ({ random }: Shelf): object | null => {
  const kind = random.weighted({ text: 10, empty: 1, none: 1, number: 0.2 });
  if (kind === 'none') return null;
  if (kind === 'empty') return {};
  const seen = random.whole(1, 9);
  return kind === 'number' ? { seen } : { seen: String(seen), 'Größe ✓': random.pick(['', 'groß', '大']) };
};

/** The metadata that a creation is given, if any. */
const someMetadata = (shelf: Shelf) => shelf.random.chance(0.3) && { metadata: makeMetadata(shelf) ?? {} };

const makePrice = ({ random }: Shelf) => ({
  details: money(random.whole(1, 90)),
  model: random.weighted({ per_unit: 3, flat: 1 }),
  recurring: { frequency: random.pick(['Daily', 'Weekly', 'Monthly']) },
  ...(random.chance(0.2) && { trialDays: random.whole(1, 9) }),
  ...(random.chance(0.2) && { setupFee: money(random.whole(1, 20)) }),
});

const makeMethod = ({ random }: Shelf) =>
  random.weighted({ sandbox_ok: 6, sandbox_ok_then_declined: 3, sandbox_declined: 1, manual: 1 });

const createIntent: Make = (shelf) => {
  const [customer, price] = [shelf.pick('Customer'), shelf.pick('Price')];
  if (!customer || !price) return undefined;
  const input = {
    customerId: customer.id,
    productId: price.productId,
    priceId: price.id,
    quantity: price.model === 'flat' ? 1 : shelf.random.whole(1, 3),
    receiptUrl: 'https://shop.example/thanks',
    ...(shelf.random.chance(0.1) && { couponId: shelf.pick('Coupon')?.id }),
    ...someMetadata(shelf),
  };
  return { mutation: 'createSubscriptionIntent', variables: { input } };
};

const applyDiscount: Make = (shelf) => {
  const coupon = shelf.pick('Coupon');
  const holder = shelf.pick(shelf.random.pick(['Customer', 'SubscriptionContract']));
  if (!coupon || !holder) return undefined;
  const name = holder.__typename === 'Customer' ? 'customerId' : 'subscriptionId';
  return { mutation: 'applyDiscount', variables: { input: { couponId: coupon.id, [name]: holder.id } } };
};

/** Every change with its weight. */
const changes: Record<string, [weight: number, make: Make]> = {
  createCustomer: [
    8,
    creation('createCustomer', ({ random }) => ({
      associatedId: `user-${++lastNumber}`,
      email: `user-${random.whole(1, 99)}@example.com`,
      firstName: 'Ada',
      lastName: 'Lovelace',
    })),
  ],
  updateCustomer: [
    8,
    onOne('updateCustomer', 'Customer', (shelf) => {
      const { random } = shelf;
      return {
        ...(random.chance(0.5) && { firstName: random.pick(['Ada', 'Alan', 'Grace']) }),
        ...(random.chance(0.3) && { locale: random.pick(['en', 'de', 'fa']) }),
        ...(random.chance(0.3) && { metadata: makeMetadata(shelf) }),
        ...(random.chance(0.3) && { address: { line1: 'Main Street 1', city: 'Berlin', country: 'DE' } }),
      };
    }),
  ],
  ...Object.fromEntries(
    ['Subscription', 'Intent', 'Invoice', 'Payment', 'Product', 'Group', 'Coupon'].map(
      (name): [string, [number, Make]] => {
        const type = { Subscription: 'SubscriptionContract', Intent: 'SubscriptionIntent' }[name] ?? name;
        const make = onOne(`update${name}`, type, (shelf) => ({ metadata: makeMetadata(shelf) }));
        return [`metadataOf${name}`, [0.7, make]];
      },
    ),
  ),
  upsertCustomer: [
    2,
    (shelf) => {
      const customer = shelf.pick('Customer');
      const input = {
        associatedId: customer?.associatedId,
        companyName: `Works ${shelf.random.whole(1, 9)}`,
      };
      return customer && { mutation: 'upsertCustomer', variables: { input } };
    },
  ],
  deleteCustomer: [0.5, onOne('deleteCustomer', 'Customer')],
  eraseCustomer: [0.3, onOne('eraseCustomer', 'Customer')],
  createGroup: [0.5, creation('createGroup', ({ random }) => ({ name: `Group ${random.whole(1, 99)}` }))],
  updateGroup: [
    0.5,
    onOne('updateGroup', 'Group', ({ random }) => ({ prorateUpgrades: random.chance(0.5) })),
  ],
  createProduct: [
    2,
    creation('createProduct', (shelf) => ({
      name: `Plan ${shelf.random.whole(1, 99)}`,
      description: '',
      prices: [makePrice(shelf), makePrice(shelf)],
      ...(shelf.random.chance(0.3) && { groupId: shelf.pick('Group')?.id }),
    })),
  ],
  updateProduct: [
    2,
    onOne('updateProduct', 'Product', ({ random }) => ({
      name: `Plan ${random.whole(1, 99)}`,
      features: ['fast', 'safe'].slice(random.whole(0, 1)),
      highlighted: random.chance(0.5),
      sortOrder: random.whole(1, 9),
    })),
  ],
  moveProduct: [
    0.3,
    (shelf) => {
      const [product, group] = [shelf.pick('Product'), shelf.pick('Group')];
      const groupId = shelf.random.chance(0.3) ? null : group?.id;
      return product && { mutation: 'updateProduct', variables: { id: product.id, input: { groupId } } };
    },
  ],
  deleteProduct: [0.1, onOne('deleteProduct', 'Product')],
  deleteGroup: [0.05, onOne('deleteGroup', 'Group')],
  createPrices: [
    1,
    (shelf) => {
      const product = shelf.pick('Product');
      const input = { productId: product?.id, prices: [makePrice(shelf)] };
      return product && { mutation: 'createPrices', variables: { input } };
    },
  ],
  updatePrice: [
    1,
    onOne('updatePrice', 'Price', ({ random }) => ({ details: { amount: random.whole(1, 90) } })),
  ],
  archivePrice: [0.7, onOne('archivePrice', 'Price')],
  unarchivePrice: [0.5, onOne('unarchivePrice', 'Price')],
  createCoupon: [
    1,
    creation('createCoupon', ({ random }) => ({
      name: 'Sale',
      ...(random.chance(0.5) ? { percentOff: '12.5' } : { amountOff: money(random.whole(1, 9)) }),
      ...random.pick([
        { duration: 'once' },
        { duration: 'forever' },
        { duration: 'repeating', durationInMonths: 1 },
      ]),
    })),
  ],
  updateCoupon: [0.7, onOne('updateCoupon', 'Coupon', ({ random }) => ({ active: random.chance(0.8) }))],
  createPromotionCode: [
    0.7,
    (shelf) => {
      const coupon = shelf.pick('Coupon');
      const input = { couponId: coupon?.id, code: `sale-${++lastNumber}` };
      return coupon && { mutation: 'createPromotionCode', variables: { input } };
    },
  ],
  updatePromotionCode: [
    0.5,
    onOne('updatePromotionCode', 'PromotionCode', ({ random }) => ({ active: random.chance(0.8) })),
  ],
  applyDiscount: [3, applyDiscount],
  removeDiscount: [1.5, onOne('removeDiscount', 'Discount')],
  createIntent: [10, createIntent],
  confirmIntent: [
    14,
    onOne('confirmIntent', 'SubscriptionIntent', (shelf) => ({ paymentMethod: makeMethod(shelf) })),
  ],
  startTrial: [1, onOne('startTrial', 'SubscriptionIntent')],
  cancelIntent: [1, onOne('cancelIntent', 'SubscriptionIntent')],
  changePlan: [
    5,
    (shelf) => {
      const [subscription, price] = [shelf.pick('SubscriptionContract'), shelf.pick('Price')];
      if (!subscription || !price) return undefined;
      const input = {
        priceId: price.id,
        ...(shelf.random.chance(0.3) && {
          billing: shelf.random.pick(['charge_now', 'next_invoice', 'none']),
        }),
      };
      return { mutation: 'changeSubscription', variables: { id: subscription.id, input } };
    },
  ],
  changeQuantity: [
    4,
    onOne('changeSubscription', 'SubscriptionContract', ({ random }) => ({ quantity: random.whole(1, 5) })),
  ],
  addOns: [
    2,
    (shelf) => {
      const [subscription, price] = [shelf.pick('SubscriptionContract'), shelf.pick('Price')];
      const addOns = price && shelf.random.chance(0.7) ? [{ priceId: price.id }] : [];
      return (
        subscription && {
          mutation: 'changeSubscription',
          variables: { id: subscription.id, input: { addOns } },
        }
      );
    },
  ],
  adjustQuantity: [
    2,
    onOne('adjustQuantity', 'SubscriptionContract', ({ random }) => ({ by: random.pick([1, 2, -1]) })),
  ],
  cancelScheduledChange: [1, onOne('cancelScheduledChange', 'SubscriptionContract')],
  cancelSubscription: [
    3,
    onOne('cancelSubscription', 'SubscriptionContract', ({ random }) => ({
      atPeriodEnd: random.chance(0.5),
      reason: 'unused',
    })),
  ],
  uncancelSubscription: [1.5, onOne('uncancelSubscription', 'SubscriptionContract')],
  pauseSubscription: [2, onOne('pauseSubscription', 'SubscriptionContract')],
  resumeSubscription: [3, onOne('resumeSubscription', 'SubscriptionContract')],
  endTrial: [1, onOne('endTrial', 'SubscriptionContract')],
  extendTrial: [
    1,
    onOne('extendTrial', 'SubscriptionContract', ({ random, nowMs }) => ({
      trialEndsAt: new Date(nowMs + random.whole(1, 30) * 86_400_000).toISOString(),
    })),
  ],
  setPaymentMethod: [
    2,
    onOne('setPaymentMethod', 'SubscriptionContract', (shelf) => ({ paymentMethod: makeMethod(shelf) })),
  ],
  addPaymentMethod: [
    3,
    ofCustomer('addPaymentMethod', (shelf) => ({
      paymentMethod: makeMethod(shelf),
      makeDefault: shelf.random.chance(0.5),
    })),
  ],
  setDefaultPaymentMethod: [2, onOne('setDefaultPaymentMethod', 'PaymentMethod')],
  removePaymentMethod: [1, onOne('removePaymentMethod', 'PaymentMethod')],
  grantCredit: [
    2,
    ofCustomer('grantCredit', ({ random }) => ({ amount: money(random.whole(1, 30)), reason: 'Sorry' })),
  ],
  createInvoiceItem: [
    2,
    ofCustomer('createInvoiceItem', ({ random }) => ({
      amount: money(random.whole(1, 30)),
      description: 'Work',
    })),
  ],
  deleteInvoiceItem: [0.7, onOne('deleteInvoiceItem', 'InvoiceItem')],
  createInvoice: [
    3,
    ofCustomer('createInvoice', (shelf) => ({
      items: [{ amount: money(shelf.random.whole(1, 99)), description: 'Setup' }],
      collect: shelf.random.pick(['automatic', 'send_invoice']),
      draft: shelf.random.chance(0.3),
      ...someMetadata(shelf),
    })),
  ],
  finalizeInvoice: [1.5, onOne('finalizeInvoice', 'Invoice')],
  payInvoice: [4, onOne('payInvoice', 'Invoice', () => ({}))],
  recordPayment: [
    3,
    onOne('recordPayment', 'Invoice', ({ random }, { amountDue }) => ({
      reference: `transfer-${++lastNumber}`,
      ...(random.chance(0.3) && { amount: money(Math.max(1, Math.floor(amountDue.amount / 2))) }),
    })),
  ],
  voidInvoice: [1, onOne('voidInvoice', 'Invoice')],
  markInvoiceUncollectible: [0.7, onOne('markInvoiceUncollectible', 'Invoice')],
  refundInvoice: [
    3,
    onOne('refundInvoice', 'Invoice', ({ random }) => (random.chance(0.5) ? {} : { amount: money(1) })),
  ],
  createCreditNote: [
    2,
    (shelf) => {
      const invoice = shelf.pick('Invoice');
      const input = {
        invoiceId: invoice?.id,
        kind: shelf.random.pick(['credit', 'refund']),
        amount: money(1),
        reason: 'Sorry',
      };
      return invoice && { mutation: 'createCreditNote', variables: { input } };
    },
  ],
  simulateRefund: [1, onOne('simulateRefund', 'Payment', () => ({ amount: money(1) }))],
  simulateDispute: [
    1,
    onOne('simulateDispute', 'Payment', ({ random }) => ({
      status: random.pick(['needs_response', 'won', 'lost']),
    })),
  ],
  advanceClock: [
    1.2,
    ({ random, nowMs }) => {
      const to = new Date(nowMs + random.whole(1, 9) * 86_400_000).toISOString();
      return { mutation: 'advanceClock', variables: { input: { to } } };
    },
  ],
};

const weights = Object.fromEntries(Object.entries(changes).map(([name, [weight]]) => [name, weight]));

/** Makes a random change; one that needs an object that does not exist yet is made anew. */
export function makeChange(shelf: Shelf): Change {
  for (;;) {
    const change = changes[shelf.random.weighted(weights)]![1](shelf);
    if (change) return change;
  }
}
