import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client, Method } from '../../support/app.ts';
import { confirmDocument } from '../../support/shop.ts';
import {
  cancel,
  changeAmount,
  isOfGroup,
  paidUntilMs,
  passTime,
  wouldClash,
  type Amount,
  type Model,
  type Subscription,
} from './shop.ts';

/** The service under test. */
export interface Real {
  client: Client;
  tenantAlias: string;
}

type Command = fc.AsyncCommand<Model, Real>;

/** A command that may always be given; `told` is how a failure shows it. */
const always = (title: string, run: Command['run']): Command => ({
  check: () => true,
  run,
  toString: () => title,
});
const whenSome = (title: string, of: keyof Model, run: Command['run']): Command => ({
  ...always(title, run),
  check: (model) => (model[of] as unknown[]).length > 0,
});

const at = <T>(values: T[], index: number): T => values[index % values.length]!;

/** Sends a REST request and checks the reason of an error. Returns the body. */
async function ask(
  { client, tenantAlias }: Real,
  method: Method,
  path: string,
  fields: object,
  reason?: string,
) {
  const { status, body, text } = await client.rest(method, path, { tenantAlias, ...fields });
  expect(body?.body?.reason, text).toBe(reason);
  if (!reason) expect(status).toBe(method === 'POST' ? 201 : 200);
  return body;
}

/** Sends a GraphQL operation. Returns its one root field. */
async function query(
  { client }: Real,
  document: string,
  variables: Record<string, unknown>,
  reason?: string,
) {
  const { body, text } = await client.post(document, variables);
  expect(body.errors?.[0].extensions.reason, text).toBe(reason);
  return Object.values<any>(body.data)[0];
}

const createCustomer = (associatedId: string) =>
  always(`createCustomer ${associatedId}`, async (model, real) => {
    const isTaken = model.customers.some((each) => each.associatedId === associatedId && !each.isDeleted);
    const fields = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId };
    const made = await ask(real, 'POST', '/customers', fields, isTaken ? 'associated_id_exists' : undefined);
    if (isTaken) return;
    model.customers.push({ id: made.id, associatedId, firstName: 'Ada', isDeleted: false });
  });

const renameCustomer = (index: number, firstName: string, isOther: boolean) =>
  whenSome(`renameCustomer ${index} ${firstName} ${isOther}`, 'customers', async (model, real) => {
    const customer = at(model.customers, index);
    const associatedId = isOther ? 'another' : customer.associatedId;
    const refusal = isOther ? 'associated_id_mismatch' : undefined;
    const reason = customer.isDeleted ? 'customer_not_found' : refusal;
    await ask(real, 'PATCH', `/customers/${customer.id}`, { associatedId, firstName }, reason);
    if (!reason) customer.firstName = firstName;
  });

const deleteCustomer = (index: number) =>
  whenSome(`deleteCustomer ${index}`, 'customers', async (model, real) => {
    const customer = at(model.customers, index);
    const reason = customer.isDeleted ? 'customer_not_found' : undefined;
    await ask(real, 'DELETE', `/customers/${customer.id}`, { associatedId: customer.associatedId }, reason);
    customer.isDeleted = true;
    for (const each of model.subscriptions) if (each.customer === customer) cancel(each);
  });

const createGroup = (name: string) =>
  always(`createGroup ${name}`, async (model, real) => {
    const { id } = await ask(real, 'POST', '/groups', { name });
    model.groups.push({ id, name, isDeleted: false });
  });

const deleteGroup = (index: number) =>
  whenSome(`deleteGroup ${index}`, 'groups', async (model, real) => {
    const group = at(model.groups, index);
    await ask(real, 'DELETE', `/groups/${group.id}`, {}, group.isDeleted ? 'group_not_found' : undefined);
    group.isDeleted = true;
    for (const each of model.products) if (each.group === group) each.isDeleted = true;
    for (const each of model.subscriptions) if (each.product.group === group) cancel(each);
  });

const createProduct = (name: string, groupIndex: number | undefined) =>
  always(`createProduct ${name} ${groupIndex}`, async (model, real) => {
    const hasGroup = groupIndex !== undefined && model.groups.length > 0;
    const group = hasGroup ? at(model.groups, groupIndex) : undefined;
    const recurring = { frequency: 'Daily', period: 1 };
    const prices = [5, 3].map((amount) => ({ details: { amount, currency: 'usd' }, recurring }));
    const fields = { name, description: '', groupId: group?.id, prices };
    const reason = group?.isDeleted ? 'group_not_found' : undefined;
    const made = await ask(real, 'POST', '/products', fields, reason);
    if (reason) return;
    const { id } = made.product;
    const amounts = { 5: made.prices[0].id, 3: made.prices[1].id };
    model.products.push({ id, prices: amounts, name, group, isDeleted: false });
  });

const renameProduct = (index: number, name: string) =>
  whenSome(`renameProduct ${index} ${name}`, 'products', async (model, real) => {
    const product = at(model.products, index);
    const reason = product.isDeleted ? 'product_not_found' : undefined;
    await ask(real, 'PATCH', `/products/${product.id}`, { name }, reason);
    if (!reason) product.name = name;
  });

const deleteProduct = (index: number) =>
  whenSome(`deleteProduct ${index}`, 'products', async (model, real) => {
    const product = at(model.products, index);
    const reason = product.isDeleted ? 'product_not_found' : undefined;
    await query(real, 'mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: product.id }, reason);
    product.isDeleted = true;
  });

const moveProduct = (index: number, groupIndex: number | undefined) =>
  whenSome(`moveProduct ${index} ${groupIndex}`, 'products', async (model, real) => {
    const product = at(model.products, index);
    const hasGroup = groupIndex !== undefined && model.groups.length > 0;
    const group = hasGroup ? at(model.groups, groupIndex) : undefined;
    const conflict = group && wouldClash(model, product, group) ? 'group_conflict' : undefined;
    const noGroup = group?.isDeleted ? 'group_not_found' : conflict;
    const reason = product.isDeleted ? 'product_not_found' : noGroup;
    await ask(real, 'PATCH', `/products/${product.id}`, { groupId: group?.id ?? null }, reason);
    if (!reason) product.group = group;
  });

/** A change of price within the product, by an intent that is paid; it is modelled for what was never paused. */
const changePrice = (index: number, amount: Amount): Command => ({
  toString: () => `changePrice ${index} ${amount}`,
  check: ({ subscriptions }) => {
    if (subscriptions.length === 0) return false;
    const { status, wasPaused } = at(subscriptions, index);
    return status === 'active' && !wasPaused;
  },
  run: async (model, real) => {
    const subscription = at(model.subscriptions, index);
    const { customer, product } = subscription;
    const isPresent = subscription.amount === amount && !subscription.nextAmount;
    const reason = product.isDeleted ? 'product_not_found' : isPresent ? 'subscription_exists' : undefined;
    const fields = {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: product.id,
      priceId: product.prices[amount],
      receiptUrl: 'https://example.com/thanks',
    };
    const { intentId: id } = await ask(real, 'POST', '/subscriptions/intent', fields, reason);
    if (reason) return;
    const { subscriptionId } = await query(real, confirmDocument, { id, method: 'sandbox_ok' });
    expect(subscriptionId).toBe(subscription.id);
    subscription.productName = amount > subscription.amount ? product.name : subscription.productName;
    changeAmount(subscription, amount, model.nowMs);
    if (subscription.nextAmount) subscription.nextName = product.name;
  },
});

const cancelScheduledChange = (index: number): Command => ({
  ...whenSome(`cancelScheduledChange ${index}`, 'subscriptions', async (model, real) => {
    const subscription = at(model.subscriptions, index);
    const none = subscription.nextAmount ? undefined : 'no_scheduled_change';
    const reason = subscription.status === 'cancelled' ? 'subscription_not_active' : none;
    const document = 'mutation ($id: ID!) { cancelScheduledChange(id: $id) { id } }';
    await query(real, document, { id: subscription.id }, reason);
    if (!reason) delete subscription.nextAmount;
  }),
  check: ({ subscriptions }) => subscriptions.length > 0 && !at(subscriptions, index).wasPaused,
});

/** An intent, and its payment; a change to another product is not modelled. */
const subscribe = (customerIndex: number, productIndex: number, method: string): Command => {
  const choose = ({ customers, products }: Model) =>
    [at(customers, customerIndex), at(products, productIndex)] as const;
  const hasSubscription = (model: Model, sees: (subscription: Subscription) => boolean) => {
    const [customer] = choose(model);
    return model.subscriptions.some(
      (each) => each.customer === customer && each.status !== 'cancelled' && sees(each),
    );
  };
  return {
    toString: () => `subscribe ${customerIndex} ${productIndex} ${method}`,
    check: (model) => {
      if (model.customers.length === 0 || model.products.length === 0) return false;
      const [, product] = choose(model);
      // Where they have it at another price, or are to, it would be a change of price.
      const isChanged = (each: Subscription) => each.amount !== 5 || each.nextAmount !== undefined;
      return !hasSubscription(model, (each) =>
        each.product === product ? isChanged(each) : isOfGroup(each, product),
      );
    },
    run: async (model, real) => {
      const [customer, product] = choose(model);
      const exists = hasSubscription(model, (each) => each.product === product)
        ? 'subscription_exists'
        : undefined;
      const noProduct = product.isDeleted ? 'product_not_found' : exists;
      const reason = customer.isDeleted ? 'customer_not_found' : noProduct;
      const fields = {
        customerId: customer.id,
        associatedCustomerId: customer.associatedId,
        productId: product.id,
        priceId: product.prices[5],
        receiptUrl: 'https://example.com/thanks',
      };
      const { intentId } = await ask(real, 'POST', '/subscriptions/intent', fields, reason);
      if (reason) return;
      const isPaid = method === 'sandbox_ok';
      const variables = { id: intentId, method };
      const intent = await query(real, confirmDocument, variables, isPaid ? undefined : 'payment_failed');
      if (!isPaid) return;
      const begun = {
        amount: 5 as const,
        startedMs: model.nowMs,
        days: 1,
        endsWithPeriod: false,
        wasPaused: false,
      };
      const { subscriptionId: id } = intent;
      model.subscriptions.push({
        id,
        customer,
        product,
        productName: product.name,
        status: 'active',
        ...begun,
      });
    },
  };
};

const cancelSubscription = (index: number, wantsPeriodEnd: boolean) =>
  whenSome(`cancelSubscription ${index} ${wantsPeriodEnd}`, 'subscriptions', async (model, real) => {
    const subscription = at(model.subscriptions, index);
    const reason = subscription.status === 'cancelled' ? 'subscription_not_active' : undefined;
    // The model does not know how long one that was paused is paid for.
    const atPeriodEnd = wantsPeriodEnd && !subscription.wasPaused;
    const document =
      'mutation ($id: ID!, $atPeriodEnd: Boolean) { cancelSubscription(id: $id, input: { atPeriodEnd: $atPeriodEnd }) { id } }';
    await query(real, document, { id: subscription.id, atPeriodEnd }, reason);
    if (reason) return;
    if (atPeriodEnd && paidUntilMs(subscription) > model.nowMs) subscription.endsWithPeriod = true;
    else cancel(subscription);
  });

/** `uncancelSubscription`, `pauseSubscription` or `resumeSubscription`. */
const change = (
  verb: string,
  index: number,
  isPossible: (subscription: Subscription) => boolean,
  apply: (subscription: Subscription) => void,
) =>
  whenSome(`${verb} ${index}`, 'subscriptions', async (model, real) => {
    const subscription = at(model.subscriptions, index);
    const reason = isPossible(subscription) ? undefined : 'subscription_not_active';
    await query(real, `mutation ($id: ID!) { ${verb}(id: $id) { id } }`, { id: subscription.id }, reason);
    if (!reason) apply(subscription);
  });

const keep = (index: number) =>
  change(
    'uncancelSubscription',
    index,
    ({ status }) => status !== 'cancelled',
    (each) => {
      each.endsWithPeriod = false;
    },
  );
const pause = (index: number) =>
  change(
    'pauseSubscription',
    index,
    ({ status }) => status === 'active',
    (each) => {
      each.status = 'paused';
    },
  );
const resume = (index: number) =>
  change(
    'resumeSubscription',
    index,
    ({ status }) => status === 'paused',
    (each) => {
      each.status = 'active';
      each.wasPaused = true;
    },
  );

const advance = (hours: number) =>
  always(`advance ${hours} hours`, async (model, real) => {
    passTime(model, model.nowMs + hours * 3_600_000);
    const to = new Date(model.nowMs).toISOString();
    await query(real, 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
  });

/** Everything that can be seen is as in the model. */
export async function compare(model: Model, real: Real): Promise<void> {
  const list = async (path: string) => (await ask(real, 'GET', path, { limit: 100, order: 'asc' })).data;
  const there = <T extends { isDeleted: boolean }>(each: T[]) => each.filter(({ isDeleted }) => !isDeleted);
  const seen = (await list('/customers')).map(({ id, firstName }: any) => [id, firstName]);
  expect(seen).toEqual(there(model.customers).map(({ id, firstName }) => [id, firstName]));
  const groups = (await list('/groups')).map(({ id, name }: any) => [id, name]);
  expect(groups).toEqual(there(model.groups).map(({ id, name }) => [id, name]));
  const products = (await list('/products')).map(({ id, name, groupId }: any) => [id, name, groupId]);
  expect(products).toEqual(there(model.products).map(({ id, name, group }) => [id, name, group?.id ?? null]));
  const document =
    '{ subscriptions(first: 100, order: ASC) { nodes { id status productName billedCount cancelAtPeriodEnd agreedPrice { amount } scheduledChange { agreedPrice { amount } } } } }';
  const found = new Map((await query(real, document, {})).nodes.map((each: any) => [each.id, each]));
  expect(found.size).toBe(model.subscriptions.length);
  for (const subscription of model.subscriptions) {
    const { id, status, productName, days, wasPaused, endsWithPeriod, amount, nextAmount } = subscription;
    const waits = nextAmount && status !== 'cancelled';
    const scheduledChange = waits ? { agreedPrice: { amount: nextAmount } } : null;
    const counted = wasPaused
      ? {}
      : { billedCount: days, productName, agreedPrice: { amount }, scheduledChange };
    const open = status === 'cancelled' ? {} : { cancelAtPeriodEnd: endsWithPeriod };
    expect(found.get(id)).toMatchObject({ status, ...counted, ...open });
  }
}

const look = () => always('look', compare);

const index = fc.nat({ max: 7 });
const word = fc.constantFrom('Pro', 'Basic', 'École', 'a b');

/** Each command as often as it is worth. */
export const commands: fc.Arbitrary<Command>[] = [
  fc.constantFrom('a', 'b', 'c', 'd').map(createCustomer),
  fc.tuple(index, word, fc.boolean()).map((given) => renameCustomer(...given)),
  index.map(deleteCustomer),
  word.map(createGroup),
  index.map(deleteGroup),
  fc.tuple(word, fc.option(index, { nil: undefined })).map((given) => createProduct(...given)),
  fc.tuple(index, word).map((given) => renameProduct(...given)),
  index.map(deleteProduct),
  fc.tuple(index, fc.option(index, { nil: undefined })).map((given) => moveProduct(...given)),
  fc.tuple(index, fc.constantFrom<Amount>(3, 5, 3)).map((given) => changePrice(...given)),
  index.map(cancelScheduledChange),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(index, index, fc.constantFrom('sandbox_ok', 'sandbox_ok', 'sandbox_declined'))
      .map((given) => subscribe(...given)),
  ),
  fc.tuple(index, fc.boolean()).map((given) => cancelSubscription(...given)),
  index.map(keep),
  index.map(pause),
  index.map(resume),
  fc.integer({ min: 1, max: 80 }).map(advance),
  fc.constant(look()),
];
