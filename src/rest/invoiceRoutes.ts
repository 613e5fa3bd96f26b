import { page, paged, restSpellings, type Route } from './route.ts';

const invoiceFields =
  'id number documentNumber status billingReason collection customerId subscriptionId ' +
  'subtotal { amount currency } discount { amount currency } tax { amount currency } total { amount currency } ' +
  'taxes { category percent reason taxable { amount currency } tax { amount currency } } ' +
  'amountDue { amount currency } credited { amount currency } refunded { amount currency } issuedAt dueAt paidAt createdAt updatedAt';

const deliveryFields = 'documentId status format at attempts lastError reference nextAttemptAt createdAt';

const respellKind = (line: { kind: string }) => ({
  ...line,
  kind: restSpellings['InvoiceLineKind']!(line.kind),
});

/** Invoices and their documents; the original interface has none. */
export const invoiceRoutes: Route[] = [
  {
    method: 'GET',
    path: '/invoices',
    summary: 'Lists invoices, newest first by default.',
    isTenantOptional: true,
    extension: true,
    document: `query listInvoices(
      $customerId: ID, $subscriptionId: ID, $status: InvoiceStatus, ${page}
    ) {
      invoices(
        customerId: $customerId, subscriptionId: $subscriptionId, status: $status, ${paged}
      ) { data: nodes { ${invoiceFields} } nextCursor }
    }`,
  },
  {
    method: 'GET',
    path: '/invoices/{invoiceId}',
    summary: 'Retrieves an invoice with its lines.',
    extension: true,
    document: `query getInvoice($invoiceId: ID!) {
      invoice(id: $invoiceId) {
        ${invoiceFields} lines { kind description amount { amount currency } periodStart periodEnd }
        eInvoiceDelivery { ${deliveryFields} }
        taxInHomeCurrency { currency amount { amount currency } taxDay rates { currency rate } rateDate source }
      }
    }`,
    respell: ({ lines, ...invoice }) => ({ ...invoice, lines: lines.map(respellKind) }),
  },
  {
    method: 'GET',
    path: '/invoices/{invoiceId}/document',
    summary: 'Downloads the document of an invoice.',
    extension: true,
    isFile: true,
    document: `query getInvoiceDocument($invoiceId: ID!, $format: DocumentFormat!) {
      invoice(id: $invoiceId) {
        document(format: $format) { contentType fileName base64 }
      }
    }`,
    shape: ({ document }) => document,
  },
  {
    method: 'POST',
    path: '/e-invoices',
    summary: 'Sends the e-invoice of an invoice or a credit note to the access point, also again.',
    extension: true,
    document: `mutation sendEInvoice($documentId: ID!) {
      sendEInvoice(id: $documentId) { ${deliveryFields} }
    }`,
  },
  {
    method: 'POST',
    path: '/e-invoices/{documentId}/report',
    summary: 'Records what the access point or the receiver has decided about an e-invoice.',
    isTenantOptional: true,
    extension: true,
    document: `mutation reportEInvoice(
      $documentId: ID!, $status: EInvoiceDecision!, $reference: String, $message: String
    ) {
      reportEInvoice(
        id: $documentId, input: { status: $status, reference: $reference, message: $message }
      ) { ${deliveryFields} }
    }`,
  },
];
