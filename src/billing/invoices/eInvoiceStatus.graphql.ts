import { registerEnumType } from 'type-graphql';
import { eInvoiceStatuses } from '../../storage/model/eInvoices.ts';

/** The statuses as a GraphQL enum. */
export const EInvoiceStatusType = Object.fromEntries(eInvoiceStatuses.map((status) => [status, status]));
registerEnumType(EInvoiceStatusType, {
  name: 'EInvoiceStatus',
  description: 'How far an e-invoice has come at the access point of the tenant.',
  valuesConfig: {
    queued: { description: 'Waiting for its next attempt.' },
    sent: { description: 'The access point has taken it.' },
    accepted: { description: 'The access point or the receiver has accepted it.' },
    rejected: {
      description: 'The access point or the receiver has rejected it. It is not sent again by itself.',
    },
    failed: {
      description: 'It could not be sent for three days, or not be made. It is not sent again by itself.',
    },
  },
});
