import type { TestApp } from './app.ts';
import { openBooks, type Books } from './books.ts';

/** The smallest PNG image. */
export const dotPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Gives the tenant a logo, and a customer the details for tax; without an address of the seller no tax is charged. */
async function describeParties({ client }: Books, id: string): Promise<void> {
  const { createTaxRate } = await client.graphql(
    'mutation { createTaxRate(input: { country: "DE", percent: "7", taxCode: "books" }) { id } }',
  );
  await client.graphql(
    `mutation ($id: ID!, $rate: ID!, $logo: String!) {
      updateTenant(input: { seller: { legalName: "Acme", logo: $logo } }) { alias }
      createCustomerNote(input: { customerId: $id, text: "Pays late, “call” first" }) { id }
      updateNumberSeries(input: { kind: invoice, prefix: "RE" }) { example }
      updateCustomer(
        id: $id,
        input: {
          companyName: "Mary & Co", address: { country: "FR", city: "Paris" }, taxRateId: $rate
          taxIds: [{ type: eu_vat, value: "FR03784359069" }], locale: "fr"
        }
      ) { id }
    }`,
    { id, rate: createTaxRate.id, logo: dotPng },
  );
}

/** A test tenant that has lived for half a year: renewals, changes of plan, a balance, a failed charge, a pause, tiers. */
export async function busyTenant(app: TestApp): Promise<Books> {
  const books = await openBooks(app, '2026-01-31T10:00:00Z');
  const { shop } = books;
  const { id: groupId } = await shop.group({ prorateUpgrades: true });
  const [basic, pro] = [await books.plan(9, { groupId }), await books.plan(29, { groupId })];
  const yearly = await books.plan(100, { groupId, recurring: { frequency: 'Yearly', period: 1 } });
  const [ada, grace, mary] = [
    await shop.customer({ metadata: { plan: 'pro', ü: '“”' } }),
    await shop.customer(),
    await shop.customer(),
  ];
  const adas = await books.subscribe(ada, basic);
  const details = { amount: 0, currency: 'afn' };
  const tiers = [{ upTo: '5', unitAmount: '7' }, { unitAmount: '5' }];
  const seats = await books.plan(0, { price: { details, model: 'graduated', tiers, nickname: 'Seats' } });
  // 5 × 7 + 3 × 5 = 50.
  await books.subscribe(grace, seats, 'sandbox_ok_then_declined', { quantity: 8 });
  await books.subscribe(mary, yearly);
  await books.advance('2026-02-10T00:00:00Z');
  await books.subscribe(ada, pro);
  await books.subscribe(mary, pro);
  await books.advance('2026-04-15T00:00:00Z');
  await books.run('pauseSubscription(id: $id)', adas);
  await books.advance('2026-05-20T00:00:00Z');
  await books.run('resumeSubscription(id: $id)', adas);
  await books.advance('2026-07-01T00:00:00Z');
  await describeParties(books, mary.id);
  return books;
}
