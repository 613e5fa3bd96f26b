/** Replaces a customer's personal data in records of other tables, within the unit of work of the erasure. */
import type { Row } from '../storage/model/rowTypes.ts';
import { recordEInvoiceStatus } from '../billing/invoices/eInvoices.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import {
  buildErasedCode,
  buildErasedMail,
  buildErasedNote,
  buildErasedPayment,
  buildErasedRequest,
  erasedDescription,
  eraseMetadata,
  eraseText,
} from '../billing/customers/erasedData.ts';

/** Erases the record of a trace, if it is a promotion code for the customer or a payment. */
export async function eraseTraced(
  unit: UnitOfWork,
  { activityType, payload }: Row<'traces'>,
  customerId: string,
): Promise<void> {
  const id = String(payload['resourceId']);
  const object = payload['object'] as Record<string, unknown>;
  // The customer may have executed a change of another customer's record.
  if (object['customerId'] !== customerId) return;
  if (activityType === 'PromotionCodeEvent') {
    const code = await unit.one('promotionCodes', { id });
    if (!code) return;
    const erased = buildErasedCode(id);
    await unit.rewrite('promotionCodes', code, {
      ...erased,
      activeCode: code.activeCode === null ? null : erased.code,
    });
    await unit.removeUntraced('searchEntries', { id });
  }
  if (activityType === 'PaymentEvent') {
    const payment = await unit.one('payments', { id });
    if (payment) await unit.rewrite('payments', payment, buildErasedPayment(payment));
  }
}

/**
 * Erases the metadata of invoices, and the texts of notes, one-off charges, credits and credit notes, which an operator
 * wrote.
 */
export async function eraseTexts(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const note of await unit.many('customerNotes', { where: { customerId } })) {
    await unit.rewrite('customerNotes', note, { text: eraseText(note.text) });
  }
  for (const item of await unit.many('invoiceItems', { where: { customerId } })) {
    await unit.rewrite('invoiceItems', item, erasedDescription);
  }
  const invoices = await unit.many('invoices', { where: { customerId } });
  for (const invoice of invoices) {
    const { id: invoiceId, billingReason, metadata, topUp } = invoice;
    if (topUp !== null)
      await unit.rewrite('invoices', invoice, { topUp: { ...topUp, name: eraseText(topUp.name) } });
    if (metadata !== null) await unit.rewrite('invoices', invoice, { metadata: eraseMetadata(metadata) });
    // Without items only one-off invoices have such lines.
    if (billingReason !== 'one_off' && unit.tenant.invoiceItemsSince === null) continue;
    await unit.updateUntraced('invoiceLines', { invoiceId, kind: 'ITEM' }, erasedDescription);
  }
  const credits = { customerId, kind: ['credit', 'grant'] as const };
  for (const { id, reason } of await unit.many('balanceEntries', { where: credits })) {
    if (reason !== null) await unit.updateUntraced('balanceEntries', { id }, { reason: eraseText(reason) });
  }
  for (const rule of await unit.many('autoTopUps', { where: { customerId } }))
    await unit.remove('autoTopUps', await unit.rewrite('autoTopUps', rule, { name: eraseText(rule.name) }));
  for (const note of await unit.many('creditNotes', { where: { customerId } })) {
    await unit.rewrite('creditNotes', note, buildErasedNote(note));
  }
}

/** Erases the arguments and reasons of requests for actions that concern a customer; those that wait have failed. */
export async function eraseRequests(unit: UnitOfWork, customerId: string): Promise<void> {
  const failure = {
    reason: 'customer_not_found',
    message: 'The customer was erased, and what was asked for with it.',
  };
  for (const request of await unit.many('actionRequests', { where: { customerId } })) {
    const erased = buildErasedRequest(request);
    const failed = { ...erased, status: 'failed' as const, failure, completedAt: unit.now };
    if (request.status === 'pending') await unit.rewrite('actionRequests', request, failed, 'failed');
    else await unit.rewrite('actionRequests', request, erased);
  }
}

/** Erases the recipients and subjects of a customer's mails, and cancels those that are not sent yet. */
export async function eraseMails(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const mail of await unit.many('mailDeliveries', { where: { customerId } }))
    await unit.updateUntraced('mailDeliveries', { id: mail.id }, buildErasedMail(mail, unit.now));
}

/**
 * Deletes the body of a delivery. A pending delivery composes it again from the erased data. Increments the attempt
 * number, so that the outcome of an attempt in progress is ignored.
 */
export async function eraseDelivery(unit: UnitOfWork, id: string): Promise<void> {
  const delivery = await unit.one('webhookDeliveries', { id });
  if (!delivery) return;
  const isPending = delivery.status === 'pending';
  const attempted = { at: unit.now, statusCode: null, durationMs: 0, error: 'customer_erased' };
  await unit.updateUntraced(
    'webhookDeliveries',
    { id },
    {
      body: null,
      ...(isPending && {
        attempt: delivery.attempt + 1,
        tries: [...delivery.tries, attempted],
        claimedUntil: null,
      }),
    },
  );
}

/** Erases what access points said about a customer's e-invoices, and does not send those that wait. */
export async function eraseEInvoices(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const delivery of await unit.many('eInvoiceDeliveries', { where: { customerId } })) {
    const { id, tries, lastError } = delivery;
    const erased = {
      tries: tries.map((each) => ({ ...each, error: eraseText(each.error) })),
      lastError: eraseText(lastError),
      body: null,
    };
    await unit.updateUntraced('eInvoiceDeliveries', { id }, erased);
    if (delivery.status === 'queued')
      await recordEInvoiceStatus(
        unit,
        { ...delivery, ...erased },
        { status: 'failed', message: 'customer_erased' },
      );
  }
}
