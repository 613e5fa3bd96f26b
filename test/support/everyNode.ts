/** An object of every type that `node` finds. */
import { isInterfaceType } from 'graphql';
import { schema } from '../../src/app/schema.ts';
import type { Client } from './app.ts';
import { createAuthenticator } from './authenticator.ts';
import type { TestOperator } from './operators.ts';
import { createShop } from './shop.ts';

/** The types that are nodes. */
export const nodeTypes = () => {
  const node = schema.getType('Node');
  return isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
};

/** Makes an object of each type that a key finds, and returns their ids. */
export async function sampleIds(of: Client, alias: string): Promise<Record<string, string>> {
  const shop = createShop(of, alias);
  const [customer, group] = [await shop.customer(), await shop.group()];
  const { product, price } = await shop.product({ groupId: group.id });
  const { intentId } = await shop.intent(customer, price);
  const { subscriptionId } = await shop.confirm(intentId);
  const { invoices, subscriptions, traces } = await of.graphql(
    `{
      invoices { nodes { id payments { id } lines { id } } }
      subscriptions { nodes { items { id } } }
      traces(first: 1) { nodes { id } }
    }`,
  );
  const { createWebhookEndpoint } = await of.graphql(
    'mutation { createWebhookEndpoint(input: { url: "https://shop.example" }) { endpoint { id } } }',
  );
  const endpoint = createWebhookEndpoint.endpoint.id;
  const { testWebhookEndpoint: delivery } = await of.graphql(
    'mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id } }',
    { id: endpoint },
  );
  const credit = await of.graphql(
    `mutation ($id: ID!) { grantCredit(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, reason: "Sorry" }) { id } }`,
    { id: customer.id },
  );
  const { createCreditGrant: grant } = await of.graphql(
    `mutation ($id: ID!) {
      createCreditGrant(input: { customerId: $id, name: "Welcome", amount: { amount: 1, currency: "afn" }, category: promotional }) { id }
    }`,
    { id: customer.id },
  );
  await of.graphql('mutation ($id: ID!) { voidCreditGrant(id: $id) { id } }', { id: grant.id });
  const { creditGrant: voided } = await of.graphql(
    'query ($id: ID!) { creditGrant(id: $id) { uses { nodes { id } } } }',
    { id: grant.id },
  );
  const item = await of.graphql(
    `mutation ($id: ID!) {
      createInvoiceItem(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, description: "Work" }) { id }
    }`,
    { id: customer.id },
  );
  const { createCoupon: coupon } = await of.graphql(
    'mutation { createCoupon(input: { name: "Sale", percentOff: "10", duration: once }) { id } }',
  );
  const { createPromotionCode, applyDiscount } = await of.graphql(
    `mutation ($id: ID!, $customerId: ID!) {
      createPromotionCode(input: { couponId: $id, code: "SALE" }) { id }
      applyDiscount(input: { customerId: $customerId, couponId: $id }) { id }
    }`,
    { id: coupon.id, customerId: customer.id },
  );
  const { createTaxRate: rate } = await of.graphql(
    'mutation { createTaxRate(input: { country: "DE", percent: "7" }) { id } }',
  );
  const { createCreditNote: note } = await of.graphql(
    'mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit }) { id } }',
    { id: invoices.nodes[0].id },
  );
  const mails = await of.graphql(`mutation {
    sendTestMail(input: { to: "dev@example.com" }) { id }
    updateMailTemplate(input: { kind: receipt, language: en, subject: "Thanks" }) { id }
  }`);
  const { customer: payer } = await of.graphql(
    'query ($id: ID!) { customer(id: $id) { defaultPaymentMethod { id } } }',
    { id: customer.id },
  );
  const { createPortalSession: visit } = await of.graphql(
    'mutation ($id: ID!) { createPortalSession(input: { customerId: $id }) { session { id } } }',
    { id: customer.id },
  );
  const { createCustomerSession: begun } = await of.graphql(
    'mutation ($id: ID!) { createCustomerSession(input: { customerId: $id }) { session { id } } }',
    { id: customer.id },
  );
  const { proposeAction: asked } = await of.graphql(
    `mutation ($id: ID!) {
      proposeAction(
        input: {
          operation: "grantCredit"
          input: { customerId: $id, amount: { amount: 1, currency: "afn" }, reason: "Sorry" }
        }
      ) { id }
    }`,
    { id: customer.id },
  );
  const { createCustomerNote: written } = await of.graphql(
    'mutation ($id: ID!) { createCustomerNote(input: { customerId: $id, text: "Kind" }) { id } }',
    { id: customer.id },
  );
  const { createMeter: meter } = await of.graphql(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }',
  );
  const entitled = await of.graphql(
    `mutation ($meter: ID!, $product: ID!, $customer: ID!) {
      createFeature(input: { key: "calls", name: "Calls", kind: limit, meterId: $meter }) { id }
      createCreditType(input: { name: "Credits", rates: [{ meterId: $meter, credits: "1" }] }) { id }
      setAutoTopUp(
        input: {
          customerId: $customer
          name: "Package"
          threshold: { amount: 1, currency: "afn" }
          amount: { amount: 5, currency: "afn" }
          monthlyLimit: 1
        }
      ) { id }
      attachFeature(input: { productId: $product, feature: "calls", value: 100 }) { id }
      overrideEntitlement(input: { customerId: $customer, feature: "calls", value: 200 }) { id }
      reserveEntitlement(input: { customerId: $customer, feature: "calls", amount: 1 }) { id }
    }`,
    { meter: meter.id, product: product.id, customer: customer.id },
  );
  const { createMeter: spareMeter } = await of.graphql(
    'mutation { createMeter(input: { name: "Other calls", event: "other", aggregation: count }) { id } }',
  );
  await of.graphql(
    `mutation ($id: ID!) { recordUsage(input: { events: [{ id: "1", event: "call", customerId: $id }] }) { accepted } }`,
    { id: customer.id },
  );
  const { createMeter: billing } = await of.graphql(
    'mutation { createMeter(input: { name: "Billed calls", event: "call", aggregation: count }) { id } }',
  );
  const { createProduct: metered } = await of.graphql(
    `mutation ($id: ID!) {
      createProduct(input: { name: "Calls", description: "", prices: [{ details: { amount: 1, currency: "afn" }, meterId: $id }] }) {
        prices { id }
      }
    }`,
    { id: billing.id },
  );
  const { overrideUsagePrice: override } = await of.graphql(
    'mutation ($id: ID!, $price: ID!) { overrideUsagePrice(input: { customerId: $id, priceId: $price, includedUnits: 5 }) { id } }',
    { id: customer.id, price: metered.prices[0].id },
  );
  const { usageEvents } = await of.graphql('{ usageEvents { nodes { id } } }');
  const { mrrMovements } = await of.graphql('{ mrrMovements(first: 1) { nodes { id } } }');
  return {
    MrrMovement: mrrMovements.nodes[0].id,
    Customer: customer.id,
    PaymentMethod: payer.defaultPaymentMethod.id,
    PortalSession: visit.session.id,
    CustomerSession: begun.session.id,
    CreditNote: note.id,
    Payment: invoices.nodes[0].payments[0].id,
    InvoiceLine: invoices.nodes[0].lines[0].id,
    SubscriptionItem: subscriptions.nodes[0].items[0].id,
    TaxRate: rate.id,
    Meter: spareMeter.id,
    Feature: entitled.createFeature.id,
    ProductEntitlement: entitled.attachFeature.id,
    EntitlementOverride: entitled.overrideEntitlement.id,
    Reservation: entitled.reserveEntitlement.id,
    ActionRequest: asked.id,
    CustomerNote: written.id,
    UsagePriceOverride: override.id,
    UsageEvent: usageEvents.nodes[0].id,
    Coupon: coupon.id,
    PromotionCode: createPromotionCode.id,
    Discount: applyDiscount.id,
    Credit: credit.grantCredit.id,
    CreditGrant: grant.id,
    CreditType: entitled.createCreditType.id,
    AutoTopUp: entitled.setAutoTopUp.id,
    CreditGrantUse: voided.uses.nodes[0].id,
    InvoiceItem: item.createInvoiceItem.id,
    Group: group.id,
    Product: product.id,
    Price: price.id,
    SubscriptionIntent: intentId,
    SubscriptionContract: subscriptionId,
    Invoice: invoices.nodes[0].id,
    Trace: traces.nodes[0].id,
    WebhookEndpoint: endpoint,
    WebhookDelivery: delivery.id,
    MailDelivery: mails.sendTestMail.id,
    MailTemplate: mails.updateMailTemplate.id,
  };
}

/** The ids of what only operators find: the keys of the tenant, and what is their own. */
export async function sampleOperatorIds(operator: TestOperator): Promise<Record<string, string>> {
  const run = async (document: string, variables?: object) =>
    (await operator.post(document, variables)).body.data;
  const { createApiKey } = await run('mutation { createApiKey(input: { scope: read }) { key { id } } }');
  const { startPasskeyRegistration } = await run(
    'mutation { startPasskeyRegistration { challengeId options } }',
  );
  const { challengeId, options } = startPasskeyRegistration;
  const response = createAuthenticator('http://localhost:4000').create(options);
  const { finishPasskeyRegistration } = await run(
    `mutation ($input: FinishPasskeyRegistrationInput!) {
      finishPasskeyRegistration(input: $input) { id sessions { id } passkeys { id } }
    }`,
    { input: { challengeId, response } },
  );
  const { id, sessions, passkeys } = finishPasskeyRegistration;
  return {
    ApiKey: createApiKey.key.id,
    Operator: id,
    OperatorSession: sessions[0].id,
    OperatorPasskey: passkeys[0].id,
  };
}
