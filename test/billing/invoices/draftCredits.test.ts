/** Credits that exceed the charges of a bill: its total is 0, and what is left is the customer's balance. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, createCoupon } from '../discounts/shop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openItems, type Items } from '../../support/items.ts';
import { invoiceText } from '../../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const seat = { amount: '10', model: 'per_unit' };
const fields = 'id status total { amount } lines { kind amount { amount } }';

const run = ({ client }: Items, document: string, variables: object) =>
  client.graphql(document, variables as never);
const setGrace = (items: Items, invoiceGraceHours: number) =>
  run(items, 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { invoiceGraceHours },
  });
const voidInvoice = (items: Items, id: string) =>
  run(items, 'mutation ($id: ID!) { voidInvoice(id: $id) { id } }', { id });
const listInvoices = async ({ client, id }: Items): Promise<any[]> =>
  (
    await client.graphql(
      `query ($id: ID) { invoices(subscriptionId: $id, order: ASC, first: 100) { nodes { ${fields} } } }`,
      { id },
    )
  ).invoices.nodes;
const expectSound = async ({ books }: Items) => expect(await findFaults(app, books.alias)).toEqual([]);

/** A tenant with a grace, whose customer gives up 20 of 21 seats at half of June: a credit of 100 waits. */
async function giveUpSeats(method?: string): Promise<Items> {
  const items = await openItems(app, seat, {
    quantity: 21,
    policy: { decrease: 'next_invoice' },
    ...(method && { method }),
  });
  await setGrace(items, 24);
  await items.advance('2026-06-16');
  expect(await items.change({ quantity: 1 })).toEqual([]);
  return items;
}

const credit = 'proration_credit -105, proration_charge 5';

it('the draft of a renewal asks for nothing, and its rest is the balance once it is final', async () => {
  const items = await giveUpSeats();
  await items.advance('2026-07-01');
  const draft = (await listInvoices(items)).at(-1);
  expect(invoiceText(draft)).toBe(`draft 0: cycle 10, ${credit}, balance 90`);
  expect(await items.books.credits(items.customer)).toEqual([]);
  await expectSound(items);
  await items.advance('2026-07-03');
  const final = (await listInvoices(items)).at(-1);
  expect(invoiceText(final)).toBe(`paid 0: cycle 10, ${credit}, balance 90`);
  expect(await items.books.credits(items.customer)).toEqual([9000n]);
  await expectSound(items);
});

it('a one-off draft asks for nothing, as previewed, and a coupon takes its share of the charges alone', async () => {
  const items = await giveUpSeats();
  const { id: couponId } = await createCoupon(items.books, { percentOff: '20', duration: 'forever' });
  await apply(items.books, { customerId: items.customer.id, couponId });
  // The credit waits for the next invoice of the customer, because its final invoice is voided.
  await items.books.run('cancelSubscription(id: $id)', items.id);
  const final = (await listInvoices(items)).at(-1);
  expect(invoiceText(final)).toBe(`draft 0: ${credit}, balance 100`);
  await voidInvoice(items, final.id);
  const variables = {
    id: items.customer.id,
    items: [{ amount: { amount: 50, currency: 'usd' }, description: 'Work' }],
  };
  const { previewInvoice: preview } = await run(
    items,
    `query ($id: ID!, $items: [OneOffChargeInput!]!) { previewInvoice(customerId: $id, items: $items) {
      discount { amount } total { amount } lines { kind amount { amount } }
    } }`,
    variables,
  );
  expect(invoiceText({ status: 'preview', ...preview })).toBe(`preview 0: item 40, ${credit}, balance 60`);
  expect(preview.discount.amount).toBe(10);
  const { createInvoice: draft } = await run(
    items,
    `mutation ($id: ID!, $items: [OneOffChargeInput!]!) {
      createInvoice(input: { customerId: $id, items: $items, draft: true }) { ${fields} }
    }`,
    variables,
  );
  expect(invoiceText(draft)).toBe(`draft 0: item 40, ${credit}, balance 60`);
  expect(await items.books.credits(items.customer)).toEqual([]);
  await expectSound(items);
  const { finalizeInvoice: paid } = await run(
    items,
    `mutation ($id: ID!) { finalizeInvoice(id: $id) { ${fields} } }`,
    { id: draft.id },
  );
  expect(invoiceText(paid)).toBe(`paid 0: item 40, ${credit}, balance 60`);
  expect(await items.books.credits(items.customer)).toEqual([6000n]);
  await expectSound(items);
});

it('doctor knows who agreed to the credit of another subscription on an invoice that was given up', async () => {
  const items = await giveUpSeats('sandbox_ok_then_declined');
  await setGrace(items, 0);
  const price = await items.books.plan(200, { currency: 'usd' });
  const other = await items.books.subscribe(items.customer, price, 'sandbox_ok_then_declined');
  await setGrace(items, 24);
  await items.books.run('cancelSubscription(id: $id)', items.id);
  await voidInvoice(items, (await listInvoices(items)).at(-1).id);
  await setGrace(items, 0);
  // The renewal of the other subscription bills the credit, is declined, and is voided with its end.
  await items.advance('2026-07-16');
  const [, renewal] = await items.books.invoices(other);
  expect(invoiceText(renewal)).toBe(`open 100: cycle 200, ${credit}`);
  await expectSound(items);
  await items.books.run('cancelSubscription(id: $id)', other);
  expect((await items.books.bills(other)).at(-1)).toBe('2026-07-16 void 100');
  await expectSound(items);
});
