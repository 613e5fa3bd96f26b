/** What a credit note to a balance does to net revenue: its net amount reduces what the next invoice brings, its tax nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/oneOff.ts';
import { openTaxed, parties } from '../../support/taxes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('is net of the tax of a credit note to a balance, and sums up to what is taxable', async () => {
  const shop = await openTaxed(app, '2026-01-01', 'DE');
  const customer = await shop.shop.customer();
  await shop.move(customer, parties['german']!);
  const sell = async () => {
    const items = [{ amount: { amount: 100, currency: 'afn' }, description: 'Work' }];
    const invoice = await ask(shop, 'createInvoice', {
      customerId: customer.id,
      items,
      collect: 'send_invoice',
    });
    await ask(shop, 'recordPayment', { id: invoice.id });
    return invoice;
  };
  const first = await sell();
  await shop.client.graphql(
    'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
    {
      input: {
        invoiceId: first.id,
        amount: { amount: 11.9, currency: 'afn' },
        kind: 'credit',
        reason: 'x',
      },
    },
  );
  await shop.advance('2026-02-01');
  expect((await sell()).total.amount).toBe(107.1);
  const { revenue, taxReport } = await shop.client.graphql(`{
    revenue(currency: "afn", from: "2026-01-01", until: "2026-03-01") {
      points { netRevenue { decimal } credited { decimal } } total { netRevenue { decimal } }
    }
    taxReport(input: { from: "2026-01-01", until: "2026-03-01" }) { totals { taxable { decimal } tax { decimal } } }
  }`);
  const figures = revenue.points.map(({ netRevenue, credited }: any) => [
    netRevenue.decimal,
    credited.decimal,
  ]);
  // 119 are paid, of which 19 are tax; then 107.10, of which 17.10 are.
  expect(figures).toEqual([
    ['100.00', '10.00'],
    ['90.00', '0.00'],
  ]);
  expect(revenue.total.netRevenue).toEqual({ decimal: '190.00' });
  expect(taxReport.totals).toEqual([{ taxable: { decimal: '190.00' }, tax: { decimal: '36.10' } }]);
});
