/** Each operation that can be asked for: asked for by a key that lacks its permission, approved, and compared with its twin done directly. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { listProposable } from '../../../src/graphql/proposable.ts';
import { keyPermissions } from '../../../src/tenancy/permissions.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { grantingArguments, operationPermissions } from '../../support/declarations.ts';
import { graphqlRows, listAllRootFields, writeDocument } from '../../support/operations.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { fillTenant, type World } from '../../support/world.ts';
import { actionRequest, approve, readAnswer, sumPreview } from './requests.ts';

/** What each operation moves by its row of the table of operations, in the order in which they are done. */
const amounts: Record<string, Record<string, string>> = {
  refundInvoice: { refund: '1.50', credit_note: '1.50' },
  createCreditNote: { credit_note: '1.50' },
  changeSubscription: {},
  adjustQuantity: { from_balance: '2.00', recurring_before: '2.00', recurring_after: '4.00' },
  applyDiscount: {},
  removeDiscount: {},
  overrideUsagePrice: {},
  removeUsagePriceOverride: {},
  grantCredit: { credit_granted: '4.00' },
  createCreditGrant: { credit_granted: '4' },
  topUpCredit: { invoice: '2.00' },
  voidCreditGrant: { credit_voided: '3.00' },
  // Credit that was granted before pays all of it, and the most of the next one.
  finalizeInvoice: { from_balance: '4.00' },
  createInvoice: { invoice: '7.50', from_balance: '0.50' },
  markInvoiceUncollectible: { uncollectible: '4.00' },
  voidInvoice: { voided: '4.00' },
  recordPayment: { payment: '9.00', recurring_after: '9.00' },
  extendTrial: {},
  cancelSubscription: { recurring_before: '50.00' },
  deleteProduct: {},
  deleteCustomer: { recurring_before: '32.00' },
  eraseCustomer: {},
  deleteGroup: {},
};

let app: TestApp;
let twins: { asked: Client; direct: Client };
let worlds: { asked: World; direct: World };
let owner: TestOperator;
const roots = new Map(listAllRootFields(schema).map((root) => [root.name, root]));

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' });
  twins = { asked: await app.tenant({ alias: 'asked' }), direct: await app.tenant({ alias: 'direct' }) };
  worlds = {
    asked: await fillTenant(twins.asked, 'asked'),
    direct: await fillTenant(twins.direct, 'direct'),
  };
  owner = await signInOperator(app, { role: 'owner', tenant: 'asked' });
});
afterAll(() => app.close());

const traces = async (by: Client) => {
  const { traces: page } = await by.graphql(
    '{ traces(first: 100) { nodes { eventId activityType executorId payload } } }',
  );
  return page.nodes as { eventId: string; activityType: string; executorId: string; payload: any }[];
};

/** The amounts and the statuses that events show, without what differs between two tenants. */
const show = (all: Awaited<ReturnType<typeof traces>>) =>
  all.map(({ activityType, payload: { action, object, changes, details } }) => ({
    activityType,
    action,
    status: object.status,
    total: object.total,
    amount: object.amount,
    price: object.price,
    refunded: changes.refunded,
    details: details && { amount: details.amount, credits: details.credits, currency: details.currency },
  }));

it('has a row for each operation that can be asked for', () => {
  expect(Object.keys(amounts).toSorted()).toEqual(
    listProposable(schema)
      .map(({ name }) => name)
      .toSorted(),
  );
});

describe.each(Object.keys(amounts))('%s', (name) => {
  it('is asked for, approved and does what the call itself does', async () => {
    const document = writeDocument(schema, roots.get(name)!, 1);
    const call = (world: World) => graphqlRows[name]!.call(world);
    const granting = (grantingArguments[name] ?? []).map(({ needed }) => needed);
    const lacking = new Set([operationPermissions[name], ...granting]);
    const agent = await app.key(
      'asked',
      keyPermissions.write.filter((each) => !lacking.has(each)),
    );
    const variables = call(worlds.asked);
    const answer = await agent.post(document, variables);
    expect(answer.body.errors?.[0].extensions, answer.text).toMatchObject({ reason: 'approval_required' });
    const request = await actionRequest(agent, answer);
    expect(request).toMatchObject({ operation: name, status: 'pending', input: variables });
    expect(sumPreview(request)).toEqual(amounts[name]);
    const [[lastAsked], [lastDirect]] = [await traces(twins.asked), await traces(twins.direct)];

    const done = readAnswer(await owner.post(approve, { id: request.id, version: request.preview.version }));
    expect(done.approveActionRequest).toMatchObject({
      status: 'approved',
      failure: null,
      decidedBy: `operator:${owner.id}`,
      preview: request.preview,
    });
    expect(done.approveActionRequest.completedAt).not.toBeNull();
    await twins.direct.graphql(document, call(worlds.direct));

    const since = (all: Awaited<ReturnType<typeof traces>>, last: { eventId: string } | undefined) =>
      all.filter(
        ({ eventId, activityType }) => eventId > last!.eventId && activityType !== 'ActionRequestEvent',
      );
    const own = since(await traces(twins.asked), lastAsked);
    const twin = since(await traces(twins.direct), lastDirect);
    expect(own.length).toBeGreaterThan(0);
    expect(show(own)).toEqual(show(twin));
    for (const { executorId, payload } of own) {
      expect(executorId).toBe(`operator:${owner.id}`);
      expect(payload.approval).toEqual({ actionRequestId: request.id, requestedBy: request.requestedBy });
    }
    for (const { payload } of twin) expect(payload).not.toHaveProperty('approval');
  });
});
