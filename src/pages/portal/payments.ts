/** Paying an open invoice: the charge itself, the return from the bank, and choosing otherwise. */
import type { FastifyReply } from 'fastify';
import type { InvoiceRow } from '../../billing/invoices/invoices.ts';
import { computeOwed } from '../../billing/payments/returns.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { abandonInvoicePayment, resumeInvoicePayment } from '../../billing/renewals/confirmedPayment.ts';
import { payInvoice } from '../../billing/renewals/invoicePayment.ts';
import { isWebUrl } from '../checkout/addresses.ts';
import { findDeclineText } from '../checkout/declineTexts.ts';
import { checkoutTexts } from '../checkout/texts.ts';
import { showOverview } from './overview.ts';
import { showBankPage } from './plan.ts';
import { showExpiredForm } from './signIn.ts';
import { describeProblem, readFormToken, redirectDone, refusePage, type CustomerVisit } from './visit.ts';

const conflict = 409;

/** Charges the saved method for an invoice, unless more is owed than the page showed. */
export async function payUnpaid(visit: CustomerVisit): Promise<FastifyReply> {
  const invoice = await findOwnInvoice(visit);
  const shownMinor = readFormToken(visit, `invoices/${invoice.id}/pay`);
  if (shownMinor === undefined) return showExpiredForm(visit);
  if (invoice.status === 'paid') return redirectDone(visit, '', 'alreadyPaid');
  if (computeOwed(invoice) > shownMinor)
    return showOverview(visit, { text: describeProblem(visit, 'amountIncreased'), status: conflict });
  return settle(visit, (returnPath) => payInvoice(visit.tenant, invoice.id, { returnPath }));
}

/** Asks for the outcome of a charge in progress, also when the bank leads the customer back. */
export async function resumeUnpaid(visit: CustomerVisit): Promise<FastifyReply> {
  const { id } = await findOwnInvoice(visit);
  return settle(visit, (returnPath) => resumeInvoicePayment(visit.tenant, id, returnPath));
}

/** Ends a charge that the customer has not confirmed, and shows the other methods. */
export async function abandonUnpaid(visit: CustomerVisit): Promise<FastifyReply> {
  const { id } = await findOwnInvoice(visit);
  try {
    const invoice = await abandonInvoicePayment(visit.tenant, id, buildReturnPath(visit));
    if (invoice.status === 'paid') return redirectDone(visit, '', 'invoicePaid');
    const isStopped = invoice.chargeStartedAt === null;
    return redirectDone(visit, '', isStopped ? 'paymentStopped' : 'paymentPending');
  } catch (error) {
    return showRefusal(visit, error);
  }
}

/** Where the bank leads the customer back to. A visit there never begins a charge. */
const buildReturnPath = ({ tenant, params }: CustomerVisit) =>
  `/portal/${tenant.alias}/invoices/${params['id']!}/return`;

async function findOwnInvoice({ tenant, customer, params }: CustomerVisit): Promise<InvoiceRow> {
  const invoice = await tenant.read.one('invoices', { id: params['id']!, customerId: customer.id });
  return invoice && invoice.status !== 'draft' ? invoice : refusePage();
}

async function settle(
  visit: CustomerVisit,
  act: (returnPath: string) => Promise<InvoiceRow>,
): Promise<FastifyReply> {
  try {
    const { status, chargeStartedAt } = await act(buildReturnPath(visit));
    if (status === 'paid') return redirectDone(visit, '', 'invoicePaid');
    if (chargeStartedAt !== null) return redirectDone(visit, '', 'paymentPending');
    return showOverview(visit);
  } catch (error) {
    return showRefusal(visit, error);
  }
}

/** Shows the page of the bank, or why the payment was refused and what to do. Another tab may have paid meanwhile. */
async function showRefusal(visit: CustomerVisit, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
  const { reason, issues } = error;
  const url = issues.find(({ actionUrl }) => actionUrl !== undefined)?.actionUrl;
  if (url !== undefined && isWebUrl(url)) return showBankPage(visit, url);
  if (reason === 'invoice_not_open' && (await findOwnInvoice(visit)).status === 'paid')
    return redirectDone(visit, '', 'alreadyPaid');
  const text =
    reason === 'payment_failed'
      ? checkoutTexts[visit.language][findDeclineText(issues[0]?.declineCode)]
      : describeProblem(visit, 'notPossible');
  return showOverview(visit, { text, status: conflict });
}
