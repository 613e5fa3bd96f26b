/** What several walks begin with. */
import { documents } from '../support/oneOff.ts';
import type { Stage } from './stage.ts';
import type { Walk } from './walk.ts';

/** Lets an owner of a tenant in by a link; returns its address. */
export const useLink = async ({ stage, page, press }: Walk, email: string, alias?: string) => {
  const url = await stage.invite(email, 'owner', alias);
  await page.goto(url);
  await press('Open the console with this link');
  await press('Not now');
  return url;
};

let sold = 0;

/** Sells a plan of its own for 50 EUR a month to a customer of its own. */
export async function sell({ shop, client }: Stage, { trialDays = 0 } = {}) {
  const name = `Buyer ${(sold += 1)}`;
  const customer = await shop.customer({
    firstName: 'Ada',
    lastName: name,
    email: `buyer-${sold}@example.com`,
  });
  const terms = {
    amount: 50,
    currency: 'eur',
    name: `Studio ${sold}`,
    ...(trialDays && { price: { trialDays } }),
  };
  const { price } = await shop.product(terms);
  const { subscriptionId } = await shop.confirm((await shop.intent(customer, price)).intentId);
  const { invoices } = await client.graphql(
    'query ($id: ID!) { invoices(subscriptionId: $id) { nodes { id } } }',
    {
      id: subscriptionId,
    },
  );
  return { customer, price, subscriptionId, invoiceId: invoices.nodes[0]?.id as string };
}

/** Charges a customer once; with `manual` they pay by bank transfer. */
export async function chargeOnce({ shop, client }: Stage, collect: 'automatic' | 'send_invoice') {
  const customer = await shop.customer({ email: `once-${(sold += 1)}@example.com` });
  const items = [{ amount: { amount: 80, currency: 'eur' }, description: 'Set-up' }];
  const { createInvoice } = await client.graphql(documents.createInvoice, {
    customerId: customer.id,
    items,
    collect,
  });
  return { customer, invoiceId: createInvoice.id as string };
}

/** Returns the status of an invoice or a subscription. */
export const readStatus = async ({ client }: Stage, kind: 'invoice' | 'subscription', id: string) =>
  (await client.graphql(`query ($id: ID!) { ${kind}(id: $id) { status } }`, { id }))[kind].status;
