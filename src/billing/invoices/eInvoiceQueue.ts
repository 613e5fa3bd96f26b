/** Queuing e-invoices for the tenant's access point. */
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Delivery = Row<'eInvoiceDeliveries'>;

/** Returns the status of the e-invoice of a document that is numbered now; null if none is sent. */
export const planEInvoice = (
  { eInvoiceFormats: formats }: Pick<Row<'tenants'>, 'eInvoiceFormats'>,
  customer: Pick<Row<'customers'>, 'documentFormat'> | undefined,
): 'queued' | null => {
  const format = customer?.documentFormat ?? null;
  return format !== null && formats?.includes(format) ? 'queued' : null;
};

/** Queues the e-invoice of a document that is planned to have one. */
export async function queuePlanned(
  unit: UnitOfWork,
  kind: Delivery['kind'],
  { id, customerId, eInvoiceStatus }: Pick<Row<'invoices'>, 'id' | 'customerId' | 'eInvoiceStatus'>,
  customer: Pick<Row<'customers'>, 'documentFormat'> | undefined,
): Promise<void> {
  const format = customer?.documentFormat;
  if (eInvoiceStatus === 'queued' && format) await queueEInvoice(unit, { id, kind, customerId, format });
}

/** Queues the e-invoice of a document, to be sent at once. */
export function queueEInvoice(
  unit: UnitOfWork,
  document: Pick<Delivery, 'id' | 'kind' | 'customerId' | 'format'>,
): MaybePromise<Delivery> {
  unit.queuedEInvoices += 1;
  return unit.insertUntraced('eInvoiceDeliveries', {
    ...document,
    status: 'queued',
    attempt: 0,
    tries: [],
    edition: 1,
    dueAt: unit.now,
    createdAt: unit.now,
    statusAt: unit.now,
  });
}
