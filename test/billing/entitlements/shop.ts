/** A tenant that sells features: its books, and what tests of entitlements ask of it. */
import type { TestApp } from '../../support/app.ts';
import { openUsageShop, type UsageShop } from '../usage/shop.ts';

const entitlementFields = `feature { key kind } customerId allowed value limit used reserved remaining overage
  resetsAt because`;

export interface FeatureShop extends UsageShop {
  /** Creates a feature. Returns its key. */
  feature: (kind: 'boolean' | 'config' | 'limit', fields?: object) => Promise<string>;
  /** Attaches a feature to the product of a price. */
  attach: (price: any, feature: string, value: unknown, fields?: object) => Promise<any>;
  detach: (price: any, feature: string, fields?: object) => Promise<any>;
  override: (feature: string, value: unknown, fields?: object) => Promise<any>;
  check: (feature: string, amount?: string | number, fields?: object) => Promise<any>;
  consume: (feature: string, amount: string | number, fields?: object) => Promise<any>;
  reserve: (feature: string, amount: string | number, fields?: object) => Promise<any>;
  settle: (id: string, amount: string | number, fields?: object) => Promise<any>;
  release: (id: string) => Promise<any>;
}

let count = 0;
const nextName = (word: string) => `${word}-${(count += 1)}`;

const documents = {
  create: 'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { key } }',
  attach: `mutation ($input: AttachFeatureInput!) { attachFeature(input: $input) {
    id productId feature { key } value soft overageLimit timesQuantity priority reach } }`,
  detach: 'mutation ($input: DetachFeatureInput!) { detachFeature(input: $input) { id value } }',
  override: `mutation ($input: OverrideEntitlementInput!) { overrideEntitlement(input: $input) {
    id customerId feature { key } value soft overageLimit endsAt } }`,
  check: `query ($customerId: ID, $associatedId: String, $feature: String!, $amount: Decimal, $meterId: ID) {
    checkEntitlement(customerId: $customerId, associatedId: $associatedId, feature: $feature, amount: $amount, meterId: $meterId) {
      ${entitlementFields} } }`,
  consume: `mutation ($input: ConsumeEntitlementInput!) { consumeEntitlement(input: $input) { ${entitlementFields} } }`,
  reserve: `mutation ($input: ReserveEntitlementInput!) { reserveEntitlement(input: $input) {
    id customerId feature { key } amount status settledAmount expiresAt closedAt } }`,
  settle: `mutation ($id: ID!, $input: SettleReservationInput!) { settleReservation(id: $id, input: $input) {
    id status amount settledAmount closedAt } }`,
  release: 'mutation ($id: ID!) { releaseReservation(id: $id) { id status closedAt } }',
};

/** Opens a new test tenant with a customer who has no subscription yet. */
export async function openFeatureShop(app: TestApp, clock?: string): Promise<FeatureShop> {
  const shop = await openUsageShop(app, clock);
  const { client, customer } = shop;
  /** Returns the result, or the reason and the path of the error. */
  const ask = async (document: string, variables: object): Promise<any> => {
    const { body } = await client.post(document, variables as any);
    const error = body.errors?.[0]?.extensions;
    if (error) return { reason: error.reason, path: error.issues?.[0]?.path };
    return Object.values(body.data)[0];
  };
  return {
    ...shop,
    feature: async (kind, fields = {}) => {
      const input = { key: nextName(kind), name: 'Feature', kind, ...fields };
      return (await ask(documents.create, { input })).key;
    },
    attach: ({ productId }, feature, value, fields = {}) =>
      ask(documents.attach, { input: { productId, feature, value, ...fields } }),
    detach: ({ productId }, feature, fields = {}) =>
      ask(documents.detach, { input: { productId, feature, ...fields } }),
    override: (feature, value, fields = {}) =>
      ask(documents.override, { input: { customerId: customer.id, feature, value, ...fields } }),
    check: (feature, amount, fields = {}) =>
      ask(documents.check, { customerId: customer.id, feature, amount, ...fields }),
    consume: (feature, amount, fields = {}) =>
      ask(documents.consume, {
        input: { id: nextName('consumed'), customerId: customer.id, feature, amount, ...fields },
      }),
    reserve: (feature, amount, fields = {}) =>
      ask(documents.reserve, { input: { customerId: customer.id, feature, amount, ...fields } }),
    settle: (id, amount, fields = {}) => ask(documents.settle, { id, input: { amount, ...fields } }),
    release: (id) => ask(documents.release, { id }),
  };
}

/** A customer with a plan of 20 a month that has a limit, counted by a meter that sums. */
export async function openLimit(app: TestApp, value: string | null, fields: object = {}, meter: object = {}) {
  const shop = await openFeatureShop(app);
  const meterId = await shop.meter({ groupBy: [], ...meter });
  const feature = await shop.feature('limit', { meterId });
  const plan = await shop.plan(20, { name: 'Plan' });
  await shop.attach(plan, feature, value, fields);
  const subscriptionId = await shop.order(plan);
  return { ...shop, meterId, feature, plan, subscriptionId };
}
