/** What moves money is only ever asked for, on a live tenant and on a test tenant alike. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAgent, transports, type Agent } from '../support/mcp.ts';
import { openBusiness, type Business } from './business.ts';

let business: Business;
let agent: Agent;

beforeAll(async () => {
  business = await openBusiness();
  agent = await connectAgent(business.app, business.owner.apiKey);
});
afterAll(async () => {
  await agent.close();
  await business.close();
});

/** Everything that a proposal must leave as it is. */
const readBooks = () =>
  business.owner.graphql(`{ payments { totalCount } creditNotes { totalCount }
    invoices(first: 100) { nodes { id status total { decimal } refunded { decimal } credited { decimal } } }
    subscriptions(first: 100) { nodes { id status quantity priceId cancelAtPeriodEnd } }
    customers(first: 100) { nodes { id balance { decimal } } } }`) as Promise<unknown>;

const findPaid = async (): Promise<string> =>
  (await agent.call('show_customer', { associatedId: 'user-ada' })).value.invoices.find(
    ({ documentNumber }: { documentNumber: string }) => documentNumber === 'INV-2026-00001',
  ).invoiceId;

it.each(transports)(
  'asks for a refund, a credit note, a cancellation and a change over %s',
  async (transport) => {
    const own = await connectAgent(business.app, business.owner.apiKey, transport);
    const invoiceId = await findPaid();
    const subscriptionId = business.subscriptions.ada;
    const before = await readBooks();
    const amount = { decimal: '5', currency: 'EUR' };
    const reason = 'Agreed by phone';
    const calls: [string, object, string, string][] = [
      ['propose_refund', { invoiceId, amount, reason }, 'refundInvoice', 'refund'],
      [
        'propose_credit_note',
        { invoiceId, kind: 'credit', amount, reason },
        'createCreditNote',
        'credit_note',
      ],
      ['propose_cancellation', { subscriptionId, reason }, 'cancelSubscription', ''],
      ['propose_change', { subscriptionId, quantity: 8, reason }, 'changeSubscription', 'charge'],
    ];
    const ids: string[] = [];
    for (const [name, args, operation, kind] of calls) {
      const { value, error, text } = await own.call(name, args as Record<string, unknown>);
      expect(error, `${name}: ${text}`).toBeUndefined();
      expect(value.request).toMatchObject({
        operation,
        status: 'pending',
        reason: { untrustedText: reason },
      });
      expect(value.request.changes.length, name).toBeGreaterThan(0);
      if (kind) expect(value.request.amounts, name).toContainEqual(expect.objectContaining({ kind }));
      ids.push(value.request.actionRequestId);
    }
    expect(await readBooks()).toEqual(before);
    const { value } = await own.call('list_proposals', { status: 'pending', first: 10 });
    const listed = value.requests.map(({ actionRequestId }: { actionRequestId: string }) => actionRequestId);
    expect(listed.slice(0, 4)).toEqual(ids.toReversed());
    await own.close();
  },
);

it('shows the amounts that the API shows', async () => {
  const { value } = await agent.call('propose_change', {
    subscriptionId: business.subscriptions.ada,
    quantity: 8,
    reason: 'More people',
  });
  const { previewSubscriptionChange: preview } = await business.owner.graphql(
    `{ previewSubscriptionChange(id: "${business.subscriptions.ada}", input: { quantity: 8 }) { total { decimal } } }`,
  );
  const charge = value.request.amounts.find(({ kind }: { kind: string }) => kind === 'charge');
  expect(charge.amount.decimal).toBe(preview.total.decimal);
  const { actionRequest } = await business.owner.graphql(
    `{ actionRequest(id: "${value.request.actionRequestId}") { status operation preview { amounts { kind amount { decimal } } } } }`,
  );
  expect(actionRequest.preview.amounts.map(({ amount }: any) => amount.decimal)).toEqual(
    value.request.amounts.map(({ amount }: any) => amount.decimal),
  );
});

it('asks once for the same idempotency key, also ten times at once', async () => {
  const args = { invoiceId: await findPaid(), reason: 'Twice', idempotencyKey: 'refund-1' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => agent.call('propose_refund', args)));
  const made = answers.flatMap(({ value }) => (value ? [value.request.actionRequestId] : []));
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made).size).toBe(1);
  for (const { error } of answers) if (error) expect(error.reason).toBe('request_in_flight');
  const other = await agent.call('propose_refund', { ...args, reason: 'Other' });
  expect(other.error?.reason).toBe('idempotency_key_reused');
});

it('names the field of what cannot be asked for, and finds nothing of another tenant', async () => {
  const other = await business.app.tenant({ alias: 'other', name: 'Other' });
  const stranger = await connectAgent(business.app, other.apiKey);
  const invoiceId = await findPaid();
  const reason = 'Because';
  const refusals: [Agent, string, object, string, string][] = [
    [stranger, 'propose_refund', { invoiceId, reason }, 'invoice_not_found', 'invoiceId'],
    [
      stranger,
      'propose_credit_note',
      { invoiceId, kind: 'refund', reason },
      'invoice_not_found',
      'invoiceId',
    ],
    [
      stranger,
      'propose_cancellation',
      { subscriptionId: business.subscriptions.ada, reason },
      'subscription_not_found',
      'subscriptionId',
    ],
    [
      agent,
      'propose_refund',
      { invoiceId, amount: { decimal: '9999', currency: 'EUR' }, reason },
      'refund_too_large',
      'amount',
    ],
    [
      agent,
      'propose_refund',
      { invoiceId, amount: { decimal: '1.005', currency: 'EUR' }, reason },
      'amount_precision',
      'amount',
    ],
    [agent, 'propose_refund', { invoiceId }, 'validation_failed', 'reason'],
    [
      agent,
      'propose_change',
      { subscriptionId: business.subscriptions.ada, priceId: 'nothing', reason },
      'price_not_found',
      'priceId',
    ],
  ];
  for (const [who, name, args, wanted, path] of refusals) {
    const { error, text } = await who.call(name, args as Record<string, unknown>);
    expect(error?.reason, `${name}: ${text}`).toBe(wanted);
    expect(error!.issues?.[0]?.path, `${name}: ${text}`).toMatch(new RegExp(`^${path}`));
  }
  expect((await stranger.call('list_proposals')).value.requests).toEqual([]);
  await stranger.close();
});

it('needs the permission to ask, and no more: with it alone, a key asks and does not act', async () => {
  const invoiceId = await findPaid();
  const args = { invoiceId, reason: 'Please' };
  const reader = await connectAgent(business.app, (await business.app.key('acme', ['read'])).apiKey);
  const refused = await reader.call('propose_refund', args);
  expect(refused.error).toMatchObject({ reason: 'permission_missing' });
  const asking = await connectAgent(
    business.app,
    (await business.app.key('acme', ['read', 'propose'])).apiKey,
  );
  const before = await readBooks();
  expect((await asking.call('propose_refund', args)).value.request.status).toBe('pending');
  expect(await readBooks()).toEqual(before);
  await reader.close();
  await asking.close();
});

it('moves no money on a live tenant by any tool, whatever the key may do', async () => {
  const { client, close } = await connectAgent(business.app, business.owner.apiKey);
  const { tools } = await client.listTools();
  await close();
  const writers = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
  expect(writers).toEqual([
    // Makes products and prices only; on a live tenant `simulate` is refused.
    'create_catalog',
    'propose_refund',
    'propose_credit_note',
    'propose_cancellation',
    'propose_change',
    'simulate',
  ]);
});
