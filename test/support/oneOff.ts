import type { Books } from './books.ts';

const invoiceFields = `id number status billingReason subscriptionId customerId dueAt startsOnPayment
  total { amount currency } refundable { amount } lines { kind description quantity unitAmount amount { amount } }`;

/** An amount of afn, as an input takes it. */
export const afn = (amount: number) => ({ amount, currency: 'afn' });

/** The documents of one-off charges and credits. */
export const documents = {
  createInvoiceItem: `mutation ($customerId: ID!, $amount: MoneyInput!, $description: String!, $quantity: Int, $subscriptionId: ID) {
    createInvoiceItem(input: { customerId: $customerId, amount: $amount, description: $description, quantity: $quantity, subscriptionId: $subscriptionId }) { id kind description quantity subscriptionId invoiceId amount { amount currency } }
  }`,
  deleteInvoiceItem: 'mutation ($id: ID!) { deleteInvoiceItem(id: $id) { id } }',
  createInvoice: `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $collect: InvoiceCollectionMethod) {
    createInvoice(input: { customerId: $customerId, items: $items, collect: $collect }) { ${invoiceFields} }
  }`,
  payInvoice: `mutation ($id: ID!) { payInvoice(id: $id) { ${invoiceFields} } }`,
  voidInvoice: `mutation ($id: ID!) { voidInvoice(id: $id) { ${invoiceFields} } }`,
  markInvoiceUncollectible: `mutation ($id: ID!) { markInvoiceUncollectible(id: $id) { ${invoiceFields} } }`,
  recordPayment: `mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "statement 7" }) { ${invoiceFields} } }`,
  refundInvoice: `mutation ($id: ID!, $amount: MoneyInput) {
    refundInvoice(id: $id, input: { amount: $amount }) { status refundable { amount } refunded { amount } }
  }`,
  grantCredit: `mutation ($customerId: ID!, $amount: MoneyInput!, $reason: String!, $expiresAt: DateTime) {
    grantCredit(input: { customerId: $customerId, amount: $amount, reason: $reason, expiresAt: $expiresAt }) {
      id reason expiresAt createdAt amount { amount currency } remaining { amount }
    }
  }`,
  customer: `query ($id: ID!) { customer(id: $id) {
    balance { amount currency } credits { reason expiresAt amount { amount } remaining { amount } }
    invoiceItems { id description amount { amount } }
  } }`,
};

/** Sends one of the documents; answers its root field. */
export async function ask(books: Books, name: keyof typeof documents, variables: object): Promise<any> {
  return Object.values<any>(await books.client.graphql(documents[name], variables as never))[0];
}

/** An invoice as text: `paid 30: item 20, item 15, balance -5`. */
export const invoiceText = ({ status, total, lines }: any): string =>
  `${status} ${total.amount}: ${lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`).join(', ')}`;
