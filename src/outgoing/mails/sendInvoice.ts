import { hasDocument } from '../../billing/invoices/documentFiles.ts';
import { findInvoice, type InvoiceRow } from '../../billing/invoices/invoices.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { dayMs } from '../../lib/durations.ts';
import { findLanguage } from '../../lib/language.ts';
import { addMs } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { getMailKind, type MailText } from './events.ts';
import type { MailRow } from './outbox.ts';

/**
 * Queues the mail with an invoice, also again and whatever kinds of mail are switched off: that of a paid one is its receipt.
 * Returns the delivery, which says why it was not sent, such as without a mail server. Errors: `invoice_not_found`,
 * `invoice_not_finalized`, `invoice_not_open` for one that is void or uncollectible, `customer_not_found`.
 */
export function sendInvoice(tenant: TenantScope, id: string): Promise<MailRow> {
  return tenant.write(async (unit) => {
    const invoice = await findInvoice(unit, id);
    if (!hasDocument(invoice))
      return refuse('invoice_not_finalized', { path: 'id', ...inState(invoice.status) });
    const text = chooseText(invoice, unit.now);
    const customer = await unit.one('customers', { id: invoice.customerId });
    if (!customer) return refuse('customer_not_found');
    return tenant.mailer.queue(unit, {
      kind: getMailKind(text),
      customerId: customer.id,
      recipient: customer.email,
      language: findLanguage(customer.locale) ?? 'en',
      eventId: await unit.recordEvent('invoices', invoice, 'sent'),
      isBlocked: customer.mailBlockedAt !== null,
      data: { text },
    });
  });
}

function chooseText({ status, dueAt }: InvoiceRow, now: string): MailText {
  if (status === 'paid') return 'receipt';
  if (status !== 'open') return refuse('invoice_not_open', { path: 'id', ...inState(status) });
  if (dueAt === null) return 'invoice_sent';
  // One that is due at once is late from the next day on.
  return addMs(dueAt, dayMs) <= now ? 'invoice_overdue' : 'invoice_issued';
}
