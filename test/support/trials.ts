import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { short, type Books } from './books.ts';

const orderDocument = `mutation ($input: CreateSubscriptionIntentInput!) {
  createSubscriptionIntent(input: $input) { id trialDays setupFee { decimal } }
}`;
const startDocument = 'mutation ($id: ID!) { startTrial(id: $id) { status subscriptionId } }';
const trialFields = `id status trialEndsAt currentPeriodStart currentPeriodEnd nextBillingDate firstBillingDate dueAt
  billedCount pausedAt cancelAtPeriodEnd agreedPrice { amount }`;

/** A price with a set-up fee of 10 AFN, with a trial of 14 days, and with both. */
export const withFee = { price: { setupFee: { amount: 10, currency: 'afn' } } };
export const trial14 = { price: { trialDays: 14 } };
export const trialWithFee = { price: { ...trial14.price, ...withFee.price } };

/** Creates an intent over GraphQL, which has more fields than REST. */
export async function order(books: Books, customer: any, price: any, fields: object = {}): Promise<any> {
  const { tenantAlias: _, ...input } = books.shop.intentInput(customer, price, fields) as any;
  return (await books.client.graphql(orderDocument, { input })).createSubscriptionIntent;
}

/** Starts the trial of an intent without a payment method. Returns the subscription's id. */
export async function startTrial(books: Books, intentId: string): Promise<string> {
  const { startTrial: intent } = await books.client.graphql(startDocument, { id: intentId });
  expect(intent.status).toBe('succeeded');
  return intent.subscriptionId;
}

/** Reads a subscription with the fields of its trial. */
export const showTrial = async (books: Books, id: string): Promise<any> =>
  (await books.client.graphql(`query ($id: ID!) { subscription(id: $id) { ${trialFields} } }`, { id }))
    .subscription;

/** Performs a mutation of a subscription. Returns it with the fields of its trial. */
export const run = async (books: Books, mutation: string, id: string): Promise<any> =>
  (await books.client.graphql(`mutation ($id: ID!) { it: ${mutation} { ${trialFields} } }`, { id })).it;

/** The actions of a subscription with their dates, in order: `2026-01-12 trial_will_end`. */
export async function listActions(app: TestApp, books: Books, resourceId: string): Promise<string[]> {
  const where = { tenantAlias: books.alias, resourceId };
  const traces = await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  return traces.map(({ createdAt, payload }) => `${short(createdAt)} ${String(payload['action'])}`);
}
