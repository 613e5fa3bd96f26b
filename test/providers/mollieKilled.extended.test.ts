/** The program is killed between a charge at Mollie and its record: the charge is found again and made once. */
import { beforeAll, expect, it } from 'vitest';
import { scratchDatabase } from '../support/engines.ts';
import { apiKey as mollieKey, startFakeMollie } from '../support/fakeMollie.ts';
import { build, call, serve } from '../support/program.ts';

beforeAll(build);

const plan = {
  name: 'Basic',
  description: '',
  prices: [{ details: { amount: 10, currency: 'eur' }, recurring: { frequency: 'Monthly', period: 1 } }],
};
const payer = { email: 'a@example.com', firstName: 'A', lastName: 'L', associatedId: 'a' };

it('a renewal that was interrupted is charged once', async () => {
  const scratch = await scratchDatabase();
  const mollie = await startFakeMollie();
  const settings = {
    PERENNIAL_DATABASE: scratch.url,
    PERENNIAL_PAYMENTS: 'mollie',
    PERENNIAL_MOLLIE_URL: mollie.url,
    PERENNIAL_MOLLIE_API_KEY: mollieKey,
    PERENNIAL_PUBLIC_URL: 'https://billing.example',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  const { apiKey } = await call(
    ['tenant', 'create', 'acme', '--test', '--clock', '2026-01-31T00:00:00Z'],
    settings,
  );
  let running = await serve(settings);
  const graphql = async (query: string, variables: object): Promise<any> => {
    const answer = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-key': apiKey },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await answer.json()) as any;
    if (errors) throw new Error(JSON.stringify(errors));
    return Object.values(data)[0];
  };
  const advance = () => graphql('mutation { advanceClock(input: { to: "2026-02-28" }) { clock } }', {});
  try {
    const product = await graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
      { input: plan },
    );
    const customer = await graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: payer },
    );
    const order = { customerId: customer.id, productId: product.id, priceId: product.prices[0].id };
    const intent = await graphql(
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      { input: { ...order, receiptUrl: 'https://example.com/' } },
    );
    await graphql(
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "mollie" }) { status } }',
      {
        id: intent.id,
      },
    );
    mollie.finish(mollie.find(`${intent.id}_1`).id);
    await fetch(`${running.url}/callbacks/mollie`, {
      method: 'POST',
      body: new URLSearchParams({ id: mollie.find(`${intent.id}_1`).id }),
    });

    // The charge is made, and its answer waits until the program is gone.
    const release = mollie.hold('POST /v2/payments');
    const cutOff = advance().catch(() => 'cut off');
    await expect.poll(() => mollie.payments.size).toBe(2);
    running.process.kill('SIGKILL');
    await running.ended;
    release();
    expect(await cutOff).toBe('cut off');
    mollie.forgetKeys();

    running = await serve(settings);
    await advance();
    const invoices = await graphql('{ invoices(order: ASC) { nodes { status total { amount } } } }', {});
    expect(invoices.nodes).toEqual([
      { status: 'paid', total: { amount: 10 } },
      { status: 'paid', total: { amount: 10 } },
    ]);
    expect(mollie.payments.size).toBe(2);
  } finally {
    running.process.kill('SIGKILL');
    await running.ended;
    mollie.close();
    await scratch.drop();
  }
}, 60_000);
